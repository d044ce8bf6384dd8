import { type Reader, rows } from '../../../infra/database/index.ts'
import { type PullMirrorRow, pullMirrors } from '../tables.ts'

export const { insert: insertPullMirror, update: updatePullMirror } = rows(pullMirrors)

export async function pullMirrorOf(db: Reader, projectId: number): Promise<PullMirrorRow | null> {
  const query = db.selectFrom('pull_mirrors').selectAll().where('project_id', '=', projectId)
  return (await query.executeTakeFirst()) ?? null
}
