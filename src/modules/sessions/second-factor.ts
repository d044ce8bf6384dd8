import type { InstanceSettings } from '../../platform/settings/index.ts'
import type { UserRow } from '../users/index.ts'

const hourMs = 3_600_000

type Demanding = Pick<
  InstanceSettings,
  'require_two_factor_authentication' | 'require_admin_two_factor_authentication' | 'two_factor_grace_period'
>

/** What decides whether a user has to set up a second factor. */
export type Factors = Pick<UserRow, 'is_admin' | 'two_factor_enabled' | 'second_factor_demanded_at'>

/**
 * When a user without a second factor is shown nothing any more but the page that sets it up (contract 20 R11).
 * @returns null when none is demanded
 */
export function secondFactorDue(user: Factors, settings: Demanding, now: Date): Date | null {
  const { require_two_factor_authentication: ofAll, require_admin_two_factor_authentication: ofAdministrators } =
    settings
  if (user.two_factor_enabled || !(ofAll || (ofAdministrators && user.is_admin))) return null
  const since = user.second_factor_demanded_at === null ? now.getTime() : Date.parse(user.second_factor_demanded_at)
  return new Date(since + settings.two_factor_grace_period * hourMs)
}

/** Whether only the second factor may be set up. */
export const isOverdue = (due: Date | null, now: Date): boolean => due !== null && due <= now
