import type { Selectable } from 'kysely'
import type { Reader } from '../../../infra/database/index.ts'
import type { IssuableType } from '../issuable.ts'
import { refersToAny } from '../store.ts'
import type { IssuableTimesTable } from '../tables.ts'

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
