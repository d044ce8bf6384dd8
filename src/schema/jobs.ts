import { sql } from 'kysely'
import type { Dialect } from '../infra/database/index.ts'

/** The job queue and the recurring jobs (design §7). */
export function up({ id }: Dialect) {
  return [
    sql`create table jobs (
      id ${id},
      queue text not null,
      kind text not null,
      payload text not null,
      unique_key text,
      order_key text,
      state text not null default 'pending',
      run_at timestamptz not null,
      attempts integer not null default 0,
      max_attempts integer not null,
      lease_owner text,
      lease_until timestamptz,
      last_error text,
      created_at timestamptz not null,
      updated_at timestamptz not null
    )`,
    sql`create index jobs_due on jobs (queue, state, run_at, id)`,
    sql`create index jobs_running on jobs (order_key) where state = 'running'`,
    sql`create index jobs_order on jobs (order_key, id) where order_key is not null`,
    sql`create unique index jobs_unique_key on jobs (kind, unique_key) where state in ('pending', 'running')`,
    sql`create table recurring_jobs (
      name text primary key,
      every_seconds integer not null,
      next_run_at timestamptz not null,
      last_run_at timestamptz
    )`,
  ]
}
