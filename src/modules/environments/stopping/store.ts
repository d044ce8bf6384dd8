import { sql } from 'kysely'
import type { Reader } from '../../../infra/database/index.ts'
import type { EnvironmentRow } from '../tables.ts'

/** As a condition: whether environments are due to be stopped, waited for too long, or to be deleted. */
export const anyIsDue = (moment: string, stoppingSince: string) => sql<boolean>`(
  exists (select 1 from environments where auto_stop_at <= ${moment})
  or exists (select 1 from environments where stopping_since <= ${stoppingSince})
  or exists (select 1 from environments where delete_at <= ${moment}))`

/** Columns with the time at which something is done with an environment. */
export type DueColumn = 'auto_stop_at' | 'stopping_since' | 'delete_at'

/** The environments whose time has come, the most overdue first. @param after the last one of the portion before */
export function dueBy(
  db: Reader,
  { column, moment, after }: { column: DueColumn; moment: string; after?: EnvironmentRow | undefined },
  limit: number,
): Promise<EnvironmentRow[]> {
  let query = db.selectFrom('environments').selectAll().where(column, '<=', moment)
  if (after) query = query.where((eb) => eb(eb.refTuple(column, 'id'), '>', eb.tuple(after[column] ?? '', after.id)))
  return query.orderBy(column).orderBy('id').limit(limit).execute()
}

/** The available environments of a project that were not changed since a moment, in portions by id. */
export function unchangedSince(
  db: Reader,
  { projectId, before, afterId }: { projectId: number; before: string; afterId: number },
  limit: number,
): Promise<EnvironmentRow[]> {
  return db
    .selectFrom('environments')
    .selectAll()
    .where('project_id', '=', projectId)
    .where('state', '=', 'available')
    .where('id', '>', afterId)
    .where('updated_at', '<', before)
    .orderBy('id')
    .limit(limit)
    .execute()
}
