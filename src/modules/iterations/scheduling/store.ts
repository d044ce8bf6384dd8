import { type RawBuilder, sql } from 'kysely'
import type { Reader, Tx } from '../../../infra/database/index.ts'
import type { CadenceRow } from '../tables.ts'

/** The last day of the iterations of a cadence; null when there are none. @param begunBy only those that began by this day */
export async function lastDayOf(db: Reader, cadenceId: number, begunBy?: string): Promise<string | null> {
  const all = db.selectFrom('iterations').select((eb) => eb.fn.max('due_date').as('day'))
  const query = begunBy === undefined ? all : all.where('start_date', '<=', begunBy)
  return (await query.where('cadence_id', '=', cadenceId).executeTakeFirst())?.day ?? null
}

/** The ids of the iterations of a cadence that begin after a day, by date. */
export async function upcomingOf(db: Reader, cadenceId: number, today: string): Promise<number[]> {
  const query = db.selectFrom('iterations').select('id').where('cadence_id', '=', cadenceId)
  const rows = await query.where('start_date', '>', today).orderBy('start_date').orderBy('id').execute()
  return rows.map(({ id }) => id)
}

/** Whether a cadence has fewer upcoming iterations than it wants. */
const lacksIterations = (today: string): RawBuilder<boolean> => sql<boolean>`(select count(*) from iterations
  where iterations.cadence_id = iteration_cadences.id and iterations.start_date > ${today}) < iterations_in_advance`

/** Active automatic cadences that lack upcoming iterations, after an id; at most this many. */
export async function lackingCadences(
  db: Reader,
  today: string,
  afterId: number,
  limit: number,
): Promise<CadenceRow[]> {
  return db
    .selectFrom('iteration_cadences')
    .selectAll()
    .where(sql<boolean>`automatic = true and active = true`)
    .where('id', '>', afterId)
    .where(lacksIterations(today))
    .orderBy('id')
    .limit(limit)
    .execute()
}

export type EndedIteration = { id: number; cadence_id: number; due_date: string; roll_over: boolean }

/** Iterations that ended before a day and whose end has not been handled, the earliest first; at most this many. */
export async function endedIterations(db: Reader, today: string, limit: number): Promise<EndedIteration[]> {
  return db
    .selectFrom('iterations')
    .innerJoin('iteration_cadences', 'iteration_cadences.id', 'iterations.cadence_id')
    .select(['iterations.id', 'iterations.cadence_id', 'iterations.due_date', 'iteration_cadences.roll_over'])
    .where(sql<boolean>`iterations.closed = false`)
    .where('iterations.due_date', '<', today)
    .orderBy('iterations.due_date')
    .orderBy('iterations.id')
    .limit(limit)
    .execute()
}

/** Marks the end of an iteration as handled. @returns false when another process has done so */
export async function markClosed(tx: Tx, { id, due_date }: EndedIteration): Promise<boolean> {
  const query = tx.updateTable('iterations').set({ closed: true }).where('id', '=', id).where('closed', '=', false)
  return (await query.where('due_date', '=', due_date).returning('id').executeTakeFirst()) !== undefined
}

/** The first iteration of a cadence after a day. */
export async function firstAfter(db: Reader, cadenceId: number, day: string): Promise<number | null> {
  const query = db.selectFrom('iterations').select('id').where('cadence_id', '=', cadenceId)
  const next = query.where('start_date', '>', day).orderBy('start_date').orderBy('id').limit(1)
  return (await next.executeTakeFirst())?.id ?? null
}
