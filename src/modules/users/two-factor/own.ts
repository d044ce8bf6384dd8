import {
  type Actor,
  badRequest,
  blank,
  conflict,
  forbidden,
  invalid,
  requireSignedIn,
  unavailable,
} from '../../../api/index.ts'
import { claim, now, type Tx } from '../../../infra/database/index.ts'
import { PasswordQueueFull } from '../../../infra/secrets/index.ts'
import { countFailure, type Platform, requireFewFailures } from '../../../platform/index.ts'
import { requireUser } from '../directory/lookup.ts'
import { checkPassword, isLocked, recordFailedAttempt } from '../sign-in/sign-in.ts'
import { updateUser } from '../store.ts'
import type { UserRow } from '../tables.ts'
import { type CodeCheck, codeCheck, newRecoveryCodes, newSecret } from './codes.ts'
import { disableTwoFactor, putRecoveryCodes, putTwoFactor, twoFactorOf } from './store.ts'

/** Who changes their second factor, from which address. */
type Caller = { actor: Actor; ip: string }

const callerId = ({ actor }: Caller) => requireSignedIn(actor).userId

function requireDisabled({ two_factor_enabled: isEnabled }: UserRow): void {
  if (isEnabled) throw conflict('Two-factor authentication is already enabled')
}

function requireEnabled({ two_factor_enabled: isEnabled }: UserRow): void {
  if (!isEnabled) throw badRequest('Two-factor authentication is not enabled for this user')
}

/** @throws ApiError 400 for a wrong password, 429 and 503 as signing in */
async function requirePassword(platform: Platform, user: UserRow, password: string | undefined, ip: string) {
  if (!password) throw invalid({ password: [blank] })
  const isRight = await checkPassword(platform, user, password, ip).catch((error) => {
    throw error instanceof PasswordQueueFull ? unavailable() : error
  })
  if (!isRight) throw invalid({ password: ['is invalid'] })
}

/** Locks the account of the caller until the transaction ends. */
const claimAccount = (tx: Tx, userId: number) => claim(tx, 'users', () => requireUser(tx, userId))

/** Uses a code up; a wrong one counts as a failed attempt. @returns false when it is wrong, or the account is locked */
async function accepts(platform: Platform, tx: Tx, user: UserRow, check: CodeCheck, ip: string): Promise<boolean> {
  if (isLocked(user, now(platform.clock))) return false
  if (await check(tx, user.id)) return true
  await recordFailedAttempt(platform, tx, user.id, ip)
  return false
}

/**
 * Does something with the account of the caller once a code is right.
 * @param require throws when the account is not in the state for it
 * @throws ApiError 400 for a wrong code; 429 after too many failures of the address
 */
async function withCode<T>(
  platform: Platform,
  { code, ...caller }: Caller & { code: string },
  require: (tx: Tx, user: UserRow) => unknown,
  work: (tx: Tx, user: UserRow) => Promise<T>,
): Promise<T> {
  await requireFewFailures(platform, caller.ip)
  const check = await codeCheck(platform, code)
  const done = await platform.database.write(async (tx) => {
    const user = await claimAccount(tx, callerId(caller))
    await require(tx, user)
    // A wrong code is committed as a failed attempt.
    return (await accepts(platform, tx, user, check, caller.ip)) ? { value: await work(tx, user) } : null
  })
  if (done) return done.value
  await countFailure(platform, caller.ip)
  throw invalid({ code: ['is invalid'] })
}

/** Replaces the recovery codes of a user. @returns the codes, which are not shown again */
async function renewCodes(tx: Tx, { id }: UserRow) {
  const { codes, digests } = newRecoveryCodes()
  await putRecoveryCodes(tx, id, digests)
  return { recovery_codes: codes }
}

/**
 * Gives the caller a secret for an authenticator app, in place of one that is not in use yet (contract 20,
 * x.user_two_factor_begin).
 * @throws ApiError 403 for bots; 409 while a second factor is in use; 400 for a wrong password
 */
export async function beginTwoFactor(platform: Platform, caller: Caller, password: string | undefined) {
  const { database, clock } = platform
  const user = await requireUser(database.read, callerId(caller))
  if (user.bot_kind !== null) throw forbidden()
  requireDisabled(user)
  if (user.password_hash !== null) await requirePassword(platform, user, password, caller.ip)
  const { sealed, ...shown } = await newSecret(platform, user)
  await database.write(async (tx) => {
    requireDisabled(await claimAccount(tx, user.id))
    await putTwoFactor(tx, { user_id: user.id, sealed_secret: sealed, created_at: now(clock) })
  })
  return shown
}

async function requireBegun(tx: Tx, user: UserRow): Promise<void> {
  requireDisabled(user)
  if (!(await twoFactorOf(tx, user.id))) throw badRequest('There is no secret for two-factor authentication')
}

/** Puts the secret of the caller into use (contract 20, x.user_two_factor_enable). @throws ApiError 400 or 409 */
export async function enableOwnTwoFactor(platform: Platform, caller: Caller & { code: string }) {
  return withCode(platform, caller, requireBegun, async (tx, user) => {
    await updateUser(tx, user.id, { two_factor_enabled: true, updated_at: now(platform.clock) })
    return renewCodes(tx, user)
  })
}

/** Replaces the recovery codes of the caller (contract 20, x.user_two_factor_codes). @throws ApiError 400 */
export async function renewRecoveryCodes(platform: Platform, caller: Caller & { code: string }) {
  return withCode(platform, caller, (_tx, user) => requireEnabled(user), renewCodes)
}

/**
 * Removes the second factor of the caller, for a code or for the password (contract 20, x.user_two_factor_disable).
 * @throws ApiError 400
 */
export async function disableOwnTwoFactor(
  platform: Platform,
  caller: Caller,
  { code, password }: { code?: string; password?: string },
): Promise<void> {
  const disable = (tx: Tx, { id }: UserRow) => disableTwoFactor(tx, id, now(platform.clock))
  if (code !== undefined) {
    await withCode(platform, { ...caller, code }, (_tx, user) => requireEnabled(user), disable)
    return
  }
  const user = await requireUser(platform.database.read, callerId(caller))
  requireEnabled(user)
  await requirePassword(platform, user, password, caller.ip)
  await platform.database.write(async (tx) => {
    const current = await claimAccount(tx, user.id)
    requireEnabled(current)
    await disable(tx, current)
  })
}
