import { sql } from 'kysely'
import { type Page, type PageRequest, pageOfRows } from '../../../api/index.ts'
import { anyContains, type Reader, type Tx } from '../../../infra/database/index.ts'
import { isSelected } from '../../access/index.ts'
import type { UserRow } from '../../users/index.ts'
import type { Scope } from '../lists/store/scopes.ts'

/** Projects that a user has starred. */
export function starredBy(db: Reader, userId: number): Scope {
  const starred = sql`select s.project_id from project_stars s where s.user_id = ${userId}`
  return [{ condition: isSelected(db, sql.ref('projects.id'), starred) }]
}

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
    .values({ project_id: projectId, user_id: userId, created_at: now })
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
    .innerJoin('users', 'users.id', 'project_stars.user_id')
    .where('project_stars.project_id', '=', projectId)
    .where('users.state', '=', 'active')
    .where('users.removed_at', 'is', null)
  const open =
    userId === null
      ? query
      : query.where((eb) => eb.or([eb('users.private_profile', '=', false), eb('users.id', '=', userId)]))
  if (!search) return open
  return open.where(anyContains(['users.name', 'users.username'], search))
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
