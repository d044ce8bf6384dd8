import { type Actor, ApiError, conflict, dayOf, forbidden } from '../../../api/index.ts'
import { now, type Tx } from '../../../infra/database/index.ts'
import { enqueue, type Job, type Platform, react, recordAct } from '../../../platform/index.ts'
import { groupsDependingOn } from '../../access/index.ts'
import { deleteRoutesOf, moveNamespace, namespaceOfUser } from '../../namespaces/index.ts'
import { lockAccounts, requireOtherAdministrator } from '../accounts/administrators.ts'
import { removeAvatars } from '../avatars/avatars.ts'
import { requireUser } from '../directory/lookup.ts'
import { deleteEmailsOf } from '../emails/store.ts'
import { updateUser, userById } from '../store.ts'
import type { UserRow } from '../tables.ts'
import { deleteIdentitiesOf, deleteRemovedUser, hasProjects } from './store.ts'

declare module '../../../platform/platform.ts' {
  interface Questions {
    /** Removes the projects in a user's personal namespace, with their repositories. May run again. */
    'users.remove_projects'(userId: number): Promise<void>
    /** Removes a group and its contents. May run again, also for a group that is gone. */
    'users.remove_group'(groupId: number): Promise<void>
  }
  interface Events {
    /**
     * Contributions of the user are deleted (`hard`), or move to the ghost user (see `ghostUserId`). In the transaction that
     * deletes the user's row. May run again.
     */
    'user.removed': { userId: number; hard: boolean }
    /** The user is gone for all callers: credentials and memberships are deleted. The names are those that are free now. */
    'user.removal_began': { userId: number; former: { username: string; email: string } }
  }
}

type Removal = { userId: number; hard: boolean; groupIds: number[] }

/** Renames the account and deletes its paths, so that its username, e-mail address and paths are free at once. */
async function freeNames(platform: Platform, tx: Tx, user: UserRow): Promise<void> {
  const moment = now(platform.clock)
  // No other user can have this name: valid usernames do not begin with a dash.
  const name = `-removed-${user.id}`
  await updateUser(tx, user.id, {
    username: name,
    email: `${name}@invalid`,
    public_email: null,
    is_admin: false,
    removed_at: moment,
    updated_at: moment,
  })
  const namespace = await namespaceOfUser(tx, user.id)
  if (!namespace) return
  await deleteRoutesOf(tx, namespace.id)
  await moveNamespace(platform, tx, namespace, { name: namespace.name, path: name, parent: null })
}

/** Removes a user for all readers, and enqueues the rest. @throws ApiError 409 for the sole owner of a group unless `hard` */
async function beginRemoval(platform: Platform, tx: Tx, user: UserRow, hard: boolean): Promise<void> {
  const dependent = await groupsDependingOn(tx, user.id, dayOf(platform.clock.now()))
  if (!hard && dependent.length > 0) throw conflict('User cannot be removed while is the sole-owner of a group')
  await freeNames(platform, tx, user)
  await deleteIdentitiesOf(tx, user.id)
  await deleteEmailsOf(tx, user.id)
  await react(platform, tx, 'user.removal_began', {
    userId: user.id,
    former: { username: user.username, email: user.email },
  })
  // No owner loses a group by the removal of another one.
  const groupIds = dependent.flatMap(({ id, isAlone }) => (isAlone ? id : []))
  await enqueue(platform, tx, removeUserJob, { userId: user.id, hard, groupIds }, { uniqueKey: String(user.id) })
}

/** Removes the projects, groups and contributions of a deleted user, then its row. */
export const removeUserJob: Job<Removal> = {
  kind: 'users.remove',
  async run(platform, { userId, hard, groupIds }) {
    const { ports, database } = platform
    await ports['users.remove_projects'](platform, userId)
    if (hard) for (const groupId of groupIds) await ports['users.remove_group'](platform, groupId)
    await removeAvatars(platform, 'user', userId)
    await database.write(async (tx) => {
      await react(platform, tx, 'user.removed', { userId, hard })
      const namespace = await namespaceOfUser(tx, userId)
      // Deleting the namespace would orphan repositories; the job runs again instead.
      if (await hasProjects(tx, namespace?.id ?? 0)) throw new Error(`user ${userId} still has projects`)
      await deleteRemovedUser(tx, userId)
    })
  },
}

/**
 * Deletes a user (contract 20, x.users_delete).
 * @param hard whether contributions are deleted instead of moved to the ghost user
 * @throws ApiError 404, 409, 412, or 403 for the ghost user
 */
export async function removeUser(
  platform: Platform,
  id: number,
  { hard, actor, unmodified }: { hard: boolean; actor: Actor; unmodified(at: string): void },
): Promise<void> {
  await platform.database.write(async (tx) => {
    await lockAccounts(tx)
    const user = await requireUser(tx, id)
    unmodified(user.updated_at)
    if (user.bot_kind === 'ghost') throw forbidden()
    if (actor.kind === 'user' && actor.userId === user.id) throw conflict()
    await requireOtherAdministrator(tx, user)
    await beginRemoval(platform, tx, user, hard)
    const changed = hard ? { hard_delete: hard } : {}
    await recordAct(platform, tx, actor, { name: 'users.delete', target: { kind: 'user', id: user.id }, changed })
  })
}

/**
 * Deletes a user who is pending approval (contract 20, x.users_reject).
 * @throws ApiError 404 or 409
 */
export async function rejectUser(platform: Platform, id: number, actor: Actor): Promise<void> {
  await platform.database.write(async (tx) => {
    await lockAccounts(tx)
    const user = await requireUser(tx, id)
    if (user.state !== 'blocked_pending_approval') throw conflict('User does not have a pending request')
    await beginRemoval(platform, tx, user, true)
    await recordAct(platform, tx, actor, { name: 'users.reject', target: { kind: 'user', id: user.id } })
  })
}

/**
 * Deletes a user whom no request deletes, as a setting demands. Contributions move to the ghost user.
 * @param isDue whether the user is still to be deleted, asked while accounts are locked
 * @returns false when that is not so, or the user is the sole owner of a group
 */
async function removeUserIfDue(
  platform: Platform,
  id: number,
  isDue: (tx: Tx, user: UserRow) => boolean | Promise<boolean>,
): Promise<boolean> {
  const removing = platform.database.write(async (tx) => {
    await lockAccounts(tx)
    const user = await userById(tx, id)
    if (!user || !(await isDue(tx, user))) return false
    await beginRemoval(platform, tx, user, false)
    return true
  })
  return removing.catch((error: unknown) => {
    if (error instanceof ApiError && error.status === 409) return false
    throw error
  })
}

const portion = 100

/**
 * Deletes the users that a query names, in portions.
 * @param find ids of users to delete above an id, by id
 * @param isDue as of `removeUserIfDue`
 */
export async function removeUsersIfDue(
  platform: Platform,
  signal: AbortSignal,
  find: (afterId: number, limit: number) => Promise<readonly number[]>,
  isDue: (tx: Tx, user: UserRow) => boolean | Promise<boolean>,
): Promise<void> {
  for (let afterId = 0, count = portion; count === portion; ) {
    const ids = await find(afterId, portion)
    for (const id of ids) {
      signal.throwIfAborted()
      if (await removeUserIfDue(platform, id, isDue)) platform.log.info({ user: id }, 'user deleted by a setting')
    }
    afterId = ids.at(-1) ?? afterId
    count = ids.length
  }
}
