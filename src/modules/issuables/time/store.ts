import { type Insertable, type Selectable, sql } from 'kysely'
import type { Reader, Tx } from '../../../infra/database/index.ts'
import { columnsOf, type IssuableRef, type IssuableType } from '../issuable.ts'
import { refersTo, refersToAny } from '../store.ts'
import type { IssuableTimesTable, TimeLogsTable } from '../tables.ts'

/** The seconds that were estimated and spent. */
export type Times = Pick<Selectable<IssuableTimesTable>, 'time_estimate' | 'total_time_spent'>

/** The times of each of these issuables, in one query; those without time tracking are absent. */
export async function timesOf(
  db: Reader,
  type: IssuableType,
  ids: readonly number[],
): Promise<ReadonlyMap<number, Times>> {
  if (ids.length === 0) return new Map()
  const query = db.selectFrom('issuable_times').select(['issuable_id', 'time_estimate', 'total_time_spent'])
  const rows = await query.where(refersToAny(db, type, ids)).execute()
  return new Map(rows.map(({ issuable_id, ...times }) => [issuable_id, times]))
}

/** Sets the estimate of an issuable. */
export async function setEstimate(tx: Tx, target: IssuableRef, time_estimate: number): Promise<void> {
  await tx
    .insertInto('issuable_times')
    .values({ ...columnsOf(target), time_estimate })
    .onConflict((conflict) => conflict.columns(['issuable_type', 'issuable_id']).doUpdateSet({ time_estimate }))
    .execute()
}

/** Sets the spent time of an issuable, and logs the difference. */
export async function setSpent(
  tx: Tx,
  target: IssuableRef,
  total_time_spent: number,
  log: { userId: number; at: string; seconds: number; summary: string | null },
): Promise<void> {
  const { userId, at, seconds, summary } = log
  await tx
    .insertInto('issuable_times')
    .values({ ...columnsOf(target), total_time_spent })
    .onConflict((conflict) => conflict.columns(['issuable_type', 'issuable_id']).doUpdateSet({ total_time_spent }))
    .execute()
  const row = { ...columnsOf(target), user_id: userId, created_at: at, time_spent: seconds, summary }
  await tx.insertInto('time_logs').values(row).execute()
}

/** Gives an issuable the estimate and the time logs of another one. */
export async function copyTimes(tx: Tx, from: Pick<IssuableRef, 'type' | 'id'>, to: IssuableRef): Promise<void> {
  const { issuable_type, issuable_id, project_id, group_id } = columnsOf(to)
  const target = sql`${issuable_type}, cast(${issuable_id} as bigint), cast(${project_id} as bigint), cast(${group_id} as bigint)`
  await sql`insert into issuable_times (issuable_type, issuable_id, project_id, group_id, time_estimate, total_time_spent)
    select ${target}, time_estimate, total_time_spent from issuable_times where ${refersTo(from)}`.execute(tx)
  await sql`insert into time_logs (issuable_type, issuable_id, project_id, group_id, user_id, created_at, time_spent, summary)
    select ${target}, user_id, created_at, time_spent, summary from time_logs where ${refersTo(from)} order by id`.execute(
    tx,
  )
}

/** A time log without what it belongs to. */
type ImportedLog = Pick<Insertable<TimeLogsTable>, 'user_id' | 'created_at' | 'time_spent' | 'summary'>

/** Stores the times of an imported issuable; the time spent is the sum of the logs. */
export async function importTimes(
  tx: Tx,
  target: IssuableRef,
  time_estimate: number,
  logs: readonly ImportedLog[],
): Promise<void> {
  const total_time_spent = Math.max(
    0,
    logs.reduce((sum, log) => sum + Number(log.time_spent), 0),
  )
  if (time_estimate === 0 && logs.length === 0) return
  const columns = columnsOf(target)
  await tx
    .insertInto('issuable_times')
    .values({ ...columns, time_estimate, total_time_spent })
    .execute()
  if (logs.length === 0) return
  await tx
    .insertInto('time_logs')
    .values(logs.map((log) => ({ ...columns, ...log })))
    .execute()
}
