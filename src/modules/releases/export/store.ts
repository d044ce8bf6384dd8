import type { Reader } from '../../../infra/database/index.ts'
import type { ReleaseRow } from '../tables.ts'

const rowsAtOnce = 100

/** Releases of a project after an id, in the order of the ids. */
export function releasesAfter(db: Reader, projectId: number, afterId: number): Promise<ReleaseRow[]> {
  const query = db.selectFrom('releases').selectAll().where('project_id', '=', projectId).where('id', '>', afterId)
  return query.orderBy('id').limit(rowsAtOnce).execute()
}
