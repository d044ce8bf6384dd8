import { sql } from 'kysely'
import type { Dialect } from '../infra/database/index.ts'

/**
 * The nodes of a replicated installation, with their last reports; what a primary records of its changes and checksums; what a
 * secondary knows of its copies (contract 15).
 */
export function up({ id }: Dialect) {
  return [...ofNodes(id), ...ofPrimary(id), ...ofSecondary(id)]
}

function ofNodes(id: Dialect['id']) {
  return [
    sql`create table geo_nodes (
      id ${id},
      name text not null,
      name_key text not null,
      url text not null,
      internal_url text,
      is_primary boolean not null,
      enabled boolean not null,
      files_max_capacity bigint not null,
      repos_max_capacity bigint not null,
      container_repositories_max_capacity bigint not null,
      verification_max_capacity bigint not null,
      selective_sync_type text,
      selective_sync_shards jsonb not null,
      minimum_reverification_interval bigint not null,
      sync_object_storage boolean not null,
      access_key text,
      sealed_secret text,
      created_at timestamptz not null,
      updated_at timestamptz not null
    )`,
    sql`create unique index geo_nodes_name_unique on geo_nodes (name_key)`,
    sql`create unique index geo_nodes_primary_unique on geo_nodes (is_primary) where is_primary = true`,
    sql`create unique index geo_nodes_access_key_unique on geo_nodes (access_key) where access_key is not null`,
    sql`create table geo_node_namespaces (
      node_id bigint not null references geo_nodes (id) on delete cascade,
      namespace_id bigint not null references namespaces (id) on delete cascade,
      primary key (node_id, namespace_id)
    )`,
    sql`create index geo_node_namespaces_namespace on geo_node_namespaces (namespace_id)`,
    sql`create table geo_node_statuses (
      node_id bigint primary key references geo_nodes (id) on delete cascade,
      status jsonb not null,
      reported_at timestamptz not null
    )`,
  ]
}

function ofPrimary(id: Dialect['id']) {
  return [
    sql`create table geo_events (
      id ${id},
      type text,
      replicable_id bigint not null,
      action text not null,
      checksum text,
      created_at timestamptz not null
    )`,
    sql`create index geo_events_created_at on geo_events (created_at)`,
    sql`create table geo_checksums (
      type text not null,
      replicable_id bigint not null,
      state text not null,
      version bigint not null default 1,
      checksum text,
      checksummed_at timestamptz,
      failure text,
      due_at timestamptz not null,
      primary key (type, replicable_id)
    )`,
    sql`create index geo_checksums_due on geo_checksums (due_at)`,
  ]
}

function ofSecondary(id: Dialect['id']) {
  return [
    sql`create table geo_replicas (
      id ${id},
      type text not null,
      replicable_id bigint not null,
      project_id bigint,
      group_id bigint,
      storage text,
      size_bytes bigint not null,
      version bigint not null default 1,
      changed_at timestamptz not null,
      state text not null default 'pending',
      location text,
      synced_at timestamptz,
      attempted_at timestamptz,
      retry_count integer not null default 0,
      retry_at timestamptz,
      failure text,
      missing_on_primary boolean not null default false,
      primary_checksum text,
      checksum text,
      verification text not null default 'none',
      verified_at timestamptz,
      verification_retry_count integer not null default 0,
      verification_retry_at timestamptz,
      verification_failure text,
      checksum_mismatch boolean not null default false
    )`,
    sql`create unique index geo_replicas_replicable_unique on geo_replicas (type, replicable_id)`,
    sql`create index geo_replicas_state on geo_replicas (state, type, changed_at, id)`,
    sql`create index geo_replicas_verification on geo_replicas (verification, type, changed_at, id)`,
    sql`create index geo_replicas_project on geo_replicas (project_id, id)`,
    sql`create table geo_replica_parts (
      replica_id bigint not null references geo_replicas (id) on delete cascade,
      kind text not null,
      name text not null,
      digest text not null,
      media_type text,
      size_bytes bigint not null,
      primary key (replica_id, kind, name)
    )`,
    sql`create index geo_replica_parts_digest on geo_replica_parts (digest)`,
    sql`create table geo_sync_state (
      name text primary key,
      value jsonb not null
    )`,
    sql`create table geo_request_counts (
      day date not null,
      kind text not null,
      count bigint not null,
      primary key (day, kind)
    )`,
  ]
}
