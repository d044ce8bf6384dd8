import { type RawBuilder, sql } from 'kysely'
import type { Reader, Tx } from '../../database/index.ts'
import type { Period } from '../types.ts'

/** The first due time after `afterMs`. */
export function nextDueMs({ seconds, offsetSeconds }: Period, afterMs: number): number {
  const periodMs = seconds * 1000
  if (offsetSeconds === undefined) return afterMs + periodMs
  const phaseMs = offsetSeconds * 1000
  return (Math.floor((afterMs - phaseMs) / periodMs) + 1) * periodMs + phaseMs
}

/** Inserts the row of a recurring job, or updates its period. */
export async function registerRecurring(tx: Tx, name: string, period: Period, nowMs: number): Promise<void> {
  const next = new Date(nextDueMs(period, nowMs)).toISOString()
  const row = { name, every_seconds: period.seconds, next_run_at: next, last_run_at: null }
  await tx
    .insertInto('recurring_jobs')
    .values(row)
    .onConflict((conflict) => conflict.column('name').doNothing())
    .execute()
  await tx
    .updateTable('recurring_jobs')
    .set({ every_seconds: period.seconds, next_run_at: next })
    .where('name', '=', name)
    .where('every_seconds', '<>', period.seconds)
    .execute()
}

/** A recurring job that is due; its name is that of the kind. */
export interface Due {
  name: string
  next_run_at: string
}

/** How much the clocks of processes may differ. */
export const SKEW_MS = 60_000

/**
 * Lists the recurring jobs that are due. So is one whose due time is further away than its own period: the clock was ahead when
 * it was set.
 * @returns them, and the next due time of the others
 */
export async function dueRecurring(reader: Reader, nowMs: number): Promise<{ due: Due[]; nextMs: number }> {
  const recurring = reader.selectFrom('recurring_jobs').select(['name', 'next_run_at', 'every_seconds'])
  // In one order, for several processes lock them.
  const rows = await recurring.orderBy('name').execute()
  const due = rows.filter(({ next_run_at, every_seconds }) => {
    const waitMs = Date.parse(next_run_at) - nowMs
    return waitMs <= 0 || waitMs > every_seconds * 1000 + SKEW_MS
  })
  const nextMs = rows.map(({ next_run_at }) => Date.parse(next_run_at)).filter((dueMs) => dueMs > nowMs)
  return { due, nextMs: Math.min(...nextMs) }
}

/** Which of these conditions are true, by their names; in one query. */
export async function trueAmong(reader: Reader, conditions: ReadonlyMap<string, RawBuilder<boolean>>) {
  if (conditions.size === 0) return new Set<string>()
  const parts = [...conditions].map(([name, condition]) => sql`select ${sql.lit(name)} as name where ${condition}`)
  const query = sql<{ name: string }>`${sql.join(parts, sql` union all `)}`
  const { rows } = await reader.executeQuery(query.compile(reader as never))
  return new Set(rows.map(({ name }) => name))
}

/**
 * Claims a due time for this process: advances the row to the next due time (design §7).
 * @returns false when another process has claimed it
 */
export async function claimRecurring(
  tx: Tx,
  { name, next_run_at: dueAt }: Due,
  period: Period,
  nowMs: number,
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('recurring_jobs')
    .set({
      last_run_at: new Date(nowMs).toISOString(),
      next_run_at: new Date(dueAfterMs(period, Date.parse(dueAt), nowMs)).toISOString(),
    })
    .where('name', '=', name)
    .where('next_run_at', '=', dueAt)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** The next due time in the future, in milliseconds since 1970: whole periods after the last one, so that it does not drift. */
export function dueAfterMs(period: Period, dueMs: number, nowMs: number): number {
  if (period.offsetSeconds !== undefined || dueMs > nowMs) return nextDueMs(period, nowMs)
  const periodMs = period.seconds * 1000
  return dueMs + (Math.floor((nowMs - dueMs) / periodMs) + 1) * periodMs
}
