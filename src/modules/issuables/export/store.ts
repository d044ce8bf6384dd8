import type { Selectable } from 'kysely'
import type { Reader } from '../../../infra/database/index.ts'
import type { IssuableType } from '../issuable.ts'
import { refersToAny } from '../store.ts'
import type { EventRow, EventTable, TimeLogsTable } from '../tables.ts'

/** The events of one kind of these issuables, by issuable, oldest first. */
export async function eventsOf<Table extends EventTable>(
  db: Reader,
  table: Table,
  type: IssuableType,
  ids: readonly number[],
): Promise<ReadonlyMap<number, EventRow<Table>[]>> {
  const query = db.selectFrom(table as 'resource_label_events').selectAll()
  const rows = await query
    .where(refersToAny(db, type, ids))
    .orderBy('id')
    .execute()
  return Map.groupBy(rows as EventRow<EventTable>[] as EventRow<Table>[], ({ issuable_id }) => issuable_id)
}

/** The time logs of these issuables, by issuable, oldest first. */
export async function timeLogsOf(
  db: Reader,
  type: IssuableType,
  ids: readonly number[],
): Promise<ReadonlyMap<number, Selectable<TimeLogsTable>[]>> {
  const rows = await db
    .selectFrom('time_logs')
    .selectAll()
    .where(refersToAny(db, type, ids))
    .orderBy('id')
    .execute()
  return Map.groupBy(rows, ({ issuable_id }) => issuable_id)
}
