import { type Actor, notFound } from '../../../api/index.ts'
import type { Reader } from '../../../infra/database/index.ts'
import { userById, userByIdOrUsername } from '../store.ts'
import type { UserRow } from '../tables.ts'
import { isKnownToExternal } from './store/visibility.ts'

/** Finds a user by id, or by a text that is an id or a username. @throws ApiError 404 */
export async function requireUser(db: Reader, user: number | string): Promise<UserRow> {
  const row = await (typeof user === 'number' ? userById(db, user) : userByIdOrUsername(db, user))
  if (!row) throw notFound('User')
  return row
}

/** Whether a caller may see a user: external callers see only users with whom they share a membership (contract 20 R9). */
export async function isVisibleUser(db: Reader, user: UserRow, actor: Actor): Promise<boolean> {
  if (actor.kind !== 'user' || !actor.external || actor.administrator || actor.userId === user.id) return true
  return isKnownToExternal(db, user, actor.userId)
}

/** As `requireUser`, for users that the caller may see. @throws ApiError 404 */
export async function requireVisibleUser(db: Reader, user: number | string, actor: Actor): Promise<UserRow> {
  const row = await requireUser(db, user)
  if (!(await isVisibleUser(db, row, actor))) throw notFound('User')
  return row
}
