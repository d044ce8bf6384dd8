import type { Insertable } from 'kysely'
import type { Tx } from '../../../infra/database/index.ts'
import { type ChangeOrigin, columnsOf, type IssuableColumns, type IssuableRef } from '../issuable.ts'
import type { EventTable, EventTables } from '../tables.ts'

/** What a kind of events has besides the head of every record. */
type Details<Table extends EventTable> = Omit<
  Insertable<EventTables[Table]>,
  keyof IssuableColumns | 'id' | 'user_id' | 'created_at'
>

/** Stores these events for each of these issuables, in their order. */
export async function insertEvents<Table extends EventTable>(
  tx: Tx,
  table: Table,
  targets: readonly IssuableRef[],
  { userId, at }: ChangeOrigin,
  events: readonly Details<Table>[],
): Promise<void> {
  const rows = targets.flatMap((target) =>
    events.map((event) => ({ ...columnsOf(target), ...event, user_id: userId, created_at: at })),
  )
  if (rows.length > 0)
    await tx
      .insertInto(table)
      .values(rows as never)
      .execute()
}
