import type { Generated, Selectable } from 'kysely'
import type { JobState } from './types.ts'

/** See `src/schema/jobs.ts`. */
export interface JobsTable {
  id: Generated<number>
  queue: string
  kind: string
  payload: string
  unique_key: string | null
  order_key: string | null
  state: Generated<JobState>
  run_at: string
  attempts: Generated<number>
  max_attempts: number
  lease_owner: string | null
  lease_until: string | null
  last_error: string | null
  created_at: string
  updated_at: string
}

/** See `src/schema/jobs.ts`. */
export interface RecurringJobsTable {
  name: string
  every_seconds: number
  next_run_at: string
  last_run_at: string | null
}

/** A row of `jobs`. */
export type JobRow = Selectable<JobsTable>

declare module '../database/tables.ts' {
  interface Tables {
    jobs: JobsTable
    recurring_jobs: RecurringJobsTable
  }
}
