import { sql } from 'kysely'
import type { Dialect } from '../infra/database/index.ts'

/**
 * Git repositories of projects and groups (design §5): their location on disk, and their generation, which every ref
 * change increments. A row of `ref_intents` is written before refs move and removed in the transaction that increments
 * the generation, so that the next start can complete or undo what a killed process left unfinished.
 * `measured_generation` and `packed_generation` are the generations of the last size measurement and the last repack
 * (contract 22 R5, R8).
 */
export function up({ id }: Dialect) {
  return [
    sql`create table repositories (
      id ${id},
      project_id bigint references projects (id) on delete cascade,
      namespace_id bigint references namespaces (id) on delete cascade,
      kind text not null,
      storage text not null,
      disk_path text not null,
      generation bigint not null default 1,
      measured_generation bigint not null default 0,
      packed_generation bigint not null default 0,
      object_format text not null default 'sha1',
      read_only boolean not null default false,
      size_bytes bigint not null default 0,
      commit_count bigint not null default 0,
      created_at timestamptz not null
    )`,
    sql`create unique index repositories_project_unique on repositories (project_id, kind)`,
    sql`create unique index repositories_namespace_unique on repositories (namespace_id, kind)`,
    sql`create unique index repositories_location_unique on repositories (storage, disk_path)`,
    sql`create table ref_intents (
      id ${id},
      repository_id bigint not null references repositories (id) on delete cascade,
      user_id bigint,
      updates jsonb not null,
      created_at timestamptz not null
    )`,
    sql`create index ref_intents_repository on ref_intents (repository_id)`,
    sql`create table removed_repositories (
      id ${id},
      storage text not null,
      disk_path text not null,
      removed_at timestamptz not null
    )`,
  ]
}
