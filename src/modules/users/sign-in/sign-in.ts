import { now, type Tx } from '../../../infra/database/index.ts'
import { decoyVerify, verifyPassword } from '../../../infra/secrets/index.ts'
import { countFailure, type Platform, react, requireFewFailures } from '../../../platform/index.ts'
import { longestUnlockPeriod } from '../../../platform/settings/index.ts'
import { addFailedAttempt, updateUser, userByUsername, usersByEmails } from '../store.ts'
import type { UserRow } from '../tables.ts'

declare module '../../../platform/platform.ts' {
  interface Events {
    /** A user has signed in by password. */
    'user.signed_in': { userId: number; ip: string | null; with: 'standard' | 'two-factor' }
    /** A password or a code for a user was wrong. */
    'user.sign_in_failed': { userId: number; ip: string | null }
  }
}

const minuteMs = 60_000

/** No right clock locks an account for longer; another one may differ by a minute. */
const longestLockMs = (longestUnlockPeriod + 1) * minuteMs

/** Whether an account is locked. @param moment ISO text */
export function isLocked({ locked_until: until }: Pick<UserRow, 'locked_until'>, moment: string): boolean {
  return until !== null && until > moment && Date.parse(until) - Date.parse(moment) <= longestLockMs
}

/** Where the settings say nothing. */
const attemptsUntilLock = 10
const lockMinutes = 10

/** The user of a username or a confirmed e-mail address, as people type it. */
export async function userOfLogin({ database }: Platform, login: string): Promise<UserRow | null> {
  // PostgreSQL rejects the character.
  if (login.includes('\u0000')) return null
  const byName = await userByUsername(database.read, login)
  if (byName || !login.includes('@')) return byName
  return (await usersByEmails(database.read, [login]))[0]?.user ?? null
}

/** Counts a wrong password or code. The last that the settings allow locks the account for a while. */
export async function recordFailedAttempt(
  platform: Platform,
  tx: Tx,
  userId: number,
  ip: string | null,
): Promise<void> {
  const { clock, settings } = platform
  await react(platform, tx, 'user.sign_in_failed', { userId, ip })
  const { max_login_attempts: most, failed_login_attempts_unlock_period_in_minutes: minutes } = await settings.current()
  if ((await addFailedAttempt(tx, userId)) < (most ?? attemptsUntilLock)) return
  const locked_until = new Date(clock.now().getTime() + (minutes ?? lockMinutes) * minuteMs).toISOString()
  await updateUser(tx, userId, { failed_attempts: 0, locked_until })
}

/** Whether a user goes on with a sign-in: git sends a password with each of its requests. */
function goesOn({ current_sign_in_at: at, current_sign_in_ip: from }: UserRow, ip: string | null, moment: string) {
  return at !== null && from === ip && Math.abs(Date.parse(moment) - Date.parse(at)) < minuteMs
}

/** Records that a user has signed in, which also forgets failed attempts. @returns null when the user was removed meanwhile */
export async function recordSignIn(
  platform: Platform,
  tx: Tx,
  user: UserRow,
  ip: string | null,
): Promise<UserRow | null> {
  const moment = now(platform.clock)
  const by = user.two_factor_enabled ? 'two-factor' : 'standard'
  if (!goesOn(user, ip, moment)) await react(platform, tx, 'user.signed_in', { userId: user.id, ip, with: by })
  return updateUser(tx, user.id, {
    failed_attempts: 0,
    locked_until: null,
    sign_in_count: user.sign_in_count + 1,
    last_sign_in_at: user.current_sign_in_at ?? moment,
    last_sign_in_ip: user.current_sign_in_ip ?? ip,
    current_sign_in_at: moment,
    current_sign_in_ip: ip,
  })
}

/** Whether the account may be signed in to with its right password (contract 20, x.users_update, x.oauth_token). */
export function acceptsPassword({ password_expired, two_factor_enabled }: UserRow): boolean {
  return !password_expired && !two_factor_enabled
}

async function isRight(platform: Platform, user: UserRow | null, password: string, ip?: string): Promise<boolean> {
  if (!user?.password_hash) return decoyVerify(password)
  const matches = await verifyPassword(password, user.password_hash)
  if (isLocked(user, now(platform.clock))) return false
  if (!matches) await platform.database.write((tx) => recordFailedAttempt(platform, tx, user.id, ip ?? null))
  return matches
}

/**
 * Verifies a password. Without a user it takes as long as with one. Wrong passwords lock the account for a while,
 * during which the right password is wrong too; failures are also counted for the address.
 * @throws PasswordQueueFull; ApiError 429 after too many failures of the address
 */
export async function checkPassword(
  platform: Platform,
  user: UserRow | null,
  password: string,
  ip?: string,
): Promise<boolean> {
  if (ip !== undefined) await requireFewFailures(platform, ip)
  if (await isRight(platform, user, password, ip)) return true
  if (ip !== undefined) await countFailure(platform, ip)
  return false
}

/**
 * Signs in by password alone, as `checkPassword`. A password that another user has set is expired, and with two-factor
 * authentication a password is not enough (contract 20, x.oauth_token). Whether the account may be used is not checked.
 * @param login username or confirmed e-mail address
 * @returns null when the login or the password is wrong
 * @throws PasswordQueueFull; ApiError 429 after too many failures of the address
 */
export async function signIn(
  platform: Platform,
  login: string,
  password: string,
  ip?: string,
): Promise<UserRow | null> {
  const user = await userOfLogin(platform, login)
  if (!(await checkPassword(platform, user, password, ip)) || !user) return null
  if (acceptsPassword(user)) return platform.database.write((tx) => recordSignIn(platform, tx, user, ip ?? null))
  if (ip !== undefined) await countFailure(platform, ip)
  return null
}
