import { partial, type RowOf, type TableOf, type TablesOf, t, table } from '../database/index.ts'

/** `pending`: waiting to run. `running`: leased by a process. `failed`: out of attempts. A finished job has no row. */
export type JobState = 'pending' | 'running' | 'failed'

/** The job queue (design §7). */
export const jobs = table(
  'jobs',
  {
    id: t.id(),
    queue: t.text(),
    kind: t.text(),
    payload: t.text(),
    unique_key: t.text().nullable(),
    order_key: t.text().nullable(),
    state: t.text<JobState>().default('pending'),
    run_at: t.time(),
    attempts: t.integer().default(0),
    max_attempts: t.integer(),
    lease_owner: t.text().nullable(),
    lease_until: t.time().nullable(),
    last_error: t.text().nullable(),
    created_at: t.time(),
    updated_at: t.time(),
  },
  {
    unique: { key: { on: ['kind', 'unique_key'], where: "state in ('pending', 'running')" } },
    indexes: {
      due: ['queue', 'state', 'run_at', 'id'],
      running: { on: ['order_key'], where: "state = 'running'" },
      order: partial('order_key', 'id'),
      failed: { on: ['id'], where: "state = 'failed'" },
    },
  },
)

/** The recurring jobs; a run is claimed by a conditional update of `next_run_at`. */
export const recurringJobs = table('recurring_jobs', {
  name: t.text().primaryKey(),
  every_seconds: t.integer(),
  next_run_at: t.time(),
  last_run_at: t.time().nullable(),
})

/** Runs that have ended, since the installation; the sums of all rows count. */
export const jobCounts = table('job_counts', {
  shard: t.integer().primaryKey(),
  processed: t.bigint().default(0),
  failed: t.bigint().default(0),
})
export type JobsTable = TableOf<typeof jobs>

/** A row of `jobs`. */
export type JobRow = RowOf<typeof jobs>

declare module '../database/tables.ts' {
  interface Tables extends TablesOf<typeof jobs | typeof recurringJobs | typeof jobCounts> {}
}
