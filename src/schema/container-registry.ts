import { sql } from 'kysely'
import type { Dialect } from '../infra/database/index.ts'

const repositories = ({ id, name }: Dialect) => [
  sql`create table registry_repositories (
    id ${id},
    project_id bigint references projects (id) on delete set null,
    name ${name} not null,
    path ${name} not null,
    status text,
    failures integer not null default 0,
    retry_at timestamptz,
    claimed_at timestamptz,
    cleanup_policy_started_at timestamptz,
    bulk_deletion_at timestamptz,
    created_at timestamptz not null
  )`,
  sql`create unique index registry_repositories_name_unique on registry_repositories (project_id, name)`,
  sql`create index registry_repositories_order on registry_repositories (project_id, id)`,
  sql`create index registry_repositories_deletion on registry_repositories (id) where status is not null`,
  sql`create table registry_protection_rules (
    id ${id},
    project_id bigint not null references projects (id) on delete cascade,
    pattern ${name} not null,
    push_level integer,
    delete_level integer,
    created_at timestamptz not null,
    updated_at timestamptz not null
  )`,
  sql`create unique index registry_protection_rules_pattern_unique
    on registry_protection_rules (project_id, pattern)`,
  sql`create index registry_protection_rules_order on registry_protection_rules (project_id, id)`,
  sql`create table registry_signing_keys (
    kid text primary key,
    sealed_key text not null,
    created_at timestamptz not null
  )`,
]

const blobs = ({ id, name }: Dialect) => [
  sql`create table registry_blobs (
    id ${id},
    digest ${name} not null,
    size_bytes bigint not null,
    used_at timestamptz not null,
    is_referenced boolean not null default false,
    created_at timestamptz not null
  )`,
  sql`create unique index registry_blobs_digest_unique on registry_blobs (digest)`,
  sql`create index registry_blobs_unreferenced on registry_blobs (used_at, id) where is_referenced = false`,
  sql`create table registry_blob_links (
    repository_id bigint not null references registry_repositories (id),
    blob_id bigint not null references registry_blobs (id),
    used_at timestamptz not null,
    released_at timestamptz,
    is_referenced boolean not null default false,
    primary key (repository_id, blob_id)
  )`,
  sql`create index registry_blob_links_blob on registry_blob_links (blob_id)`,
  sql`create index registry_blob_links_unreferenced
    on registry_blob_links (used_at, repository_id, blob_id) where is_referenced = false`,
  sql`create table registry_uploads (
    id text primary key,
    project_id bigint not null references projects (id) on delete cascade,
    name ${name} not null,
    writer_id text,
    digest ${name},
    used_at timestamptz not null,
    created_at timestamptz not null
  )`,
  sql`create index registry_uploads_used on registry_uploads (used_at, id)`,
  sql`create index registry_uploads_project on registry_uploads (project_id, name)`,
  sql`create index registry_uploads_digest on registry_uploads (digest) where digest is not null`,
]

const manifests = ({ id, name }: Dialect) => [
  sql`create table registry_manifests (
    id ${id},
    repository_id bigint not null references registry_repositories (id),
    digest ${name} not null,
    media_type text not null,
    size_bytes bigint not null,
    config_digest text,
    artifact_type text,
    subject_digest ${name},
    annotations text,
    layers_size_bytes bigint not null,
    image_created_at timestamptz,
    used_at timestamptz not null,
    released_at timestamptz,
    is_referenced boolean not null default false,
    created_at timestamptz not null
  )`,
  sql`create unique index registry_manifests_digest_unique on registry_manifests (repository_id, digest)`,
  sql`create index registry_manifests_subject
    on registry_manifests (repository_id, subject_digest, created_at, digest) where subject_digest is not null`,
  sql`create index registry_manifests_unreferenced on registry_manifests (used_at, id) where is_referenced = false`,
  sql`create table registry_manifest_payloads (
    manifest_id bigint primary key references registry_manifests (id) on delete cascade,
    payload text not null
  )`,
  sql`create table registry_manifest_blobs (
    manifest_id bigint not null references registry_manifests (id) on delete cascade,
    repository_id bigint not null,
    blob_id bigint not null,
    is_layer boolean not null,
    primary key (manifest_id, blob_id),
    foreign key (repository_id, blob_id) references registry_blob_links (repository_id, blob_id)
  )`,
  sql`create index registry_manifest_blobs_link on registry_manifest_blobs (repository_id, blob_id)`,
  sql`create table registry_manifest_children (
    manifest_id bigint not null references registry_manifests (id) on delete cascade,
    child_id bigint not null references registry_manifests (id),
    primary key (manifest_id, child_id)
  )`,
  sql`create index registry_manifest_children_child on registry_manifest_children (child_id)`,
  sql`create table registry_tags (
    repository_id bigint not null references registry_repositories (id),
    name ${name} not null,
    manifest_id bigint not null references registry_manifests (id),
    created_at timestamptz not null,
    updated_at timestamptz not null,
    primary key (repository_id, name)
  )`,
  sql`create index registry_tags_manifest on registry_tags (manifest_id)`,
]

/**
 * Container repositories with their manifests, tags and blobs (contract 02). A blob is stored once for all repositories and
 * read through the link of a repository. A repository outlives its project until its contents are deleted.
 */
export const up = (dialect: Dialect) => [...repositories(dialect), ...blobs(dialect), ...manifests(dialect)]
