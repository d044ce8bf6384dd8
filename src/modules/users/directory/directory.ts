import {
  type Actor,
  dayOf,
  forbidden,
  isAdministrator,
  limitRequests,
  notFound,
  type PageRequest,
  type Static,
  unauthorized,
} from '../../../api/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { identityOf } from '../accounts/rules.ts'
import { userById, usersByIds } from '../store.ts'
import { isVisibleUser } from './lookup.ts'
import type { UserFilterParams } from './params.ts'
import { ListedUser, OwnUser, SingleUser, userView } from './present.ts'
import { pageOfUsers, type Reader } from './store/list.ts'

/** @throws ApiError 401 or 403, or 400 for half of an identity */
function requireListAccess(actor: Actor, params: UserFilterParams): void {
  if (actor.kind === 'anonymous' && !params.username) throw forbidden('Not authorized to access /api/v4/users')
  const asksForIdentity = params.extern_uid !== undefined || params.provider !== undefined
  if (!asksForIdentity) return
  if (!isAdministrator(actor)) throw actor.kind === 'anonymous' ? unauthorized() : forbidden()
  identityOf(params)
}

function readerOf(actor: Actor, today: string): Reader {
  if (isAdministrator(actor)) return 'administrator'
  return actor.kind === 'user' && actor.external ? { externalUserId: actor.userId, today } : 'anyone'
}

/** A page of the users that the caller may see (contract 20 R9). @throws ApiError 401 or 403 */
export async function listUsers(platform: Platform, params: UserFilterParams, actor: Actor, page: PageRequest) {
  requireListAccess(actor, params)
  const reader = readerOf(actor, dayOf(platform.clock.now()))
  const found = await pageOfUsers(platform.database.read, params, reader, page)
  const view = await userView(platform, actor, { withAttributes: params.with_custom_attributes })
  return { ...found, items: await ListedUser.presentAll(found.items, view) }
}

const tenMinutesInSeconds = 600

/** Whether a text names a user: names stand apart by lines, commas or blanks. */
export const isListed = (text: string, username: string): boolean =>
  text.split(/[\s,]+/).some((name) => name.toLowerCase() === username.toLowerCase())

/**
 * Counts the reads of single users, so that only administrators can enumerate all accounts (contract 20, x.users_get).
 * @throws ApiError 429
 */
async function countRead(platform: Platform, actor: Actor): Promise<void> {
  if (actor.kind !== 'user' || actor.administrator) return
  const { users_get_by_id_limit: requests, users_get_by_id_limit_allowlist_raw: listed } =
    await platform.settings.current()
  if (isListed(listed, actor.username)) return
  await limitRequests(platform, actor.userId, { name: 'users_get_by_id', requests, periodSeconds: tenMinutesInSeconds })
}

/** @throws ApiError 404, or 429 after too many reads */
export async function getUser(
  platform: Platform,
  id: number,
  actor: Actor,
  options: { withAttributes?: boolean } = {},
): Promise<Static<typeof SingleUser>> {
  const user = await userById(platform.database.read, id)
  const isFound = user !== null && (await isVisibleUser(platform, user, actor))
  // Reads that find nothing count as well: otherwise ids could be guessed without limit.
  await countRead(platform, actor)
  if (!isFound) throw notFound('User')
  return SingleUser.presentOne(user, await userView(platform, actor, options))
}

/** The caller's own account. @throws ApiError 401 */
export async function getOwnUser(platform: Platform, actor: Actor): Promise<Static<typeof OwnUser>> {
  const user = actor.kind === 'user' ? await userById(platform.database.read, actor.userId) : null
  if (!user) throw unauthorized()
  return OwnUser.presentOne(user, await userView(platform, actor))
}

/**
 * Users at level U by id, with what the reader may see of their profiles (contract 20, User). Of users that other objects
 * show, with a fixed number of queries.
 * @param options whether they have what administrators see
 */
export async function presentSingles(
  platform: Platform,
  reader: Actor,
  ids: readonly number[],
  { isWhole = false }: { isWhole?: boolean } = {},
): Promise<ReadonlyMap<number, Static<typeof SingleUser>>> {
  const users = [...(await usersByIds(platform.database.read, ids)).values()]
  const presented = await SingleUser.presentAll(users, await userView(platform, reader, { isWhole }))
  return new Map(presented.map((user) => [user.id, user]))
}
