import { type Actor, type ApiError, conflict, failure, forbidden, invalid } from '../../api/index.ts'
import type { Clock } from '../../infra/clock/index.ts'
import { acquireLock, type Database, now, type Tx } from '../../infra/database/index.ts'
import { hasOtherAdministrator, updateUser } from './store/users.ts'
import type { UserRow, UserState } from './tables.ts'

export type StateAction = 'block' | 'unblock' | 'ban' | 'unban' | 'activate' | 'deactivate' | 'approve'

type Asked = { user: UserRow; actor: Actor; today: Date; dormantDays: number }

/**
 * One line of the table of contract 20, x.users_block…: from which states an action leads where, what is answered when it
 * changes nothing, and what it refuses. A refusal is looked for first.
 */
type Transition = {
  from: readonly UserState[]
  to: UserState
  refusal?: (asked: Asked) => ApiError | undefined
  /** The answer when the account is in none of the states `from`, or the refusal of that. */
  otherwise: (asked: Asked) => boolean | null | ApiError
}

const isInternal = ({ bot_kind }: UserRow) => bot_kind === 'ghost' || bot_kind === 'alert_bot'

function blockRefusal({ user, actor }: Asked): ApiError | undefined {
  if (user.state === 'ldap_blocked') return forbidden('LDAP blocked users cannot be modified by the API')
  if (actor.kind === 'user' && actor.userId === user.id) {
    return forbidden('The API initiating user cannot be blocked by the API')
  }
  return isInternal(user) ? failure(403, 'An internal user cannot be blocked') : undefined
}

function unblockRefusal({ user }: Asked): ApiError | undefined {
  if (user.state === 'ldap_blocked') return forbidden('LDAP blocked users cannot be unblocked by the API')
  return user.state === 'deactivated' ? forbidden('Deactivated users cannot be unblocked by the API') : undefined
}

const dayMs = 86_400_000

/** When the account was last in use, by its tokens or by signing in. */
function wasActiveSince(user: UserRow, start: Date): boolean {
  const moments = [user.last_activity_on, user.current_sign_in_at].flatMap((moment) => moment ?? [])
  return moments.some((moment) => Date.parse(moment) > start.getTime())
}

function deactivateRefusal({ user, today, dormantDays }: Asked): ApiError | undefined {
  if (user.state === 'deactivated') return undefined
  if (isInternal(user)) return failure(403, 'Internal users cannot be deactivated')
  if (user.state !== 'active') return failure(403, 'Error occurred. A blocked user cannot be deactivated')
  if (!wasActiveSince(user, new Date(today.getTime() - dormantDays * dayMs))) return undefined
  return failure(
    403,
    `The user you are trying to deactivate has been active in the past ${dormantDays} days and cannot be deactivated`,
  )
}

const cannot =
  (action: 'ban' | 'unban') =>
  ({ user }: Asked) =>
    failure(403, `You cannot ${action} ${user.state} users.`)

const transitions: Record<StateAction, Transition> = {
  block: {
    // A pending account may be blocked as well: the table leaves it open.
    from: ['active', 'deactivated', 'blocked_pending_approval'],
    to: 'blocked',
    refusal: blockRefusal,
    otherwise: () => null,
  },
  unblock: { from: ['blocked'], to: 'active', refusal: unblockRefusal, otherwise: () => false },
  ban: { from: ['active'], to: 'banned', otherwise: cannot('ban') },
  unban: { from: ['banned'], to: 'active', otherwise: cannot('unban') },
  activate: {
    from: ['deactivated'],
    to: 'active',
    otherwise: ({ user }) => user.state === 'active' || forbidden('A blocked user must be unblocked to be activated'),
  },
  deactivate: { from: ['active'], to: 'deactivated', refusal: deactivateRefusal, otherwise: () => null },
  approve: {
    from: ['blocked_pending_approval'],
    to: 'active',
    otherwise: () => conflict('The user you are trying to approve is not pending approval'),
  },
}

export type StateNeeds = {
  database: Database
  clock: Clock
  /** Days without activity after which an account may be deactivated. */
  dormantDays(): Promise<number>
  /** @throws ApiError 404 */
  requireUser(tx: Tx, id: string): Promise<UserRow>
}

/**
 * Lets one transaction at a time change who may administer the instance, or whether an account is there. To be called
 * before the account is read: of two that come at once the second one finds what the first one made of it.
 */
export async function holdAccounts(tx: Tx): Promise<void> {
  await acquireLock(tx, 'users.accounts')
}

/**
 * Makes sure that somebody is left to administer the instance when this user no longer does (contract 20, x.users_update).
 * Accounts are held.
 * @throws ApiError 400
 */
export async function requireOtherAdministrator(tx: Tx, user: UserRow): Promise<void> {
  if (user.is_admin && user.state === 'active' && !(await hasOtherAdministrator(tx, user.id))) {
    throw invalid({ admin: ['cannot remove the last administrator'] })
  }
}

/** Carries out the actions that change the state of an account. */
export function createStateChanges({ database, clock, dormantDays, requireUser }: StateNeeds) {
  /**
   * @returns true when it was done, null or false when there was nothing to do, by the table
   * @throws ApiError 403, 404 or 409 by the table
   */
  return async function changeState(action: StateAction, id: string, actor: Actor): Promise<boolean | null> {
    const { from, to, refusal, otherwise } = transitions[action]
    const days = await dormantDays()
    return database.write(async (tx) => {
      await holdAccounts(tx)
      const user = await requireUser(tx, id)
      const asked = { user, actor, today: clock.now(), dormantDays: days }
      const refused = refusal?.(asked)
      if (refused) throw refused
      if (!from.includes(user.state)) {
        const answer = otherwise(asked)
        if (answer instanceof Error) throw answer
        return answer
      }
      if (to !== 'active') await requireOtherAdministrator(tx, user)
      await updateUser(tx, user.id, { state: to, updated_at: now(clock) })
      return true
    })
  }
}
