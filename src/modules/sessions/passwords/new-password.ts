import { now, type Tx } from '../../../infra/database/index.ts'
import { type Platform, react } from '../../../platform/index.ts'
import { passwordProblems, updateUser } from '../../users/index.ts'

/** Problems of a password that a person chooses. @param old the password that it replaces, where it is known */
export async function newPasswordProblems({ settings }: Platform, password: string, old?: string): Promise<string[]> {
  if (password === old) return ['must be another one']
  return passwordProblems(password, await settings.current())
}

/**
 * Gives a user the password that the user has chosen: it does not expire, and the account is unlocked.
 * @param sessionId the session that stays; all others of the user end
 */
export async function replacePassword(
  platform: Platform,
  tx: Tx,
  { userId, password_hash, sessionId }: { userId: number; password_hash: string; sessionId: number | null },
): Promise<void> {
  const free = { password_expired: false, failed_attempts: 0, locked_until: null }
  await updateUser(tx, userId, { password_hash, ...free, updated_at: now(platform.clock) })
  await react(platform, tx, 'user.password_changed', { userId, sessionId })
}
