import { type Actor, ApiError, type Authenticator, anonymous, type UserActor, unavailable } from '../../api/index.ts'
import type { Clock } from '../../infra/clock/index.ts'
import { type Database, now } from '../../infra/database/index.ts'
import { hashToken, PasswordQueueFull } from '../../infra/secrets/index.ts'
import { type AccountSettings, accountProblem, actorOf, deployTokenByDigest } from '../tokens/index.ts'
import type { SignIn } from '../users/index.ts'

/**
 * Who talks git: an actor of the API; or a deploy token, which is nobody but opens the repositories of its project or
 * group; or a deploy key, which opens those of the projects that it is joined to.
 */
export type GitCaller =
  | { kind: 'actor'; actor: Actor }
  /** `ownerId`: whoever made the key, as long as they are active. */
  | { kind: 'deploy_key'; keyId: number; ownerId: number | null }
  | { kind: 'deploy_token'; projectId: number | null; namespaceId: number | null; scopes: ReadonlySet<string> }

/** The credentials were wrong, or may not be used; git hears one answer for all of it (contract 22). */
export class GitAccessDenied extends Error {}

export type CredentialNeeds = {
  database: Database
  clock: Clock
  authenticator: Authenticator
  signIn: SignIn
  policy(): Promise<AccountSettings & { password_authentication_enabled_for_git: boolean }>
}

/** User name and password of a Basic header. */
export type Basic = { username: string; password: string }

/** Reads a Basic header; undefined when there is none, null when it cannot be read. */
export function parseBasic(authorization: string | undefined): Basic | null | undefined {
  if (authorization === undefined || authorization === '') return undefined
  const encoded = /^basic\s+([A-Za-z0-9+/=_-]+)\s*$/i.exec(authorization)?.[1]
  if (!encoded) return null
  const text = Buffer.from(encoded, 'base64').toString('utf8')
  const colon = text.indexOf(':')
  return colon < 0 ? null : { username: text.slice(0, colon), password: text.slice(colon + 1) }
}

/** Scopes that a signed-in person has by password: all that git asks for. */
const passwordScopes = ['read_repository', 'write_repository']

/** Finds who stands behind the credentials of a git request; the order of kinds is that of contract 22. */
export function gitAuthentication({ database, clock, authenticator, signIn, policy }: CredentialNeeds) {
  async function byToken(text: string, ip: string): Promise<UserActor | null> {
    try {
      return await authenticator.authenticate({ carrier: 'bearer', text }, ip)
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      // An unknown token may still be a password; one that is known and refused ends it here.
      if (error.code === 'unauthorized') return null
      throw new GitAccessDenied()
    }
  }

  async function byDeployToken({ username, password }: Basic): Promise<GitCaller | null> {
    const token = await deployTokenByDigest(database.read, hashToken(password))
    if (!token || token.username !== username) return null
    if (token.revoked || (token.expires_at !== null && token.expires_at <= now(clock))) throw new GitAccessDenied()
    const { project_id, namespace_id, scopes } = token
    return { kind: 'deploy_token', projectId: project_id, namespaceId: namespace_id, scopes: new Set(scopes) }
  }

  async function byPassword({ username, password }: Basic, ip: string): Promise<UserActor | null> {
    const rules = await policy()
    if (!rules.password_authentication_enabled_for_git) return null
    const user = await signIn(username, password, ip).catch((error) => {
      throw error instanceof PasswordQueueFull ? unavailable() : error
    })
    if (!user) return null
    const account = { ...user, user_id: user.id }
    if (accountProblem(account, rules)) throw new GitAccessDenied()
    return actorOf(account, { kind: 'password', id: null, scopes: passwordScopes }, rules)
  }

  /**
   * @returns who calls; nobody when there are no credentials
   * @throws GitAccessDenied; ApiError 503 while too many passwords wait to be looked at
   */
  return async function identify(authorization: string | undefined, ip: string): Promise<GitCaller> {
    const basic = parseBasic(authorization)
    if (basic === undefined) return { kind: 'actor', actor: anonymous }
    if (basic === null || basic.password === '') throw new GitAccessDenied()
    const token = basic.username === '' ? null : await byToken(basic.password, ip)
    if (token) return { kind: 'actor', actor: token }
    const deploy = await byDeployToken(basic)
    if (deploy) return deploy
    const person = await byPassword(basic, ip)
    if (person) return { kind: 'actor', actor: person }
    throw new GitAccessDenied()
  }
}
