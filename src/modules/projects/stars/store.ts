import { type Page, type PageRequest, pageOfRows } from '../../../api/index.ts'
import type { Reader, Tx } from '../../../infra/database/index.ts'
import { isNamed, type UserRow } from '../../users/index.ts'

/** Removes all stars of a user. */
export async function deleteStarsOf(tx: Tx, userId: number): Promise<void> {
  const starred = tx.selectFrom('project_stars').select('project_id').where('user_id', '=', userId)
  await tx
    .updateTable('projects')
    .set((eb) => ({ star_count: eb('star_count', '-', 1) }))
    .where('id', 'in', starred)
    .execute()
  await tx.deleteFrom('project_stars').where('user_id', '=', userId).execute()
}

/** Stars a project for a user. @returns the number of stars added */
export async function insertStar(tx: Tx, projectId: number, userId: number, now: string): Promise<number> {
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('project_stars')
    .columns(['project_id', 'user_id', 'created_at'])
    .expression((eb) =>
      eb
        .selectFrom('projects')
        .select(['id', eb.val(userId).as('user_id'), eb.val(now).as('created_at')])
        .where('id', '=', projectId),
    )
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst()
  return Number(numInsertedOrUpdatedRows ?? 0n)
}

/** Removes a user's star. @returns the number of stars removed */
export async function deleteStar(tx: Tx, projectId: number, userId: number): Promise<number> {
  const query = tx.deleteFrom('project_stars').where('project_id', '=', projectId).where('user_id', '=', userId)
  return Number((await query.executeTakeFirst()).numDeletedRows)
}

type StarrerFilter = {
  /** Part of the name or the user name. */
  search?: string
  /** Of the private profiles only this user's; all of them when null. */
  privateOnlyOf: number | null
}

function starrersOf(db: Reader, projectId: number, { search, privateOnlyOf: userId }: StarrerFilter) {
  const query = db
    .selectFrom('project_stars')
    // SQLite, which has no statistics, would start at all users who are active.
    .crossJoin('users')
    .whereRef('users.id', '=', 'project_stars.user_id')
    .where('project_stars.project_id', '=', projectId)
    .where('users.state', '=', 'active')
    .where('users.removed_at', 'is', null)
  const open =
    userId === null
      ? query
      : query.where((eb) => eb.or([eb('users.private_profile', '=', false), eb('users.id', '=', userId)]))
  if (!search) return open
  return open.where(isNamed(search))
}

/** A page of the users who starred a project, by id. */
export async function pageOfStarrers(
  db: Reader,
  projectId: number,
  filter: StarrerFilter,
  page: PageRequest,
): Promise<Page<UserRow & { starred_since: string }>> {
  const query = starrersOf(db, projectId, filter)
    .selectAll('users')
    .select('project_stars.created_at as starred_since')
    .orderBy('users.id')
  return pageOfRows(db, query, page)
}
