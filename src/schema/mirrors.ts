import { sql } from 'kysely'
import type { Dialect } from '../infra/database/index.ts'

/** Columns about the runs of a mirror. */
const state = sql.raw(`
      update_status text not null default 'none'
        check (update_status in ('none', 'scheduled', 'started', 'finished', 'failed')),
      last_update_at timestamptz,
      last_update_started_at timestamptz,
      last_successful_update_at timestamptz,
      last_error text,
      failures integer not null default 0,
      due_at timestamptz,
      created_at timestamptz not null,
      updated_at timestamptz not null`)

/** Push mirrors and pull mirrors of projects (contract 22, RemoteMirror, PullMirror). */
export function up({ id }: Dialect) {
  return [
    sql`create table remote_mirrors (
      id ${id},
      project_id bigint not null references projects (id) on delete cascade,
      url text not null,
      sealed_url text not null,
      enabled boolean not null default false,
      only_protected_branches boolean not null default false,
      keep_divergent_refs boolean not null default false,
      mirror_branch_regex text,
      auth_method text not null default 'password',
      ${state}
    )`,
    sql`create index remote_mirrors_project on remote_mirrors (project_id, id)`,
    sql`create index remote_mirrors_due on remote_mirrors (due_at, id)`,
    sql`create table pull_mirrors (
      id ${id},
      project_id bigint not null references projects (id) on delete cascade,
      user_id bigint references users (id) on delete set null,
      url text not null,
      sealed_url text not null,
      mirror_branch_regex text,
      ${state}
    )`,
    sql`create unique index pull_mirrors_project_unique on pull_mirrors (project_id)`,
    sql`create index pull_mirrors_user on pull_mirrors (user_id)`,
    sql`create index pull_mirrors_due on pull_mirrors (due_at, id)`,
  ]
}
