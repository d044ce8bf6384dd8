import { createHash } from 'node:crypto'
import { now, type Tx } from '../../../infra/database/index.ts'
import { hashToken, randomHex } from '../../../infra/secrets/index.ts'
import type { Job, Platform } from '../../../platform/index.ts'
import { userById } from '../../users/index.ts'
import { deleteDeviceCodesBefore } from '../device/store.ts'
import { invalidGrant } from '../errors.ts'
import { issueTokens, isUsable, lockFamily, newFamily } from '../issue.ts'
import type { TokenRequest } from '../params.ts'
import { revokeFamily } from '../store.ts'
import type { OauthApplicationRow, OauthCodeRow } from '../tables.ts'
import { addToGrant, codeByDigest, deleteCodesBefore, insertCode, useCode } from './store.ts'

const dayMs = 86_400_000
const lifetimeMs = 10 * 60_000

type Granting = Parameters<typeof addToGrant>[1]
type Bound = Pick<OauthCodeRow, 'redirect_uri' | 'challenge' | 'nonce' | 'authenticated_at'>

/** Records that a user authorises an application, and issues a code for it. */
export async function issueCode({ clock }: Platform, tx: Tx, granting: Granting, bound: Bound): Promise<string> {
  const grant = await addToGrant(tx, granting)
  const code = randomHex(32)
  await insertCode(tx, {
    ...bound,
    grant_id: grant.id,
    digest: hashToken(code),
    scopes: JSON.stringify(granting.scopes),
    family: newFamily(),
    expires_at: new Date(clock.now().getTime() + lifetimeMs).toISOString(),
  })
  return code
}

/**
 * Whether the verifier is that of the challenge (RFC 7636). Without a challenge there is none: a code that was asked for
 * without PKCE is not accepted from a client that uses it (RFC 9700, 2.1.1).
 */
function isVerified(challenge: string | null, verifier: string | undefined): boolean {
  if (challenge === null || verifier === undefined) return challenge === null && verifier === undefined
  if (!/^[\w.~-]{43,128}$/.test(verifier)) return false
  return createHash('sha256').update(verifier).digest('base64url') === challenge
}

/**
 * Issues tokens for a code, once. A second use revokes what came of the first: one of the two was not the client (RFC 9700,
 * 4.5).
 * @throws ApiError 400 invalid_grant
 */
export async function redeemCode(
  platform: Platform,
  { code = '', redirect_uri: address, code_verifier: verifier }: TokenRequest,
  client: OauthApplicationRow,
) {
  const redeemed = await platform.database.write(async (tx) => {
    const found = await codeByDigest(tx, hashToken(code))
    if (found?.application_id !== client.id) return null
    await lockFamily(tx, found)
    const isOwn = found.redirect_uri === address && isVerified(found.challenge, verifier)
    if (!found.is_used && !isOwn) return null
    if (!(await useCode(tx, found.id))) {
      await revokeFamily(tx, found.family)
      return null
    }
    const user = await userById(tx, found.user_id)
    if (found.expires_at <= now(platform.clock) || !user || !(await isUsable(platform, user))) return null
    return { code: found, user, tokens: await issueTokens(platform, tx, found, found.scopes) }
  })
  if (!redeemed) throw invalidGrant()
  return redeemed
}

/** Deletes codes a day after they have expired: until then a second use is noticed. */
export const deleteExpiredCodes: Job<null> = {
  kind: 'oauth.delete_expired_codes',
  every: { seconds: dayMs / 1000 },
  async run({ database, clock }) {
    const before = new Date(clock.now().getTime() - dayMs).toISOString()
    await database.write(async (tx) => {
      await deleteCodesBefore(tx, before)
      await deleteDeviceCodesBefore(tx, before)
    })
  },
}
