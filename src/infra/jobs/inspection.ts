/** What administrators see of the queue, and do about jobs that have failed. */
import { sql } from 'kysely'
import { type Reader, rows, type Tx } from '../database/index.ts'
import { type JobRow, type JobState, jobs } from './tables.ts'

export const { byId: jobById } = rows(jobs)

/** What waits in a queue. @property due_since when the job became due that waits the longest; null when none is due */
export type QueueCounts = Record<JobState, number> & { name: string; due_since: string | null }

/** Longer queues are not counted to their end. */
const mostCounted = 10_000

/** Selects jobs by their state and queue, the latest first. */
export function selectJobs(db: Reader, { state, queue }: { state?: JobState; queue?: string }) {
  let query = db.selectFrom('jobs').selectAll()
  if (state !== undefined) query = query.where('state', '=', state)
  if (queue !== undefined) query = query.where('queue', '=', queue)
  return query.orderBy('id', 'desc')
}

/** Counts the jobs of queues in one query. @param now ISO time */
export async function countQueues(db: Reader, names: readonly string[], now: string): Promise<QueueCounts[]> {
  const count = (name: string, state: JobState) =>
    sql`(select count(*) from (select 1 as one from jobs where queue = ${name} and state = ${state}
      limit ${sql.lit(mostCounted + 1)}) as counted)`
  const counts = names.map(
    (name) => sql`select ${name} as name, ${count(name, 'pending')} as pending, ${count(name, 'running')} as running,
      ${count(name, 'failed')} as failed,
      (select min(run_at) from jobs where queue = ${name} and state = 'pending' and run_at <= ${now}) as due_since`,
  )
  const query = sql<QueueCounts>`${sql.join(counts, sql` union all `)}`
  const found = await query.execute(db as never)
  return found.rows.map(({ pending, running, failed, ...rest }) => ({
    ...rest,
    ...{ pending: Number(pending), running: Number(running), failed: Number(failed) },
  }))
}

/** Deletes a job that has failed. @returns false when there is none with this id */
export async function deleteFailedJob(tx: Tx, id: number): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('jobs')
    .where('id', '=', id)
    .where('state', '=', 'failed')
    .executeTakeFirst()
  return numDeletedRows > 0n
}

/** Lets a failed job run again. @returns its row; null when it has not failed, or one with its unique key is pending or running */
export async function retryFailed(tx: Tx, id: number, now: string): Promise<JobRow | null> {
  const row = await tx
    .updateTable('jobs')
    .set({ state: 'pending', attempts: 0, run_at: now, updated_at: now })
    .where('id', '=', id)
    .where('state', '=', 'failed')
    .where(
      sql<boolean>`not exists (select 1 from jobs as other where other.kind = jobs.kind
        and other.unique_key = jobs.unique_key and other.state in ('pending', 'running'))`,
    )
    .returningAll()
    .executeTakeFirst()
  return row ?? null
}
