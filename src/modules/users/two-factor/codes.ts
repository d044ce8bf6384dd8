import type { Tx } from '../../../infra/database/index.ts'
import { hashToken, randomHex, SealError, type Sealer } from '../../../infra/secrets/index.ts'
import type { Platform } from '../../../platform/index.ts'
import type { UserRow } from '../tables.ts'
import { twoFactorOf, useRecoveryCode, useStep } from './store.ts'

/** Time steps before and after the present one whose codes are accepted, for clocks that differ. */
const window = 1

const recoveryCodeCount = 10
const recoveryCodeBytes = 8

const contextOf = (userId: number) => `two_factors:${userId}:secret`

/** A new secret: sealed, as text, and as the address that authenticator apps read. */
export async function newSecret(
  { secrets, externalUrl }: Platform,
  { id, username }: Pick<UserRow, 'id' | 'username'>,
) {
  const { Secret, TOTP } = await import('otpauth')
  const totp = new TOTP({ issuer: new URL(externalUrl).hostname, label: username, secret: new Secret({ size: 20 }) })
  const secret = totp.secret.base32
  const sealed = (await secrets.sealer()).seal(secret, contextOf(id))
  return { sealed, secret, otpauth_uri: totp.toString() }
}

/** New recovery codes, and their digests. */
export function newRecoveryCodes(): { codes: string[]; digests: string[] } {
  const codes = Array.from({ length: recoveryCodeCount }, () => randomHex(recoveryCodeBytes))
  return { codes, digests: codes.map(hashToken) }
}

/** The secret of a user; null when it was sealed with a lost key: recovery codes are accepted further on. */
function openSecret({ log }: Platform, sealer: Sealer, userId: number, sealed: string): string | null {
  try {
    return sealer.open(sealed, contextOf(userId))
  } catch (error) {
    if (!(error instanceof SealError)) throw error
    log.error({ user: userId, err: error }, 'the secret of the second factor cannot be opened')
    return null
  }
}

/** Whether a code is right, which uses it up. */
export type CodeCheck = (tx: Tx, userId: number) => Promise<boolean>

/**
 * Prepares the check of a code, since a transaction does not wait for files. The code is the one that an authenticator app
 * shows, or a recovery code; each is accepted once (contract 20 R11).
 */
export async function codeCheck(platform: Platform, code: string): Promise<CodeCheck> {
  const { Secret, TOTP } = await import('otpauth')
  const sealer = await platform.secrets.sealer()
  const text = code.replace(/[\s-]/g, '').toLowerCase()
  const timestamp = platform.clock.now().getTime()
  return async (tx, userId) => {
    if (!/^\d{6}$/.test(text)) return useRecoveryCode(tx, userId, hashToken(text))
    const row = await twoFactorOf(tx, userId)
    const secret = row && openSecret(platform, sealer, userId, row.sealed_secret)
    if (!secret) return false
    const totp = new TOTP({ secret: Secret.fromBase32(secret) })
    const delta = totp.validate({ token: text, timestamp, window })
    return delta !== null && useStep(tx, userId, totp.counter({ timestamp }) + delta)
  }
}
