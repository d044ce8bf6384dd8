import {
  type Actor,
  failure,
  isAdministrator,
  notFound,
  type Page,
  type PageRequest,
  requireSignedIn,
} from '../../../api/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { requireVisibleUser } from '../directory/lookup.ts'
import { presentUserBasic } from '../directory/present.ts'
import { presentingUsers } from '../directory/presenting.ts'
import { deleteFollow, insertFollow, pageOfFollows, type Side } from './store.ts'

/**
 * Makes the caller follow a user, or stop following them (contract 20, x.users_follow, x.users_unfollow).
 * @returns the user, and whether anything changed
 * @throws ApiError 404; 400 for the caller themselves
 */
export async function changeFollowing(platform: Platform, actor: Actor, id: number, change: 'follow' | 'unfollow') {
  const { userId } = requireSignedIn(actor)
  const { database } = platform
  const user = await requireVisibleUser(platform, id, actor)
  if (change === 'follow' && user.id === userId) throw failure(400, "You can't follow yourself")
  const write = change === 'follow' ? insertFollow : deleteFollow
  const isChanged = await database.write((tx) => write(tx, userId, user.id))
  return { isChanged, user: presentUserBasic(user, await presentingUsers(platform)) }
}

/**
 * A page of the followers of a user, or of the users whom they follow (contract 20, x.users_followers, x.users_following).
 * @throws ApiError 404, also for a private profile, whose followers are hidden (contract 20 R9)
 */
export async function listFollows(platform: Platform, actor: Actor, id: number, side: Side, page: PageRequest) {
  const { read } = platform.database
  const user = await requireVisibleUser(platform, id, actor)
  const isTrusted = isAdministrator(actor) || requireSignedIn(actor).userId === user.id
  if (user.private_profile && !isTrusted) throw notFound('User')
  const found = await pageOfFollows(read, side, user.id, page)
  const presenting = await presentingUsers(platform)
  return { ...found, items: found.items.map((row) => presentUserBasic(row, presenting)) } satisfies Page<unknown>
}
