/** Numbers of the queue: what waits, who works, and how many runs have ended. */
import { sql } from 'kysely'
import { type Reader, type Tx, within } from '../database/index.ts'

/** Longer queues are not counted to their end. */
const mostCounted = 10_000

/** @property due_since when the job became due that waits the longest; null when none is due */
export type Backlog = { name: string; backlog: number; due_since: string | null }

/** How many jobs of each queue are due and not leased, at most 10,001, in one query. @param now ISO time */
export async function countDue(db: Reader, names: readonly string[], now: string): Promise<Backlog[]> {
  const due = (name: string) => sql`jobs where queue = ${name} and state = 'pending' and run_at <= ${now}`
  const parts = names.map(
    (name) => sql`select cast(${name} as text) as name, (select min(run_at) from ${due(name)}) as due_since,
      (select count(*) from (select 1 as one from ${due(name)} limit ${sql.lit(mostCounted + 1)}) as counted) as backlog`,
  )
  const { rows } = await sql<Backlog>`${sql.join(parts, sql` union all `)}`.execute(db as never)
  return rows.map((row) => ({ ...row, backlog: Number(row.backlog) }))
}

/** How many jobs each process runs whose leases hold: it renews them while it lives. @param now ISO time */
export async function busyProcesses(db: Reader, queues: readonly string[], now: string): Promise<Map<string, number>> {
  const rows = await db
    .selectFrom('jobs')
    .select(['lease_owner', (eb) => eb.fn.countAll<number>().as('busy')])
    .where(within(db, 'jobs.queue', queues))
    .where('state', '=', 'running')
    .where('lease_until', '>', now)
    .groupBy('lease_owner')
    .execute()
  return new Map(rows.flatMap(({ lease_owner, busy }) => (lease_owner === null ? [] : [[lease_owner, Number(busy)]])))
}

/** The rows among which counts are divided, so that jobs that end at once rarely wait for each other. */
const shards = 16

/** Counts a run that has ended, in the transaction that records its end. */
export async function countEnded(tx: Tx, jobId: number, outcome: 'processed' | 'failed'): Promise<void> {
  const first = { shard: jobId % shards, processed: 0, failed: 0, [outcome]: 1 }
  await tx
    .insertInto('job_counts')
    .values(first)
    .onConflict((conflict) =>
      conflict.column('shard').doUpdateSet({ [outcome]: sql`${sql.ref(`job_counts.${outcome}`)} + 1` }),
    )
    .execute()
}

/** How many runs have ended well, and how many have failed, since the installation. */
export async function endedRuns(db: Reader): Promise<{ processed: number; failed: number }> {
  const rows = await db.selectFrom('job_counts').select(['processed', 'failed']).execute()
  return {
    processed: rows.reduce((sum, row) => sum + Number(row.processed), 0),
    failed: rows.reduce((sum, row) => sum + Number(row.failed), 0),
  }
}
