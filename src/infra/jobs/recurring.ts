import type { Reader, Tx } from '../database/index.ts'

/** A recurring job. */
export interface Recurring {
  name: string
  seconds: number
  kind: string
  offsetSeconds: number | undefined
}

/** The first due time after `afterMs`. */
export function nextDueMs({ seconds, offsetSeconds }: Recurring, afterMs: number): number {
  const periodMs = seconds * 1000
  if (offsetSeconds === undefined) return afterMs + periodMs
  const phaseMs = offsetSeconds * 1000
  return (Math.floor((afterMs - phaseMs) / periodMs) + 1) * periodMs + phaseMs
}

/** Inserts the row of a recurring job, or updates its period. */
export async function registerRecurring(tx: Tx, recurring: Recurring, nowMs: number): Promise<void> {
  const next = new Date(nextDueMs(recurring, nowMs)).toISOString()
  const row = { name: recurring.name, every_seconds: recurring.seconds, next_run_at: next, last_run_at: null }
  await tx
    .insertInto('recurring_jobs')
    .values(row)
    .onConflict((conflict) => conflict.column('name').doNothing())
    .execute()
  await tx
    .updateTable('recurring_jobs')
    .set({ every_seconds: recurring.seconds, next_run_at: next })
    .where('name', '=', recurring.name)
    .where('every_seconds', '<>', recurring.seconds)
    .execute()
}

/** Names and due times of the recurring jobs that are due. */
export async function dueRecurring(reader: Reader, now: string): Promise<{ name: string; next_run_at: string }[]> {
  return reader.selectFrom('recurring_jobs').select(['name', 'next_run_at']).where('next_run_at', '<=', now).execute()
}

/**
 * Claims a due time for this process: advances the row to the next due time (design §7).
 * @returns false when another process has claimed it
 */
export async function claimRecurring(tx: Tx, recurring: Recurring, dueAt: string, nowMs: number): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('recurring_jobs')
    .set({
      last_run_at: new Date(nowMs).toISOString(),
      next_run_at: new Date(dueAfterMs(recurring, Date.parse(dueAt), nowMs)).toISOString(),
    })
    .where('name', '=', recurring.name)
    .where('next_run_at', '=', dueAt)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** The next due time in the future: whole periods after the last one, so that it does not drift. */
function dueAfterMs(recurring: Recurring, dueMs: number, nowMs: number): number {
  if (recurring.offsetSeconds !== undefined) return nextDueMs(recurring, nowMs)
  const periodMs = recurring.seconds * 1000
  return dueMs + (Math.floor((nowMs - dueMs) / periodMs) + 1) * periodMs
}
