import type { Clock } from '../../infra/clock/index.ts'
import { type Database, now } from '../../infra/database/index.ts'
import { decoyVerify, verifyPassword } from '../../infra/secrets/index.ts'
import { addFailedAttempt, updateUser, userByEmail, userByUsername } from './store/users.ts'
import type { UserRow } from './tables.ts'

const attemptsUntilLock = 10
const lockMs = 600_000

/**
 * Signs people in by password: `signIn(login, password, ip)` returns the user, or null when it was not right. Whether the
 * account may be used is for the caller to say.
 */
export type SignIn = (login: string, password: string, ip?: string) => Promise<UserRow | null>

/**
 * Makes the check of passwords. A login is a user name or a confirmed e-mail address. An unknown one costs the same time as
 * a known one; ten wrong passwords lock the account for ten minutes, in which even the right one fails (contract 20,
 * x.oauth_token).
 */
export function createSignIn({ database, clock }: { database: Database; clock: Clock }): SignIn {
  async function userOfLogin(login: string): Promise<UserRow | null> {
    const byName = await userByUsername(database.read, login)
    if (byName || !login.includes('@')) return byName
    const byEmail = await userByEmail(database.read, login)
    return byEmail?.confirmed_at ? byEmail : null
  }

  async function noteFailure(user: UserRow): Promise<void> {
    await database.write(async (tx) => {
      if ((await addFailedAttempt(tx, user.id)) < attemptsUntilLock) return
      const locked_until = new Date(clock.now().getTime() + lockMs).toISOString()
      await updateUser(tx, user.id, { failed_attempts: 0, locked_until })
    })
  }

  async function noteSuccess(user: UserRow, ip: string | null): Promise<UserRow | null> {
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

  return async function signIn(login, password, ip) {
    // A text that no column holds is no login; asking for it would only fail.
    const user = login.includes('\u0000') ? null : await userOfLogin(login)
    if (!user?.password_hash) {
      await decoyVerify(password)
      return null
    }
    const right = await verifyPassword(password, user.password_hash)
    if (user.locked_until !== null && user.locked_until > now(clock)) return null
    if (right) return noteSuccess(user, ip ?? null)
    await noteFailure(user)
    return null
  }
}
