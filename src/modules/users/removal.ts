import { type Actor, conflict, dayOf, forbidden, type RequestInfo, requireUnmodified } from '../../api/index.ts'
import type { Clock } from '../../infra/clock/index.ts'
import { type Database, now, type Tx } from '../../infra/database/index.ts'
import type { Jobs } from '../../infra/jobs/index.ts'
import { moveNamespace, namespaceOfUser } from '../namespaces/index.ts'
import { requireUser } from './accounts.ts'
import type { Avatars } from './avatars.ts'
import { ghostUser } from './ghost.ts'
import { holdAccounts, requireOtherAdministrator } from './states.ts'
import { deleteRemovedUser, deleteRoutesOf, endAccess, hasProjects, solelyOwnedGroups } from './store/removal.ts'
import { updateUser } from './store/users.ts'
import type { UserRow } from './tables.ts'

/** Whose contributions are to go. `ghostId` makes the ghost user when it is first asked for; null when all is removed. */
export type Contributor = { userId: number; ghostId: (() => Promise<number>) | null }

/**
 * Gives what a user made in a domain to the ghost user, or removes it when there is none (`hard`). Part of the
 * transaction in which the user goes; may be called again.
 */
export type ContributionMover = (tx: Tx, of: Contributor) => Promise<void>

export type RemovalNeeds = {
  database: Database
  clock: Clock
  jobs: Jobs
  avatars: Avatars
  host: string
  /** Removes the projects in the personal namespace, with their repositories; may be called again. */
  removeProjectsOf(userId: number): Promise<void>
  /** Removes a group with everything in it; may be called again, and for one that is gone. */
  removeGroup(groupId: number): Promise<void>
  /** What the domains do with a removed user's contributions. */
  contributions: readonly ContributionMover[]
}

const removalJob = 'users.remove'
type Removal = { userId: number; hard: boolean; groupIds: number[] }

/** Gives user name, e-mail and paths free at once: whoever makes the same user again need not wait for the work behind. */
async function giveNamesFree(tx: Tx, user: UserRow, moment: string): Promise<void> {
  // No user can have such a name: it begins with a dash.
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
  await moveNamespace(tx, namespace, { name: namespace.name, path: name, parent: null }, moment)
}

/** Removes accounts: gone for everybody at once, and from the database when the work behind is done (contract 20). */
export function createRemoval(needs: RemovalNeeds) {
  const { database, clock, jobs, avatars, host, contributions } = needs

  async function begin(tx: Tx, user: UserRow, hard: boolean): Promise<void> {
    const moment = now(clock)
    const groups = await solelyOwnedGroups(tx, user.id, dayOf(clock.now()))
    if (!hard && groups.length > 0) throw conflict('User cannot be removed while is the sole-owner of a group')
    await giveNamesFree(tx, user, moment)
    await endAccess(tx, user.id)
    const removal: Removal = { userId: user.id, hard, groupIds: groups }
    await jobs.enqueue(tx, removalJob, removal, { uniqueKey: String(user.id) })
  }

  async function finish({ userId, hard }: Removal): Promise<void> {
    await database.write(async (tx) => {
      const ghostId = hard ? null : async () => (await ghostUser(tx, { now: now(clock), host })).id
      for (const move of contributions) await move(tx, { userId, ghostId })
      const namespace = await namespaceOfUser(tx, userId)
      // A repository would be left behind that nothing speaks of: the job is run again instead.
      if (await hasProjects(tx, namespace?.id ?? 0)) throw new Error(`user ${userId} still has projects`)
      await deleteRemovedUser(tx, userId)
    })
  }

  jobs.define<Removal>({
    kind: removalJob,
    async run(removal) {
      await needs.removeProjectsOf(removal.userId)
      if (removal.hard) for (const groupId of removal.groupIds) await needs.removeGroup(groupId)
      await avatars.removeOthers('user', removal.userId, null)
      await finish(removal)
    },
  })

  return {
    /**
     * Deletes a user (x.users_delete).
     * @throws ApiError 404, 409, 412, or 403 for the ghost user
     */
    async remove(id: string, options: { hard: boolean; actor: Actor; request: RequestInfo }): Promise<void> {
      const { hard, actor, request } = options
      await database.write(async (tx) => {
        await holdAccounts(tx)
        const user = await requireUser(tx, id)
        requireUnmodified(request, user.updated_at)
        if (user.bot_kind === 'ghost') throw forbidden()
        if (actor.kind === 'user' && actor.userId === user.id) throw conflict()
        await requireOtherAdministrator(tx, user)
        await begin(tx, user, hard)
      })
    },
    /**
     * Rejects somebody who waits for approval: the account goes (x.users_reject).
     * @throws ApiError 404 or 409
     */
    async reject(id: string): Promise<void> {
      await database.write(async (tx) => {
        await holdAccounts(tx)
        const user = await requireUser(tx, id)
        if (user.state !== 'blocked_pending_approval') throw conflict('User does not have a pending request')
        await begin(tx, user, true)
      })
    },
  }
}

export type UserRemoval = ReturnType<typeof createRemoval>
