import type { Generated, Insertable, Selectable, Updateable } from 'kysely'
import type { Json } from '../../infra/database/index.ts'
import type { ReplicableType } from './types.ts'

/** The servers of a replicated installation; at most one is the primary. */
type GeoNodesTable = {
  id: Generated<number>
  name: string
  /** The name in lower case. */
  name_key: string
  /** Ends with a slash, as does `internal_url`. */
  url: string
  /** Where the other nodes reach it; null: at `url`. */
  internal_url: string | null
  is_primary: boolean
  enabled: boolean
  files_max_capacity: number
  repos_max_capacity: number
  container_repositories_max_capacity: number
  verification_max_capacity: number
  selective_sync_type: SelectiveSyncType | null
  selective_sync_shards: Json<string[]>
  /** In days. */
  minimum_reverification_interval: number
  sync_object_storage: boolean
  /** Credentials of a secondary; both null: none. */
  access_key: string | null
  sealed_secret: string | null
  created_at: string
  updated_at: string
}

export type SelectiveSyncType = 'namespaces' | 'shards'

/** The groups of which a node has copies, when it is limited to some. */
type GeoNodeNamespacesTable = { node_id: number; namespace_id: number }

/** The last report of each secondary. */
type GeoNodeStatusesTable = { node_id: number; status: Json<Record<string, unknown>>; reported_at: string }

/** What happened to a replicable item, or to the record of a node (`node_updated`, without a type). */
export type EventAction = 'created' | 'updated' | 'deleted' | 'checksummed' | 'node_updated'

/** The log of a primary. On PostgreSQL its writers take turns, so that ids become visible in their order. */
type GeoEventsTable = {
  id: Generated<number>
  type: ReplicableType | null
  /** Id of the item, or of the node. */
  replicable_id: number
  action: EventAction
  checksum: string | null
  created_at: string
}

/** Checksums of the primary's items. `pending`: changed since the checksum, or never computed. */
type GeoChecksumsTable = {
  type: ReplicableType
  replicable_id: number
  state: 'pending' | 'succeeded' | 'failed'
  /** Raised by each change, so that a checksum of an older state is not stored. */
  version: Generated<number>
  checksum: string | null
  checksummed_at: string | null
  failure: string | null
  /** When it is computed next. */
  due_at: string
}

export type SyncState = 'pending' | 'started' | 'synced' | 'failed'
export type VerificationState = 'none' | 'pending' | 'started' | 'succeeded' | 'failed'

/** The copies of a secondary (contract 15, "Tracking row of a replicable"). */
type GeoReplicasTable = {
  id: Generated<number>
  type: ReplicableType
  /** Id of the item at the primary. */
  replicable_id: number
  project_id: number | null
  group_id: number | null
  /** The storage of a repository at the primary. */
  storage: string | null
  size_bytes: number
  /** Raised by each change at the primary, so that a transfer notices that it has become out of date. */
  version: Generated<number>
  /** When the change was heard of that is to be copied. */
  changed_at: string
  state: Generated<SyncState>
  /** Where the copy is: `<storage>:<path>` of a repository, or the key of an object; null before the first copy. */
  location: Generated<string | null>
  /** When it was last copied. */
  synced_at: Generated<string | null>
  /** When copying last began. */
  attempted_at: Generated<string | null>
  retry_count: Generated<number>
  retry_at: Generated<string | null>
  failure: Generated<string | null>
  /** The primary has its record, and has lost its content. */
  missing_on_primary: Generated<boolean>
  /** Checksum at the primary; null until the primary has computed it. */
  primary_checksum: Generated<string | null>
  /** Checksum of the copy, when it was last verified. */
  checksum: Generated<string | null>
  /** `none`: there is no complete copy to verify. */
  verification: Generated<VerificationState>
  verified_at: Generated<string | null>
  verification_retry_count: Generated<number>
  verification_retry_at: Generated<string | null>
  verification_failure: Generated<string | null>
  checksum_mismatch: Generated<boolean>
}

/** What a copied container repository consists of. `name` is that of a tag; else it is the digest. */
type GeoReplicaPartsTable = {
  replica_id: number
  kind: 'tag' | 'manifest' | 'blob'
  name: string
  digest: string
  media_type: string | null
  size_bytes: number
}

/** What a secondary remembers beside its copies, by name. */
type GeoSyncStateTable = { name: string; value: Json<unknown> }

/** What the primary has confirmed of reads to a secondary. Names of callers and resources are hashed with a key. */
type GeoConfirmedReadsTable = {
  caller: string
  action: string
  resource: string
  /** The item that may be read; null where none is named. */
  type: ReplicableType | null
  replicable_id: number | null
  confirmed_at: string
}

/** Requests that a secondary has answered, by day. */
type GeoRequestCountsTable = { day: string; kind: string; count: number }

export type NodeRow = Selectable<GeoNodesTable>
export type NewNode = Insertable<GeoNodesTable>
export type NodeChanges = Updateable<GeoNodesTable>
export type StatusRow = Selectable<GeoNodeStatusesTable>
export type EventRow = Selectable<GeoEventsTable>
export type ChecksumRow = Selectable<GeoChecksumsTable>
export type ReplicaRow = Selectable<GeoReplicasTable>
export type ReplicaChanges = Updateable<GeoReplicasTable>
export type ReplicaPartRow = Selectable<GeoReplicaPartsTable>

declare module '../../infra/database/tables.ts' {
  interface Tables {
    geo_nodes: GeoNodesTable
    geo_node_namespaces: GeoNodeNamespacesTable
    geo_node_statuses: GeoNodeStatusesTable
    geo_events: GeoEventsTable
    geo_checksums: GeoChecksumsTable
    geo_replicas: GeoReplicasTable
    geo_replica_parts: GeoReplicaPartsTable
    geo_sync_state: GeoSyncStateTable
    geo_confirmed_reads: GeoConfirmedReadsTable
    geo_request_counts: GeoRequestCountsTable
  }
}
