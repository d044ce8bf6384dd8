import { now } from '../../../infra/database/index.ts'
import { decoyVerify, verifyPassword } from '../../../infra/secrets/index.ts'
import { countFailure, type Platform, requireFewFailures } from '../../../platform/index.ts'
import { addFailedAttempt, updateUser, userByUsername, usersByEmails } from '../store.ts'
import type { UserRow } from '../tables.ts'
import { isLocked, lockMs } from './locks.ts'

const attemptsUntilLock = 10

async function userOfLogin({ database }: Platform, login: string): Promise<UserRow | null> {
  const byName = await userByUsername(database.read, login)
  if (byName || !login.includes('@')) return byName
  return (await usersByEmails(database.read, [login]))[0]?.user ?? null
}

async function recordFailure({ database, clock }: Platform, user: UserRow): Promise<void> {
  await database.write(async (tx) => {
    if ((await addFailedAttempt(tx, user.id)) < attemptsUntilLock) return
    const locked_until = new Date(clock.now().getTime() + lockMs).toISOString()
    await updateUser(tx, user.id, { failed_attempts: 0, locked_until })
  })
}

async function recordSuccess({ database, clock }: Platform, user: UserRow, ip: string | null): Promise<UserRow | null> {
  return database.write((tx) =>
    updateUser(tx, user.id, {
      failed_attempts: 0,
      locked_until: null,
      sign_in_count: user.sign_in_count + 1,
      last_sign_in_at: user.current_sign_in_at ?? now(clock),
      last_sign_in_ip: user.current_sign_in_ip ?? ip,
      current_sign_in_at: now(clock),
      current_sign_in_ip: ip,
    }),
  )
}

/** Whether the account may be signed in to with its right password (contract 20, x.users_update, x.oauth_token). */
export function acceptsPassword({ password_expired, two_factor_enabled }: UserRow): boolean {
  return !password_expired && !two_factor_enabled
}

/**
 * Signs in by password. An unknown login takes as long as a known one. Ten wrong passwords lock the account for ten minutes,
 * during which the right password fails too; failures are also counted for the address. A password that another user has set
 * is expired, and with two-factor authentication a password is not enough (contract 20, x.oauth_token). Whether the account may
 * be used is not checked.
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
  if (ip !== undefined) await requireFewFailures(platform, ip)
  const signedIn = await verified(platform, login, password, ip ?? null)
  if (!signedIn && ip !== undefined) await countFailure(platform, ip)
  return signedIn
}

async function verified(
  platform: Platform,
  login: string,
  password: string,
  ip: string | null,
): Promise<UserRow | null> {
  // PostgreSQL rejects the character.
  const user = login.includes('\u0000') ? null : await userOfLogin(platform, login)
  if (!user?.password_hash) {
    await decoyVerify(password)
    return null
  }
  const isRight = await verifyPassword(password, user.password_hash)
  if (isLocked(user, now(platform.clock))) return null
  if (isRight) return acceptsPassword(user) ? recordSuccess(platform, user, ip) : null
  await recordFailure(platform, user)
  return null
}
