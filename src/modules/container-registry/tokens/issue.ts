import { randomUUID } from 'node:crypto'
import type { Platform } from '../../../platform/index.ts'
import { currentSigningKey } from './signing-keys/signing-keys.ts'
import { type RegistryAccess, registryAudience, type TokenCredential } from './verify.ts'

/** How the caller authenticated, in the words of the claim `auth_type`. */
export type AuthType = 'none' | 'personal_access_token' | 'oauth' | 'deploy_token' | 'build' | 'gitlab_or_ldap'

/** The project of a granted repository, for registries that count by project; absent for the catalog. */
type GrantMeta = { project_path: string; project_id: number; root_namespace_id: number }

/** What a token is to grant. */
export type RegistryGrant = RegistryAccess & { meta?: GrantMeta }

export type TokenContents = {
  /** Null for the anonymous user. */
  subject: string | null
  authType: AuthType
  /** Null for the anonymous user. */
  credential: TokenCredential | null
  access: readonly RegistryGrant[]
  /** Names of repositories that were asked for, and not granted `pull`. */
  asked?: readonly string[]
}

/** An issued token, with its validity in seconds and the time of issue as ISO text. */
export type IssuedToken = { token: string; expiresIn: number; issuedAt: string }

/** How far back a token is valid, for verifiers whose clock is behind. */
const backdatingSeconds = 5

/** Issues a signed token (contract 02 R3). The setting `container_registry_token_expire_delay` says how long it is valid. */
export async function issueRegistryToken(
  platform: Platform,
  { subject, authType, credential, access, asked = [] }: TokenContents,
): Promise<IssuedToken> {
  const { SignJWT } = await import('jose')
  const [key, settings] = await Promise.all([currentSigningKey(platform), platform.settings.current()])
  const expiresIn = settings.container_registry_token_expire_delay * 60
  const moment = platform.clock.now()
  const issuedAt = Math.floor(moment.getTime() / 1000)
  const claims = {
    auth_type: authType,
    ...(credential ? { credential } : {}),
    access,
    ...(asked.length > 0 ? { asked } : {}),
  }
  const jwt = new SignJWT(claims)
    .setProtectedHeader({ typ: 'JWT', alg: 'RS256', kid: key.kid })
    .setIssuer(platform.config.registryIssuer)
    .setAudience(registryAudience)
    .setIssuedAt(issuedAt)
    .setNotBefore(issuedAt - backdatingSeconds)
    .setExpirationTime(issuedAt + expiresIn)
    .setJti(randomUUID())
  if (subject !== null) jwt.setSubject(subject)
  return { token: await jwt.sign(key.privateKey), expiresIn, issuedAt: moment.toISOString() }
}
