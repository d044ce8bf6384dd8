import type { KeyObject } from 'node:crypto'
import type { JWTPayload } from 'jose'
import type { CredentialKind } from '../../../api/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { signingKeyOf } from './signing-keys/signing-keys.ts'

/** What a token grants on one resource. */
export type RegistryAccess = { type: string; name: string; actions: readonly string[] }

/** The credential that a token was issued for, as the claim `credential` names it (contract 02 R3). */
export type TokenCredential = {
  kind: CredentialKind | 'deploy_token'
  /** Row id of the token or job; null for a password. */
  id: number | null
  /** The user of a token or password. */
  user?: number
  /** Of a password: changes with it. */
  mark?: string
}

/** A verified token (contract 02 R3). */
export type RegistryToken = {
  /** User name, or that of a deploy token; null for the anonymous user. */
  subject: string | null
  access: readonly RegistryAccess[]
  /** Names of repositories that were asked for, and not granted `pull`. */
  asked: readonly string[]
  /** Null for the anonymous user. */
  credential: TokenCredential | null
}

export type VerifiedToken = { kind: 'missing' } | { kind: 'invalid' } | { kind: 'valid'; token: RegistryToken }

/** The audience of registry tokens, which is the `service` that clients name. */
export const registryAudience = 'container_registry'

/** Difference of clocks that is tolerated, in seconds. */
const toleranceSeconds = 5

/** No header that the server accepts is longer. */
const longestToken = 64 * 1024

const invalid = { kind: 'invalid' } as const

const isTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((text) => typeof text === 'string')

function isAccess(value: unknown): value is RegistryAccess {
  if (typeof value !== 'object' || value === null) return false
  const { type, name, actions } = value as Record<string, unknown>
  return typeof type === 'string' && typeof name === 'string' && isTexts(actions)
}

const isIdOr = (value: unknown, other: null | undefined) => value === other || Number.isSafeInteger(value)

function isCredential(value: unknown): value is TokenCredential {
  if (typeof value !== 'object' || value === null) return false
  const { kind, id, user, mark } = value as Record<string, unknown>
  const isMarked = mark === undefined || typeof mark === 'string'
  return typeof kind === 'string' && isIdOr(id, null) && isIdOr(user, undefined) && isMarked
}

function tokenOf({ sub, access, asked = [], credential }: JWTPayload): RegistryToken | null {
  if (!Array.isArray(access) || !access.every(isAccess) || !isTexts(asked)) return null
  if (sub === undefined) return { subject: null, access, asked, credential: null }
  return isCredential(credential) ? { subject: sub, access, asked, credential } : null
}

/**
 * Verifies the `Authorization` header of a request to `/v2/` (contract 02 R3).
 * @returns `missing` without a bearer token, `Basic` included; `invalid` for every token that is not accepted
 */
export async function verifyRegistryToken(
  platform: Platform,
  authorization: string | undefined,
): Promise<VerifiedToken> {
  const text = /^bearer +(\S.*)$/is.exec(authorization ?? '')?.[1]?.trim()
  if (text === undefined) return { kind: 'missing' }
  if (text.length > longestToken) return invalid
  const { errors, jwtVerify } = await import('jose')
  try {
    const { payload } = await jwtVerify(
      text,
      async ({ kid }) => {
        const key = typeof kid === 'string' ? await signingKeyOf(platform, kid) : null
        if (!key) throw new errors.JWKSNoMatchingKey()
        return key.publicKey
      },
      {
        algorithms: ['RS256'],
        issuer: platform.config.registryIssuer,
        audience: registryAudience,
        requiredClaims: ['exp', 'nbf'],
        clockTolerance: toleranceSeconds,
        currentDate: platform.clock.now(),
      },
    )
    const token = tokenOf(payload)
    return token ? { kind: 'valid', token } : invalid
  } catch (error) {
    if (error instanceof errors.JOSEError) return invalid
    throw error
  }
}

/** A token that another server has signed with this key, as it was issued (contract 15); null for one that is not accepted. */
export async function foreignRegistryToken(
  { config, clock }: Pick<Platform, 'config' | 'clock'>,
  authorization: string | undefined,
  key: KeyObject,
): Promise<RegistryToken | null> {
  const text = /^bearer +(\S.*)$/is.exec(authorization ?? '')?.[1]?.trim()
  if (text === undefined || text.length > longestToken) return null
  const { errors, jwtVerify } = await import('jose')
  const rules = { algorithms: ['RS256'], audience: registryAudience, requiredClaims: ['exp', 'nbf'] }
  const options = {
    ...rules,
    issuer: config.registryIssuer,
    currentDate: clock.now(),
    clockTolerance: toleranceSeconds,
  }
  try {
    return tokenOf((await jwtVerify(text, key, options)).payload)
  } catch (error) {
    if (error instanceof errors.JOSEError) return null
    throw error
  }
}

/** Whether a token, as it was issued, permits to pull from a repository. */
export function permitsPull({ access }: RegistryToken, name: string): boolean {
  const actions = access.flatMap((one) => (one.type === 'repository' && one.name === name ? one.actions : []))
  return actions.some((action) => action === 'pull' || action === '*')
}
