import { type Page, type PageRequest, pageOfRows } from '../../../api/index.ts'
import { contains, type Reader, rows } from '../../../infra/database/index.ts'
import { featureFlagUserLists, type UserListRow } from '../tables.ts'

export const {
  byIds: userListsByIds,
  insert: insertUserList,
  update: updateUserList,
  remove: deleteUserList,
} = rows(featureFlagUserLists)

/** A page of the lists of a project, by id. @param words which occur in the name, in any case */
export async function pageOfUserLists(
  db: Reader,
  projectId: number,
  words: readonly string[],
  page: PageRequest,
): Promise<Page<UserListRow>> {
  const all = db.selectFrom('feature_flag_user_lists').selectAll().where('project_id', '=', projectId)
  const found = words.reduce((query, word) => query.where(contains('name', word)), all)
  return pageOfRows(db, found.orderBy('id'), page)
}

export async function userListByIid(db: Reader, projectId: number, iid: number): Promise<UserListRow | null> {
  const query = db.selectFrom('feature_flag_user_lists').selectAll().where('project_id', '=', projectId)
  return (await query.where('iid', '=', iid).executeTakeFirst()) ?? null
}

export async function userListByName(db: Reader, projectId: number, name: string): Promise<UserListRow | null> {
  const query = db.selectFrom('feature_flag_user_lists').selectAll().where('project_id', '=', projectId)
  return (await query.where('name', '=', name).executeTakeFirst()) ?? null
}

/** Whether a strategy names the list. */
export async function isInUse(db: Reader, id: number): Promise<boolean> {
  const query = db.selectFrom('feature_flag_strategies').select('id').where('user_list_id', '=', id)
  return (await query.limit(1).executeTakeFirst()) !== undefined
}
