import { sql } from 'kysely'
import type { Dialect } from '../infra/database/index.ts'

/**
 * Pipelines (contract 04), and commit statuses that external systems report (contract 22, Commit status). A status belongs
 * to a pipeline; of all statuses with one name in a pipeline, only the latest is not `retried`.
 */
export function up({ id, name }: Dialect) {
  return [
    sql`create table pipelines (
      id ${id},
      project_id bigint not null references projects (id) on delete cascade,
      iid integer not null,
      sha text not null,
      ref ${name} not null,
      tag boolean not null default false,
      status text not null,
      source text not null,
      user_id bigint references users (id) on delete set null,
      started_at timestamptz,
      finished_at timestamptz,
      created_at timestamptz not null,
      updated_at timestamptz not null
    )`,
    sql`create unique index pipelines_iid_unique on pipelines (project_id, iid)`,
    sql`create unique index pipelines_external_unique on pipelines (project_id, sha, ref) where source = 'external'`,
    sql`create index pipelines_sha on pipelines (project_id, sha, id)`,
    sql`create index pipelines_user on pipelines (user_id)`,
    sql`create table commit_statuses (
      id ${id},
      project_id bigint not null references projects (id) on delete cascade,
      pipeline_id bigint not null references pipelines (id) on delete cascade,
      sha text not null,
      ref ${name} not null,
      stage text not null,
      name ${name} not null,
      status text not null,
      target_url text,
      description text,
      coverage double precision,
      allow_failure boolean not null default false,
      retried boolean not null default false,
      user_id bigint references users (id) on delete set null,
      started_at timestamptz,
      finished_at timestamptz,
      created_at timestamptz not null,
      updated_at timestamptz not null
    )`,
    sql`create unique index commit_statuses_latest_unique on commit_statuses (pipeline_id, name) where retried = false`,
    sql`create index commit_statuses_pipeline on commit_statuses (pipeline_id, id)`,
    sql`create index commit_statuses_sha on commit_statuses (project_id, sha, id)`,
    sql`create index commit_statuses_sha_pipeline on commit_statuses (project_id, sha, pipeline_id, id)`,
    sql`create index commit_statuses_user on commit_statuses (user_id)`,
  ]
}
