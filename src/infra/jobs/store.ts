import { type Insertable, type RawBuilder, sql } from 'kysely'
import { type Reader, type Tx, within } from '../database/index.ts'
import type { JobRow, JobsTable } from './tables.ts'
import type { StoredTime } from './types.ts'

/** A queue and the kinds of jobs in it that a process can run. */
export interface Lane {
  queue: string
  kinds: readonly string[]
  /** Number of jobs that run at the same time; undefined: that of all queues. */
  slots?: number | undefined
}

/** The holder of a lease. Every claim increments the attempt, so a stale holder never matches. */
export interface Holder {
  id: number
  owner: string
  attempt: number
}

/**
 * Inserts a job.
 * @returns its id, or null when a job with the same unique key is pending or running
 */
export async function insertJob(tx: Tx, job: Insertable<JobsTable>): Promise<number | null> {
  const row = await tx
    .insertInto('jobs')
    .values(job)
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst()
  return row?.id ?? null
}

/** Lets a job with the same kind and unique key run at the time of this one, if it is waiting for a later time. */
export async function hastenJob(
  tx: Tx,
  { kind, unique_key, run_at }: Pick<Insertable<JobsTable>, 'kind' | 'unique_key' | 'run_at'>,
): Promise<void> {
  await tx
    .updateTable('jobs')
    .set({ run_at })
    .where('kind', '=', kind)
    .where('unique_key', '=', unique_key ?? null)
    .where('state', '=', 'pending')
    .where('run_at', '>', run_at)
    .execute()
}

/** Inserts jobs without unique keys. */
export async function insertJobs(tx: Tx, jobs: readonly Insertable<JobsTable>[]): Promise<void> {
  await tx.insertInto('jobs').values(jobs).execute()
}

/**
 * Ids of jobs that can run now: pending and due, or running with an expired lease. Of the jobs with the same order key only
 * the first can run, and none while another one runs.
 */
export async function runnableIds(reader: Reader, lane: Lane, now: string, limit: number): Promise<number[]> {
  const ofLane = reader
    .selectFrom('jobs')
    .select('jobs.id')
    .where('jobs.queue', '=', lane.queue)
    .where(within(reader, 'jobs.kind', lane.kinds))
    .limit(limit)
  const abandoned = await ofLane.where('jobs.state', '=', 'running').where('jobs.lease_until', '<=', now).execute()
  const due = await ofLane
    .where('jobs.state', '=', 'pending')
    .where('jobs.run_at', '<=', now)
    .where(
      // In this order: for a long queue behind one job the first condition fails after one step in the index.
      sql<boolean>`(jobs.order_key is null or (
        not exists (select 1 from jobs as other where other.order_key = jobs.order_key
          and other.id < jobs.id and other.state <> 'failed')
        and not exists (select 1 from jobs as other where other.order_key = jobs.order_key
          and other.state = 'running')))`,
    )
    .orderBy('jobs.run_at')
    .orderBy('jobs.id')
    .execute()
  return [...abandoned, ...due].slice(0, limit).map(({ id }) => id)
}

/** When jobs of a queue can run next: the earliest time of a pending one, and the earliest end of a lease. */
export interface NextJobs {
  queue: string
  pending: string | null
  abandoned: string | null
}

/**
 * Reads in one query when jobs of each queue can run next, and which of some conditions are true.
 * @returns the queues, and the indices of the true conditions
 */
export async function whatIsNext(
  reader: Reader,
  queues: readonly string[],
  conditions: readonly RawBuilder<boolean>[],
): Promise<{ next: NextJobs[]; isTrue: Set<number> }> {
  const names =
    reader.engine === 'postgres' ? sql`unnest(${queues}::text[]) as q (value)` : sql`json_each(${queues}) as q`
  const trueOnes = conditions.map(
    (condition, index) => sql` union all select ${sql.lit(`#${index}`)}, null, null where ${condition}`,
  )
  const query = sql<NextJobs>`select q.value as queue,
    (select min(run_at) from jobs where jobs.queue = q.value and state = 'pending') as pending,
    (select min(lease_until) from jobs where jobs.queue = q.value and state = 'running') as abandoned
    from ${names}${sql.join(trueOnes, sql``)}`
  const { rows } = await reader.executeQuery(query.compile(reader as never))
  const next = rows.filter(({ queue }) => !queue.startsWith('#'))
  const isTrue = new Set(rows.flatMap(({ queue }) => (queue.startsWith('#') ? Number(queue.slice(1)) : [])))
  return { next, isTrue }
}

/** Key of the advisory lock under which jobs are claimed on PostgreSQL. */
const claimLock = 7_305_319

/**
 * Leases up to `limit` runnable jobs. Claims run one at a time, because two concurrent ones could take two jobs with the same
 * order key: on PostgreSQL under a lock, on SQLite because it has one writer.
 */
export async function claimJobs(
  tx: Tx,
  lane: Lane,
  { owner, now, leaseUntil, limit }: { owner: string; now: string; leaseUntil: string; limit: number },
): Promise<JobRow[]> {
  if (tx.engine === 'postgres') await sql`select pg_advisory_xact_lock(${claimLock})`.execute(tx)
  await failExhausted(tx, lane, now)
  const ids = await runnableIds(tx, lane, now, limit)
  if (ids.length === 0) return []
  const claimed = await tx
    .updateTable('jobs')
    .set({
      state: 'running',
      lease_owner: owner,
      lease_until: leaseUntil,
      attempts: sql<number>`attempts + 1`,
      updated_at: now,
    })
    .where(within(tx, 'jobs.id', ids))
    // The holder may have renewed the lease since the ids were read.
    .where(sql<boolean>`(state = 'pending' or (state = 'running' and lease_until <= ${now}))`)
    .returningAll()
    .execute()
  return claimed.sort((a, b) => ids.indexOf(a.id) - ids.indexOf(b.id))
}

/** Fails jobs whose process died in every attempt. */
async function failExhausted(tx: Tx, lane: Lane, now: string): Promise<void> {
  await tx
    .updateTable('jobs')
    .set({
      state: 'failed',
      last_error: 'the process that ran this job ended unexpectedly',
      lease_owner: null,
      lease_until: null,
      updated_at: now,
    })
    .where('queue', '=', lane.queue)
    .where('state', '=', 'running')
    .where('lease_until', '<=', now)
    .where(sql<boolean>`attempts >= max_attempts`)
    .execute()
}

/** Whether jobs of these queues are running. */
export async function isAnyRunning(reader: Reader, queues: readonly string[], now: string): Promise<boolean> {
  const running = reader
    .selectFrom('jobs')
    .select('id')
    .where(within(reader, 'jobs.queue', queues))
    .where('state', '=', 'running')
    .where('lease_until', '>', now)
  return (await running.limit(1).executeTakeFirst()) !== undefined
}

function isHeldBy({ id, owner, attempt }: Holder): RawBuilder<boolean> {
  return sql<boolean>`id = ${id} and lease_owner = ${owner} and attempts = ${attempt}`
}

/**
 * Extends a lease.
 * @returns false when the job is no longer leased by the holder
 */
export async function renewLease(tx: Tx, holder: Holder, leaseUntil: string): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('jobs')
    .set({ lease_until: leaseUntil })
    .where(isHeldBy(holder))
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/**
 * Lets jobs run that a clock ahead of this one has put off or leased: they would wait until it is that late again.
 * @param ahead no right clock has written a later time
 * @param longestLease no lease that a right clock gave ends later
 */
export async function recallJobs(
  tx: Tx,
  { now, ahead, longestLease }: { now: string; ahead: string; longestLease: string },
): Promise<void> {
  await tx
    .updateTable('jobs')
    .set({ run_at: now, updated_at: now })
    .where('state', '=', 'pending')
    .where('run_at', '>', now)
    .where('updated_at', '>', ahead)
    .execute()
  await tx
    .updateTable('jobs')
    .set({ lease_until: now })
    .where('state', '=', 'running')
    .where('lease_until', '>', longestLease)
    .execute()
}

/** Puts back the times of a column that a clock ahead of this one has set. @param skewMs how much the clocks of processes may differ */
export async function recallTimes(
  tx: Tx,
  { table, column, longestMs, leaveMs = 0 }: StoredTime,
  { nowMs, skewMs }: { nowMs: number; skewMs: number },
): Promise<void> {
  const isoOf = (ms: number) => new Date(ms).toISOString()
  await sql`update ${sql.table(table)} set ${sql.ref(column)} = ${isoOf(nowMs + leaveMs)}
    where ${sql.ref(column)} > ${isoOf(nowMs + longestMs + skewMs)}`.execute(tx)
}

/** Lets all running jobs be claimed at once. Only for a process that has just started and is the only one. */
export async function expireLeases(tx: Tx, now: string): Promise<void> {
  await tx.updateTable('jobs').set({ lease_until: now }).where('state', '=', 'running').execute()
}

/**
 * Deletes a finished job.
 * @returns false when the job is no longer leased by the holder
 */
export async function deleteFinished(tx: Tx, holder: Holder): Promise<boolean> {
  const { numDeletedRows } = await tx.deleteFrom('jobs').where(isHeldBy(holder)).executeTakeFirst()
  return numDeletedRows > 0n
}

/**
 * Ends the lease of an unfinished job, which becomes pending or failed.
 * @returns false when the job is no longer leased by the holder
 */
export async function returnJob(
  tx: Tx,
  holder: Holder,
  outcome: Pick<JobRow, 'state' | 'run_at' | 'last_error' | 'updated_at' | 'attempts'>,
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('jobs')
    .set({ ...outcome, lease_owner: null, lease_until: null })
    .where(isHeldBy(holder))
    .executeTakeFirst()
  return numUpdatedRows > 0n
}
