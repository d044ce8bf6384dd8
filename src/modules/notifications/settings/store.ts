import type { SelectQueryBuilder } from 'kysely'
import { type Reader, type Tables, type Tx, within } from '../../../infra/database/index.ts'
import '../tables.ts'
import type { NotificationSettingRow } from '../tables.ts'
import type { Level } from './levels.ts'

/** What a setting is for: a project, a group, or everything that has no setting of its own. */
export type Place = { kind: 'project' | 'group'; id: number } | { kind: 'own' }

const keyOf = (place: Place) => ({
  project_id: place.kind === 'project' ? place.id : null,
  namespace_id: place.kind === 'group' ? place.id : null,
})

/** Chooses the setting of a place. */
function at<O>(query: SelectQueryBuilder<Tables, 'notification_settings', O>, place: Place) {
  if (place.kind === 'project') return query.where('project_id', '=', place.id)
  if (place.kind === 'group') return query.where('namespace_id', '=', place.id)
  return query.where('project_id', 'is', null).where('namespace_id', 'is', null)
}

/** The setting of a user at a place; undefined: they have set nothing there. */
export async function settingAt(db: Reader, userId: number, place: Place): Promise<NotificationSettingRow | undefined> {
  const query = db.selectFrom('notification_settings').selectAll().where('user_id', '=', userId)
  return at(query, place).executeTakeFirst()
}

/** The setting of a user at a place, made when there is none, and held until the transaction ends. */
export async function heldSetting(
  tx: Tx,
  userId: number,
  place: Place,
  { level, at: moment }: { level: Level; at: string },
): Promise<NotificationSettingRow> {
  const times = { created_at: moment, updated_at: moment }
  await tx
    .insertInto('notification_settings')
    .values({ ...keyOf(place), user_id: userId, level, ...times })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  const found = await settingAt(tx, userId, place)
  if (!found) throw new Error('a row is missing that was just written')
  // The update takes the lock of the row: of two writers, the second reads what the first has written.
  return tx
    .updateTable('notification_settings')
    .set({ updated_at: moment })
    .where('id', '=', found.id)
    .returningAll()
    .executeTakeFirstOrThrow()
}

/** Stores what was changed of a setting. */
export async function updateSetting(
  tx: Tx,
  id: number,
  changes: Partial<{ level: Level; events: string; notification_email: string | null }>,
): Promise<NotificationSettingRow> {
  const query = tx.updateTable('notification_settings').set(changes).where('id', '=', id)
  return query.returningAll().executeTakeFirstOrThrow()
}

/** The levels that a user has set for these projects, or groups; those without a setting are absent. */
export async function levelsFor(
  db: Reader,
  userId: number,
  kind: 'project' | 'group',
  ids: readonly number[],
): Promise<Map<number, Level>> {
  const column = kind === 'project' ? 'project_id' : 'namespace_id'
  const rows = await db
    .selectFrom('notification_settings')
    .select([`${column} as place_id`, 'level'])
    .where('user_id', '=', userId)
    .where(within(db, column, [...new Set(ids)]))
    .execute()
  return new Map(rows.map(({ place_id, level }) => [place_id ?? 0, level]))
}
