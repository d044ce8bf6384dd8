import type { Reader } from '../../../infra/database/index.ts'
import type { FlagRow } from '../tables.ts'

/** The flags of a project, by id. */
export async function flagsOfProject(db: Reader, projectId: number): Promise<FlagRow[]> {
  return db.selectFrom('feature_flags').selectAll().where('project_id', '=', projectId).orderBy('id').execute()
}
