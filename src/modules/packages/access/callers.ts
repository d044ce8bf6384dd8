import {
  type Actor,
  ApiError,
  anonymous,
  header,
  insufficientScope,
  parseBasic,
  presentedToken,
  type RequestInfo,
  type UserActor,
} from '../../../api/index.ts'
import { now } from '../../../infra/database/index.ts'
import { hashToken } from '../../../infra/secrets/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { authenticate, deployTokenByDigest } from '../../tokens/index.ts'
import { authenticationRequired } from './problems.ts'

/** The caller of a package client's request (contract 23 R2). */
export type PackageCaller =
  | { kind: 'anonymous' }
  /** A user, by any token; of a job the credential names its project. */
  | { kind: 'user'; actor: UserActor }
  | {
      kind: 'deploy_token'
      id: number
      projectId: number | null
      namespaceId: number | null
      scopes: ReadonlySet<string>
    }

const jobUsername = 'gitlab-ci-token'

async function byDeployToken({ database, clock }: Platform, text: string): Promise<PackageCaller | null> {
  const token = await deployTokenByDigest(database.read, hashToken(text))
  if (!token) return null
  const isExpired = token.expires_at !== null && token.expires_at <= now(clock)
  if (token.revoked || isExpired) throw authenticationRequired()
  const { id, project_id: projectId, namespace_id: namespaceId, scopes } = token
  return { kind: 'deploy_token', id, projectId, namespaceId, scopes: new Set(scopes) }
}

/** @throws ApiError 401 for tokens that have ended, 403 when the account may not be used; null for unknown texts */
async function byUserToken(platform: Platform, carrier: 'private' | 'bearer' | 'job', text: string) {
  try {
    return { kind: 'user' as const, actor: await authenticate(platform, { carrier, text }) }
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 401) throw error
    // A token that was valid once ends the search.
    if (error.code !== 'unauthorized') throw authenticationRequired()
    return null
  }
}

/** The caller that the first successful attempt finds; without one the credential is wrong. @throws ApiError 401 */
async function firstOf(...attempts: (() => Promise<PackageCaller | null>)[]): Promise<PackageCaller> {
  for (const attempt of attempts) {
    const caller = await attempt()
    if (caller) return caller
  }
  throw authenticationRequired()
}

/** @throws ApiError 401 */
function byBasic(platform: Platform, authorization: string): Promise<PackageCaller> {
  const basic = parseBasic(authorization)
  if (!basic || basic.password === '') throw authenticationRequired()
  const { username, password } = basic
  if (username === jobUsername) return firstOf(() => byUserToken(platform, 'job', password))
  return firstOf(
    async () => (username === '' ? null : byUserToken(platform, 'private', password)),
    () => byDeployToken(platform, password),
  )
}

/**
 * Finds the caller of a package client's request. Of several credentials the first counts: job token, bearer, private token, deploy
 * token, Basic.
 * @param options.tokenHeaders whether the format takes tokens in headers of their own
 * @throws ApiError 401 for a wrong, expired or revoked credential, also where anonymous callers may read; 403 when the account may not be used
 */
export async function identifyPackageCaller(
  platform: Platform,
  request: RequestInfo,
  { tokenHeaders }: { tokenHeaders: boolean },
): Promise<PackageCaller> {
  const token = presentedToken(request)
  if (token?.carrier === 'bearer') {
    return firstOf(
      () => byUserToken(platform, 'bearer', token.text),
      () => byDeployToken(platform, token.text),
      () => byUserToken(platform, 'job', token.text),
    )
  }
  if (token && tokenHeaders) return firstOf(() => byUserToken(platform, token.carrier, token.text))
  const deployToken = tokenHeaders ? header(request, 'deploy-token') : undefined
  if (deployToken) return firstOf(() => byDeployToken(platform, deployToken))
  const authorization = header(request, 'authorization')
  return authorization ? byBasic(platform, authorization) : { kind: 'anonymous' }
}

/** The actor whose roles count; deploy tokens have none. */
export const actorOf = (caller: PackageCaller): Actor => (caller.kind === 'user' ? caller.actor : anonymous)

/** The project of the job whose token the caller has sent; undefined for other callers. */
export const jobProjectOf = (caller: PackageCaller): number | undefined =>
  caller.kind === 'user' ? caller.actor.credential.projectId : undefined

const scopesFor = {
  read: { user: ['api', 'read_api'], deploy_token: ['read_package_registry', 'write_package_registry'] },
  write: { user: ['api'], deploy_token: ['write_package_registry'] },
} as const

/** What a request does; dist-tags and deprecations are writes. */
export type PackageUse = keyof typeof scopesFor

/**
 * Requires that a token has a scope for a use (contract 23 R2).
 * @throws ApiError 403 insufficient_scope; 403 for a deploy token that may only read
 */
export function requirePackageScope(caller: PackageCaller, use: PackageUse): void {
  if (caller.kind === 'anonymous') return
  const scopes = caller.kind === 'user' ? caller.actor.credential.scopes : caller.scopes
  const acceptable = scopesFor[use][caller.kind]
  if (!acceptable.some((scope) => scopes.has(scope))) throw insufficientScope(acceptable)
}

/** What all operations for package clients have; their throttle is that of contract 23 R9. */
export const forClients = {
  tag: 'Packages',
  scopes: 'any',
  ownAuthentication: true,
  throttle: {
    name: 'packages_api',
    async caller(platform: Platform, request: RequestInfo) {
      const caller = await identifyPackageCaller(platform, request, { tokenHeaders: true })
      if (caller.kind === 'anonymous') return null
      return caller.kind === 'user' ? String(caller.actor.userId) : `deploy-token-${caller.id}`
    },
  },
} as const
