import type { Reader } from '../../../infra/database/index.ts'
import type { ProtectedBranchRow } from '../tables.ts'

const rowsAtOnce = 100

/** The own rules of a project after an id, in the order of the ids. */
export function projectRulesAfter(db: Reader, projectId: number, afterId: number): Promise<ProtectedBranchRow[]> {
  const query = db.selectFrom('protected_branches').selectAll().where('project_id', '=', projectId)
  return query.where('id', '>', afterId).orderBy('id').limit(rowsAtOnce).execute()
}
