import { type Actor, type ApiError, conflict, failure, forbidden } from '../../../api/index.ts'
import { now } from '../../../infra/database/index.ts'
import { type Platform, react, recordAct } from '../../../platform/index.ts'
import { lockAccounts, requireOtherAdministrator } from '../accounts/administrators.ts'
import { requireUser } from '../directory/lookup.ts'
import { updateUser } from '../store.ts'
import type { UserRow, UserState } from '../tables.ts'

declare module '../../../platform/platform.ts' {
  interface Events {
    /** An account was blocked, banned or deactivated. */
    'user.blocked': { userId: number }
  }
}

export type StateAction = 'block' | 'unblock' | 'ban' | 'unban' | 'activate' | 'deactivate' | 'approve'

type StateRequest = {
  user: UserRow
  actor: Actor
  today: Date
  /** Days without activity after which an account may be deactivated. */
  dormantDays: number
}

/** One line of the table of contract 20, x.users_block…. */
type Transition = {
  from: readonly UserState[]
  to: UserState
  /** Why the action is refused, checked before the state. */
  refusal?: (asked: StateRequest) => ApiError | undefined
  /** The response when the account is in none of the states `from`. */
  otherwise: (asked: StateRequest) => boolean | null | ApiError
}

const internalKinds = ['ghost', 'alert_bot', 'automation_bot'] as const
const isInternal = ({ bot_kind }: UserRow) => internalKinds.some((kind) => kind === bot_kind)

function blockRefusal({ user, actor }: StateRequest): ApiError | undefined {
  if (user.state === 'ldap_blocked') return forbidden('LDAP blocked users cannot be modified by the API')
  if (actor.kind === 'user' && actor.userId === user.id) {
    return forbidden('The API initiating user cannot be blocked by the API')
  }
  return isInternal(user) ? failure(403, 'An internal user cannot be blocked') : undefined
}

function unblockRefusal({ user }: StateRequest): ApiError | undefined {
  if (user.state === 'ldap_blocked') return forbidden('LDAP blocked users cannot be unblocked by the API')
  return user.state === 'deactivated' ? forbidden('Deactivated users cannot be unblocked by the API') : undefined
}

const dayMs = 86_400_000

/** Whether the account was used since then, by a token or by signing in. */
function wasActiveSince(user: UserRow, start: Date): boolean {
  const moments = [user.last_activity_on, user.current_sign_in_at].flatMap((moment) => moment ?? [])
  return moments.some((moment) => Date.parse(moment) > start.getTime())
}

function deactivateRefusal({ user, today, dormantDays }: StateRequest): ApiError | undefined {
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
  ({ user }: StateRequest) =>
    failure(403, `You cannot ${action} ${user.state} users.`)

const transitions: Record<StateAction, Transition> = {
  block: {
    // The table does not say whether a pending account may be blocked.
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

/**
 * Carries out an action on the state of an account.
 * @returns true when the state changed; null or false, by the table, when it was the new state already
 * @throws ApiError 403, 404 or 409 by the table; 400 for the last administrator
 */
export async function changeState(
  platform: Platform,
  action: StateAction,
  id: number,
  actor: Actor,
): Promise<boolean | null> {
  const { database, settings, clock } = platform
  const { from, to, refusal, otherwise } = transitions[action]
  const { deactivate_dormant_users_period: dormantDays } = await settings.current()
  return database.write(async (tx) => {
    await lockAccounts(tx)
    const user = await requireUser(tx, id)
    const request = { user, actor, today: clock.now(), dormantDays }
    const refused = refusal?.(request)
    if (refused) throw refused
    if (!from.includes(user.state)) {
      const answer = otherwise(request)
      if (answer instanceof Error) throw answer
      return answer
    }
    if (to !== 'active') await requireOtherAdministrator(tx, user)
    await updateUser(tx, user.id, { state: to, updated_at: now(clock) })
    if (to !== 'active') await react(platform, tx, 'user.blocked', { userId: user.id })
    await recordAct(platform, tx, actor, { name: `users.${action}`, target: { kind: 'user', id: user.id } })
    return true
  })
}
