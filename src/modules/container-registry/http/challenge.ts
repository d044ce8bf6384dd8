import type { Platform } from '../../../platform/index.ts'
import type { RegistryToken, VerifiedToken } from '../tokens/verify.ts'
import { type RegistryProblem, registryProblem } from './problems.ts'

/** A resource, with the actions that a request needs on it. */
export type Wanted = { type: 'repository' | 'registry'; name: string; actions: readonly string[] }

/** A repository, with the actions that a request needs on it. */
export const onRepository = (name: string, actions: readonly string[]): Wanted => ({
  type: 'repository',
  name,
  actions,
})

/** What the catalog needs. */
export const catalogAccess: Wanted = { type: 'registry', name: 'catalog', actions: ['*'] }

/** Whether a token grants all actions on a resource. The action `*` includes every other one (contract 02 R2). */
export function grants({ access }: RegistryToken, { type, name, actions }: Wanted): boolean {
  const granted = new Set(access.flatMap((entry) => (entry.type === type && entry.name === name ? entry.actions : [])))
  return granted.has('*') || actions.every((action) => granted.has(action))
}

const reasons = {
  missing: '',
  invalid: ',error="invalid_token"',
  valid: ',error="insufficient_scope"',
} as const satisfies Record<VerifiedToken['kind'], string>

/**
 * 401 with which a client learns where to get a token and for which scopes (contract 02 R4).
 * @param verified what is known about the token that was sent
 * @param wanted what the token must grant; none where any token suffices
 */
export function challenge(
  { externalUrl }: Pick<Platform, 'externalUrl'>,
  verified: VerifiedToken | { kind: VerifiedToken['kind'] },
  wanted: readonly Wanted[],
): RegistryProblem {
  const scopes = wanted.map(({ type, name, actions }) => `${type}:${name}:${actions.join(',')}`)
  const scope = scopes.length === 0 ? '' : `,scope="${scopes.join(' ')}"`
  const detail = wanted.flatMap(({ type, name, actions }) =>
    actions.map((action) => ({ Type: type, Class: '', Name: name, Action: action })),
  )
  const realm = `Bearer realm="${externalUrl}/jwt/auth",service="container_registry"`
  return registryProblem('UNAUTHORIZED', {
    detail: wanted.length === 0 ? undefined : detail,
    headers: { 'WWW-Authenticate': `${realm}${scope}${reasons[verified.kind]}` },
  })
}

/** The token of a request. @throws RegistryProblem 401 when it is missing or not accepted */
export function acceptedToken(platform: Platform, verified: VerifiedToken, wanted: readonly Wanted[]): RegistryToken {
  if (verified.kind !== 'valid') throw challenge(platform, verified, wanted)
  return verified.token
}
