import { sql } from 'kysely'
import type { Dialect } from '../infra/database/index.ts'

/** Runners, the projects they are assigned to, and the machines that use a runner's token (contract 04). */
export function up({ id, name }: Dialect) {
  return [
    sql`create table runners (
      id ${id},
      runner_type text not null,
      namespace_id bigint references namespaces (id) on delete cascade,
      creator_id bigint references users (id) on delete set null,
      token_digest text not null,
      token_expires_at timestamptz,
      description text,
      maintenance_note text,
      paused boolean not null,
      locked boolean not null,
      run_untagged boolean not null,
      access_level text not null,
      maximum_timeout bigint,
      tag_list jsonb not null,
      name text,
      version ${name},
      revision text,
      platform text,
      architecture text,
      executor text,
      ip_address text,
      contacted_at timestamptz,
      created_at timestamptz not null,
      updated_at timestamptz not null
    )`,
    sql`create unique index runners_token_unique on runners (token_digest)`,
    sql`create index runners_namespace on runners (namespace_id, id) where namespace_id is not null`,
    sql`create index runners_creator on runners (creator_id) where creator_id is not null`,
    sql`create index runners_type on runners (runner_type, id)`,
    sql`create table runner_projects (
      id ${id},
      runner_id bigint not null references runners (id) on delete cascade,
      project_id bigint not null references projects (id) on delete cascade
    )`,
    sql`create unique index runner_projects_unique on runner_projects (runner_id, project_id)`,
    sql`create index runner_projects_project on runner_projects (project_id, runner_id)`,
    sql`create table runner_managers (
      id ${id},
      runner_id bigint not null references runners (id) on delete cascade,
      system_id ${name} not null,
      version text,
      revision text,
      platform text,
      architecture text,
      executor text,
      ip_address text,
      contacted_at timestamptz,
      created_at timestamptz not null
    )`,
    sql`create unique index runner_managers_unique on runner_managers (runner_id, system_id)`,
  ]
}
