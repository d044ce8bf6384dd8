import type { Reader } from '../../../infra/database/index.ts'
import type { SnippetRow } from '../tables.ts'

/** Each has its content with it. */
const rowsAtOnce = 20

/** Snippets of a project after an id, in the order of the ids. */
export async function projectSnippetsAfter(db: Reader, projectId: number, afterId: number): Promise<SnippetRow[]> {
  const query = db.selectFrom('snippets').selectAll().where('project_id', '=', projectId).where('id', '>', afterId)
  const rows = await query.where('file_name', 'is not', null).orderBy('id').limit(rowsAtOnce).execute()
  return rows as SnippetRow[]
}
