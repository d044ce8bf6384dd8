import { unavailable } from '../../api/index.ts'
import { claim, now, type Tx } from '../../infra/database/index.ts'
import { PasswordQueueFull } from '../../infra/secrets/index.ts'
import { countFailure, type Platform, throttleProtectedPath } from '../../platform/index.ts'
import { accountProblem } from '../tokens/index.ts'
import {
  checkPassword,
  codeCheck,
  hashedPassword,
  isLocked,
  recordFailedAttempt,
  recordSignIn,
  type UserRow,
  updateUser,
  userById,
  userOfLogin,
} from '../users/index.ts'
import { newPasswordProblems, replacePassword } from './passwords/new-password.ts'
import { type Browser, beginSession } from './sessions.ts'

/** What a person types. */
export type Login = {
  /** Username or confirmed e-mail address. */
  username: string
  password: string
  /** Of the authenticator app, or a recovery code. */
  code?: string | undefined
  /** In place of a password that has expired. */
  newPassword?: string | undefined
}

export type SignInResult =
  /** `token` is for the browser: it is not stored. */
  | { kind: 'signed_in'; token: string; expiresAt: string }
  /** The login or the password is wrong, or the account is locked. */
  | { kind: 'wrong' }
  /** The password is right, but the account may not be used. */
  | { kind: 'refused'; reason: string }
  /** The password is right, and a code is missing or `isWrong`. */
  | { kind: 'code_needed'; isWrong: boolean }
  /** The password is right, but another user has set it. `problems` are those of the new one. */
  | { kind: 'password_expired'; problems: readonly string[] }

type Attempt = Login & Browser

/** Why the account may not be used. A deactivated one may: signing in activates it (contract 00, "Authentication"). */
async function refusalOf({ settings }: Platform, user: UserRow): Promise<string | null> {
  const state = user.state === 'deactivated' ? 'active' : user.state
  return accountProblem({ ...user, user_id: user.id, state }, await settings.current())
}

type Prepared = { checked: UserRow; accepts: Awaited<ReturnType<typeof codeCheck>> | null; newHash: string | null }

const isAsChecked = (user: UserRow, checked: UserRow) =>
  user.password_hash === checked.password_hash &&
  user.password_expired === checked.password_expired &&
  user.state === checked.state

/** Signs in an account whose password was right, if it is as it was then; it is locked until the transaction ends. */
async function complete(
  platform: Platform,
  tx: Tx,
  { checked, accepts, newHash }: Prepared,
  browser: Browser,
): Promise<SignInResult> {
  const user = await claim(tx, 'users', () => userById(tx, checked.id))
  if (!user || !isAsChecked(user, checked) || isLocked(user, now(platform.clock))) return { kind: 'wrong' }
  if (user.two_factor_enabled) {
    if (!accepts) return { kind: 'code_needed', isWrong: false }
    if (!(await accepts(tx, user.id))) {
      await recordFailedAttempt(platform, tx, user.id, browser.ip)
      return { kind: 'code_needed', isWrong: true }
    }
  }
  await recordSignIn(platform, tx, user, browser.ip)
  if (user.state === 'deactivated') await updateUser(tx, user.id, { state: 'active', updated_at: now(platform.clock) })
  if (newHash !== null) {
    await replacePassword(platform, tx, { userId: user.id, password_hash: newHash, sessionId: null })
  }
  return { kind: 'signed_in', ...(await beginSession(platform, tx, user.id, browser)) }
}

/** The user whose password is right. @throws ApiError 429, or 503 while too many passwords are being verified */
async function userOfPassword(platform: Platform, { username, password, ip }: Attempt): Promise<UserRow | null> {
  const user = await userOfLogin(platform, username)
  const isRight = await checkPassword(platform, user, password, ip).catch((error) => {
    throw error instanceof PasswordQueueFull ? unavailable() : error
  })
  return isRight ? user : null
}

/**
 * Signs a person in, in a browser (contract 20 R11): by username or address, password, and the code of the second factor where
 * there is one. A wrong code counts as a wrong password does. A password that has expired is replaced on the way in.
 * @throws ApiError 429 after too many failures of the address; 503 while too many passwords are being verified
 */
export async function signIn(platform: Platform, login: Login, browser: Browser): Promise<SignInResult> {
  await throttleProtectedPath(platform, browser.ip)
  const { password_authentication_enabled_for_web: isEnabled } = await platform.settings.current()
  if (!isEnabled) return { kind: 'refused', reason: 'Signing in by password is disabled.' }
  const checked = await userOfPassword(platform, { ...login, ...browser })
  if (!checked) return { kind: 'wrong' }
  const reason = await refusalOf(platform, checked)
  if (reason) return { kind: 'refused', reason }
  const { code, newPassword } = login
  const isReplaced = checked.password_expired && newPassword !== undefined
  const problems = isReplaced ? await newPasswordProblems(platform, newPassword, login.password) : []
  if (checked.password_expired && (!isReplaced || problems.length > 0)) return { kind: 'password_expired', problems }
  const prepared = {
    checked,
    accepts: code ? await codeCheck(platform, code) : null,
    newHash: isReplaced ? await hashedPassword(newPassword) : null,
  }
  const result = await platform.database.write((tx) => complete(platform, tx, prepared, browser))
  if (result.kind === 'code_needed' && result.isWrong) await countFailure(platform, browser.ip)
  return result
}
