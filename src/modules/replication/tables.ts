/**
 * The nodes of a replicated installation, with their last reports; what a primary records of its changes and checksums; what a
 * secondary knows of its copies (contract 15).
 */
import { type ChangesOf, partial, type RowOf, type TablesOf, t, table } from '../../infra/database/index.ts'
import type { ReplicableType } from './types.ts'

/** The servers of a replicated installation; at most one is the primary. */
export const geoNodes = table(
  'geo_nodes',
  {
    id: t.id(),
    name: t.text(),
    /** The name in lower case. */
    name_key: t.text(),
    /** Ends with a slash, as does `internal_url`. */
    url: t.text(),
    /** Where the other nodes reach it; null: at `url`. */
    internal_url: t.text().nullable(),
    is_primary: t.boolean(),
    enabled: t.boolean(),
    files_max_capacity: t.bigint(),
    repos_max_capacity: t.bigint(),
    container_repositories_max_capacity: t.bigint(),
    verification_max_capacity: t.bigint(),
    selective_sync_type: t.text<SelectiveSyncType>().nullable(),
    selective_sync_shards: t.json<string[]>(),
    /** In days. */
    minimum_reverification_interval: t.bigint(),
    sync_object_storage: t.boolean(),
    /** Credentials of a secondary; both null: none. */
    access_key: t.text().nullable(),
    sealed_secret: t.text().nullable(),
    created_at: t.time(),
    updated_at: t.time(),
  },
  {
    unique: {
      name: ['name_key'],
      primary: { on: ['is_primary'], where: 'is_primary = true' },
      access_key: partial('access_key'),
    },
  },
)

export type SelectiveSyncType = 'namespaces' | 'shards'

/** The groups of which a node has copies, when it is limited to some. */
export const geoNodeNamespaces = table(
  'geo_node_namespaces',
  {
    node_id: t.refers('geo_nodes', 'cascade'),
    namespace_id: t.refers('namespaces', 'cascade'),
  },
  {
    primaryKey: ['node_id', 'namespace_id'],
    indexes: { namespace: ['namespace_id'] },
  },
)

/** The last report of each secondary. */
export const geoNodeStatuses = table('geo_node_statuses', {
  node_id: t.refers('geo_nodes', 'cascade').primaryKey(),
  status: t.json<Record<string, unknown>>(),
  reported_at: t.time(),
})

/** What happened to a replicable item, or to the record of a node (`node_updated`, without a type). */
export type EventAction = 'created' | 'updated' | 'deleted' | 'checksummed' | 'node_updated'

/** The log of a primary. On PostgreSQL its writers take turns, so that ids become visible in their order. */
export const geoEvents = table(
  'geo_events',
  {
    id: t.id(),
    type: t.text<ReplicableType>().nullable(),
    /** Id of the item, or of the node. */
    replicable_id: t.bigint(),
    action: t.text<EventAction>(),
    checksum: t.text().nullable(),
    created_at: t.time(),
  },
  {
    indexes: { created_at: ['created_at'] },
  },
)

/** Checksums of the primary's items. `pending`: changed since the checksum, or never computed. */
export const geoChecksums = table(
  'geo_checksums',
  {
    type: t.text<ReplicableType>(),
    replicable_id: t.bigint(),
    state: t.text<'pending' | 'succeeded' | 'failed'>(),
    /** Raised by each change, so that a checksum of an older state is not stored. */
    version: t.bigint().default(1),
    checksum: t.text().nullable(),
    checksummed_at: t.time().nullable(),
    failure: t.text().nullable(),
    /** When it is computed next. */
    due_at: t.time(),
  },
  {
    primaryKey: ['type', 'replicable_id'],
    indexes: { due: ['due_at'] },
  },
)

export type SyncState = 'pending' | 'started' | 'synced' | 'failed'
export type VerificationState = 'none' | 'pending' | 'started' | 'succeeded' | 'failed'

/** The copies of a secondary (contract 15, "Tracking row of a replicable"). */
export const geoReplicas = table(
  'geo_replicas',
  {
    id: t.id(),
    type: t.text<ReplicableType>(),
    /** Id of the item at the primary. */
    replicable_id: t.bigint(),
    project_id: t.bigint().nullable(),
    group_id: t.bigint().nullable(),
    /** The storage of a repository at the primary. */
    storage: t.text().nullable(),
    size_bytes: t.bigint(),
    /** Raised by each change at the primary, so that a transfer notices that it has become out of date. */
    version: t.bigint().default(1),
    /** When the change was heard of that is to be copied. */
    changed_at: t.time(),
    state: t.text<SyncState>().default('pending'),
    /** Where the copy is: `<storage>:<path>` of a repository, or the key of an object; null before the first copy. */
    location: t.text().nullable(),
    /** When it was last copied. */
    synced_at: t.time().nullable(),
    /** When copying last began. */
    attempted_at: t.time().nullable(),
    retry_count: t.integer().default(0),
    retry_at: t.time().nullable(),
    failure: t.text().nullable(),
    /** The primary has its record, and has lost its content. */
    missing_on_primary: t.boolean().default(false),
    /** Checksum at the primary; null until the primary has computed it. */
    primary_checksum: t.text().nullable(),
    /** Checksum of the copy, when it was last verified. */
    checksum: t.text().nullable(),
    /** `none`: there is no complete copy to verify. */
    verification: t.text<VerificationState>().default('none'),
    verified_at: t.time().nullable(),
    verification_retry_count: t.integer().default(0),
    verification_retry_at: t.time().nullable(),
    verification_failure: t.text().nullable(),
    checksum_mismatch: t.boolean().default(false),
  },
  {
    unique: { replicable: ['type', 'replicable_id'] },
    indexes: {
      state: ['state', 'type', 'changed_at', 'id'],
      verification: ['verification', 'type', 'changed_at', 'id'],
      project: ['project_id', 'id'],
    },
  },
)

/** What a copied container repository consists of. `name` is that of a tag; else it is the digest. */
export const geoReplicaParts = table(
  'geo_replica_parts',
  {
    replica_id: t.refers('geo_replicas', 'cascade'),
    kind: t.text<'tag' | 'manifest' | 'blob'>(),
    name: t.text(),
    digest: t.text(),
    media_type: t.text().nullable(),
    size_bytes: t.bigint(),
  },
  {
    primaryKey: ['replica_id', 'kind', 'name'],
    indexes: { digest: ['digest'] },
  },
)

/** What a secondary remembers beside its copies, by name. */
export const geoSyncState = table('geo_sync_state', {
  name: t.text().primaryKey(),
  value: t.json<unknown>(),
})

/** What the primary has confirmed of reads to a secondary. Names of callers and resources are hashed with a key. */
export const geoConfirmedReads = table(
  'geo_confirmed_reads',
  {
    caller: t.text(),
    action: t.text(),
    resource: t.text(),
    /** The item that may be read; null where none is named. */
    type: t.text<ReplicableType>().nullable(),
    replicable_id: t.bigint().nullable(),
    confirmed_at: t.time(),
  },
  {
    primaryKey: ['caller', 'action', 'resource'],
    indexes: { age: ['confirmed_at'] },
  },
)

/** Requests that a secondary has answered, by day. */
export const geoRequestCounts = table(
  'geo_request_counts',
  {
    day: t.date(),
    kind: t.text(),
    count: t.bigint(),
  },
  {
    primaryKey: ['day', 'kind'],
  },
)

export type NodeRow = RowOf<typeof geoNodes>
export type NodeChanges = ChangesOf<typeof geoNodes>
export type StatusRow = RowOf<typeof geoNodeStatuses>
export type EventRow = RowOf<typeof geoEvents>
export type ChecksumRow = RowOf<typeof geoChecksums>
export type ReplicaRow = RowOf<typeof geoReplicas>
export type ReplicaChanges = ChangesOf<typeof geoReplicas>
export type ReplicaPartRow = RowOf<typeof geoReplicaParts>

declare module '../../infra/database/tables.ts' {
  interface Tables
    extends TablesOf<
      | typeof geoNodes
      | typeof geoNodeNamespaces
      | typeof geoNodeStatuses
      | typeof geoEvents
      | typeof geoChecksums
      | typeof geoReplicas
      | typeof geoReplicaParts
      | typeof geoSyncState
      | typeof geoConfirmedReads
      | typeof geoRequestCounts
    > {}
}
