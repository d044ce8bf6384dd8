import { sql } from 'kysely'
import type { Reader } from '../../../infra/database/index.ts'
import type { EnvironmentRow } from '../tables.ts'

/** As a condition: whether environments are due to be stopped, waited for too long, or to be deleted. */
export const anyIsDue = (moment: string, stoppingSince: string) => sql<boolean>`(
  exists (select 1 from environments where auto_stop_at <= ${moment})
  or exists (select 1 from environments where stopping_since <= ${stoppingSince})
  or exists (select 1 from environments where delete_at <= ${moment}))`

/** The environments whose time has come, the most overdue first. */
export function dueBy(
  db: Reader,
  column: 'auto_stop_at' | 'stopping_since' | 'delete_at',
  moment: string,
  limit: number,
): Promise<EnvironmentRow[]> {
  const query = db.selectFrom('environments').selectAll().where(column, '<=', moment)
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
