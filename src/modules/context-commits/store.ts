import { type PageRequest, pageOfRows } from '../../api/index.ts'
import { type Reader, rows, type Tx, within } from '../../infra/database/index.ts'
import { contextCommits } from './tables.ts'

export const { insertAll: insertContextCommits } = rows(contextCommits)

/** A page of the context commits of a merge request, newest first. */
export function pageOfContextCommits(db: Reader, mergeRequestId: number, page: PageRequest) {
  const query = db.selectFrom('context_commits').selectAll().where('merge_request_id', '=', mergeRequestId)
  return pageOfRows(db, query.orderBy('committed_at', 'desc').orderBy('id', 'desc'), page)
}

/** Those of these commits that are context commits of a merge request. */
export async function contextAmong(db: Reader, mergeRequestId: number, shas: readonly string[]): Promise<Set<string>> {
  const query = db.selectFrom('context_commits').select('sha').where('merge_request_id', '=', mergeRequestId)
  const found = await query.where(within(db, 'sha', shas)).execute()
  return new Set(found.map(({ sha }) => sha))
}

export async function deleteContextCommits(tx: Tx, mergeRequestId: number, shas: readonly string[]): Promise<void> {
  const query = tx.deleteFrom('context_commits').where('merge_request_id', '=', mergeRequestId)
  await query.where(within(tx, 'sha', shas)).execute()
}
