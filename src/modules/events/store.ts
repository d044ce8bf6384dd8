import type { Insertable } from 'kysely'
import { type Reader, rows, type Tx, within } from '../../infra/database/index.ts'
import { type EventRow, type EventsTable, type PushesTable, pushes } from './tables.ts'

export const { byId: pushById } = rows(pushes)

/** Records actions, in the transaction of the action (contract 21, Event). */
export async function insertEvents(tx: Tx, events: readonly Insertable<EventsTable>[]): Promise<void> {
  if (events.length === 0) return
  await tx.insertInto('events').values(events).execute()
  await insertContributions(tx, events)
}

/** Records the projects in which the authors of events have done something. */
async function insertContributions(tx: Tx, events: readonly Insertable<EventsTable>[]): Promise<void> {
  const rows = events.flatMap(({ author_id: user, project_id: project }) => {
    return user && project ? [{ user_id: user, project_id: project }] : []
  })
  if (rows.length === 0) return
  await tx
    .insertInto('contributions')
    .values(rows)
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

export async function insertPush(tx: Tx, push: Insertable<PushesTable>): Promise<number> {
  const { id } = await tx.insertInto('pushes').values(push).returning('id').executeTakeFirstOrThrow()
  return id
}

/** Deletes pushes recorded before this time (ISO text). */
export async function deletePushes(tx: Tx, before: string): Promise<void> {
  await tx.deleteFrom('pushes').where('created_at', '<', before).execute()
}

/** The events about these targets of a type, by the id of the target, oldest first; in one query. */
export async function eventsOfTargets(
  db: Reader,
  type: string,
  ids: readonly number[],
): Promise<ReadonlyMap<number, EventRow[]>> {
  if (ids.length === 0) return new Map()
  const query = db.selectFrom('events').selectAll().where('target_type', '=', type)
  const rows = await query
    .where(within(db, 'target_id', ids))
    .orderBy('id')
    .execute()
  return Map.groupBy(rows, ({ target_id }) => target_id as number)
}

/** Deletes the events about targets, which are deleted. */
export async function deleteEventsOf(tx: Tx, types: readonly string[], ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return
  await tx
    .deleteFrom('events')
    .where('target_type', 'in', [...types])
    .where(within(tx, 'target_id', ids))
    .execute()
}
