import { allScopes, forbidden, notFound, type UserActor } from '../../api/index.ts'
import { claim, type Tx } from '../../infra/database/index.ts'
import { type Platform, recordAct } from '../../platform/index.ts'
import { accountProblem, actorOf } from '../tokens/index.ts'
import { type UserRow, userById } from '../users/index.ts'
import * as store from './store.ts'
import type { SessionRow } from './tables.ts'

/** A caller who only looks writes nothing. */
const scopesOfLook = allScopes.filter((scope) => scope.startsWith('read_'))

/** Why the pages are not shown as a user sees them; null when they may be. */
async function lookProblem({ settings }: Platform, user: UserRow): Promise<string | null> {
  if (user.is_admin) return 'The pages are not shown as an administrator sees them'
  return accountProblem({ ...user, user_id: user.id }, await settings.current())
}

/**
 * The user as whom the administrator of a session looks at the pages, without the right to write. A look ends where the caller
 * is no administrator any more, and where the user has become one or may not use the account.
 * @returns null for none
 */
export async function lookOf(
  platform: Platform,
  administrator: UserActor,
  { id, viewed_user_id: userId }: SessionRow,
): Promise<UserActor | null> {
  if (userId === null) return null
  const { database, settings } = platform
  const user = administrator.administrator ? await userById(database.read, userId) : null
  if (!user || (await lookProblem(platform, user))) {
    await database.write((tx) => store.setViewed(tx, id, null))
    return null
  }
  const credential = { kind: 'session', id, scopes: scopesOfLook } as const
  return actorOf(platform, { ...user, user_id: user.id }, credential, await settings.current())
}

/** An administrator who is signed in, and the user as whom the administrator looks at the pages. */
type Looking = { actor: UserActor; session: SessionRow; look: UserActor | null }

async function recordLook(platform: Platform, tx: Tx, actor: UserActor, name: string, userId: number) {
  await recordAct(platform, tx, actor, { name, target: { kind: 'user', id: userId } })
}

/**
 * Lets an administrator look at the pages as a user sees them, until the look or the session ends. It is recorded in the audit
 * trail.
 * @throws ApiError 403 for others than administrators, during another look, for administrators and accounts that may not be used; 404
 */
export async function beginLook(platform: Platform, found: Looking | null, userId: number): Promise<void> {
  if (!found?.actor.administrator || found.look) throw forbidden()
  const { actor, session } = found
  await platform.database.write(async (tx) => {
    const user = await claim(tx, 'users', () => userById(tx, userId))
    if (!user) throw notFound('User')
    const problem = await lookProblem(platform, user)
    if (problem) throw forbidden(problem)
    await store.setViewed(tx, session.id, user.id)
    await recordLook(platform, tx, actor, 'sessions.look', user.id)
  })
}

/** Ends the look of a session; of one without it nothing. */
export async function endLook(platform: Platform, found: Looking | null): Promise<void> {
  if (!found?.look) return
  const { actor, session, look } = found
  await platform.database.write(async (tx) => {
    await store.setViewed(tx, session.id, null)
    await recordLook(platform, tx, actor, 'sessions.end_look', look.userId)
  })
}
