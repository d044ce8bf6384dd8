import type { Platform } from '../../../platform/index.ts'
import type { UserRow } from '../../users/index.ts'
import { epochSeconds } from '../issue.ts'
import type { OauthCodeRow } from '../tables.ts'
import { claimsOf } from './claims.ts'
import { issuerOf } from './metadata.ts'
import { currentKey } from './signing-keys.ts'

const lifetimeSeconds = 120

type Signing = {
  user: UserRow
  code: Pick<OauthCodeRow, 'scopes' | 'nonce' | 'authenticated_at'>
  /** The `client_id`. */
  audience: string
}

/** Signs who the user is, for the application that has sent the code (OpenID Connect Core, 2). */
export async function signIdToken(platform: Platform, { user, code, audience }: Signing): Promise<string> {
  const { SignJWT } = await import('jose')
  const { kid, privateKey } = await currentKey(platform)
  const issuedAt = Math.floor(platform.clock.now().getTime() / 1000)
  const { sub, ...claims } = await claimsOf(platform, user, code.scopes)
  const about = { ...claims, auth_time: epochSeconds(code.authenticated_at) }
  return new SignJWT({ ...about, ...(code.nonce !== null && { nonce: code.nonce }) })
    .setProtectedHeader({ alg: 'RS256', kid, typ: 'JWT' })
    .setIssuer(issuerOf(platform))
    .setSubject(sub)
    .setAudience(audience)
    .setIssuedAt(issuedAt)
    .setExpirationTime(issuedAt + lifetimeSeconds)
    .sign(privateKey)
}
