import { sql } from 'kysely'
import type { Dialect } from '../infra/database/index.ts'

/** Schedules that create pipelines, and their variables (contract 04). A pipeline keeps the id of its schedule. */
export function up({ id, name }: Dialect) {
  return [
    sql`create table pipeline_schedules (
      id ${id},
      project_id bigint not null references projects (id) on delete cascade,
      owner_id bigint references users (id) on delete set null,
      description text not null,
      ref text not null,
      cron text not null,
      cron_timezone text not null,
      active boolean not null,
      next_run_at timestamptz not null,
      created_at timestamptz not null,
      updated_at timestamptz not null
    )`,
    sql`create index pipeline_schedules_order on pipeline_schedules (project_id, id)`,
    sql`create index pipeline_schedules_owner on pipeline_schedules (owner_id)`,
    sql`create index pipeline_schedules_due on pipeline_schedules (next_run_at, id) where active = true`,
    sql`create table pipeline_schedule_variables (
      id ${id},
      schedule_id bigint not null references pipeline_schedules (id) on delete cascade,
      key ${name} not null,
      variable_type text not null,
      sealed_value text not null
    )`,
    sql`create unique index pipeline_schedule_variables_key_unique on pipeline_schedule_variables (schedule_id, key)`,
  ]
}
