import { type Actor, dayOf, notFound } from '../../../api/index.ts'
import type { Reader } from '../../../infra/database/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { userById, userByIdOrUsername } from '../store.ts'
import type { UserRow } from '../tables.ts'
import { isKnownToExternal } from './store/visibility.ts'

type Reading = Pick<Platform, 'database' | 'clock'>

/** Finds a user by id, or by a text that is an id or a username. @throws ApiError 404 */
export async function requireUser(db: Reader, user: number | string): Promise<UserRow> {
  const row = await (typeof user === 'number' ? userById(db, user) : userByIdOrUsername(db, user))
  if (!row) throw notFound('User')
  return row
}

/** Whether a caller may see a user: external callers see only users with whom they share a membership (contract 20 R9). */
export async function isVisibleUser({ database, clock }: Reading, user: UserRow, actor: Actor): Promise<boolean> {
  if (actor.kind !== 'user' || !actor.external || actor.administrator || actor.userId === user.id) return true
  return isKnownToExternal(database.read, user, actor.userId, dayOf(clock.now()))
}

/** As `requireUser`, for users that the caller may see. @throws ApiError 404 */
export async function requireVisibleUser(platform: Reading, user: number | string, actor: Actor): Promise<UserRow> {
  const row = await requireUser(platform.database.read, user)
  if (!(await isVisibleUser(platform, row, actor))) throw notFound('User')
  return row
}
