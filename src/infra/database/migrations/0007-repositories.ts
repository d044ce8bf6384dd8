import { sql } from 'kysely'
import type { Dialect } from '../dialect.ts'

/**
 * Git repositories: where each lies, and its generation, which every change of a ref raises (design §5). A row of
 * `ref_intents` is written before refs move and removed in the transaction that raises the generation, so a process
 * killed in between leaves a trace that the next start settles.
 */
export function up({ id }: Dialect) {
  return [
    sql`create table repositories (
      id ${id},
      project_id bigint references projects (id) on delete cascade,
      kind text not null,
      storage text not null,
      disk_path text not null,
      generation bigint not null default 1,
      object_format text not null default 'sha1',
      read_only boolean not null default false,
      size_bytes bigint not null default 0,
      commit_count bigint not null default 0,
      created_at timestamptz not null
    )`,
    sql`create unique index repositories_project_unique on repositories (project_id, kind)`,
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
