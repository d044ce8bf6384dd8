import { ApiError, anonymous, type Basic, parseBasic, type UserActor, unavailable } from '../../../api/index.ts'
import { now } from '../../../infra/database/index.ts'
import { hashToken, PasswordQueueFull } from '../../../infra/secrets/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { accountProblem, actorOf, authenticate, deployTokenByDigest, passwordMark } from '../../tokens/index.ts'
import { signIn } from '../../users/index.ts'
import type { GitCaller } from './callers.ts'

/** The credentials are wrong or may not be used; git gets one answer for all such cases (contract 22). */
export class GitAccessDenied extends Error {}

/** The scopes of a sign-in by password. */
const passwordScopes = ['read_repository', 'write_repository']

async function byToken(platform: Platform, text: string): Promise<UserActor | null> {
  try {
    return await authenticate(platform, { carrier: 'bearer', text })
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    // An unknown token may be a password; a known token that is refused ends the search.
    if (error.code === 'unauthorized') return null
    throw new GitAccessDenied()
  }
}

/** The user name with which jobs send their tokens. */
const jobUsername = 'gitlab-ci-token'

const byJobToken = async (platform: Platform, { username, password }: Basic): Promise<UserActor | null> =>
  username === jobUsername ? platform.ports['tokens.job'](platform, { token: password }) : null

async function byDeployToken(platform: Platform, { username, password }: Basic): Promise<GitCaller | null> {
  const token = await deployTokenByDigest(platform.database.read, hashToken(password))
  if (!token || token.username !== username) return null
  const isExpired = token.expires_at !== null && token.expires_at <= now(platform.clock)
  if (token.revoked || isExpired) throw new GitAccessDenied()
  const { id, project_id, namespace_id, scopes } = token
  return { kind: 'deploy_token', id, projectId: project_id, namespaceId: namespace_id, scopes: new Set(scopes) }
}

async function byPassword(platform: Platform, { username, password }: Basic, ip: string): Promise<UserActor | null> {
  const settings = await platform.settings.current()
  if (!settings.password_authentication_enabled_for_git) return null
  const user = await signIn(platform, username, password, ip).catch((error) => {
    throw error instanceof PasswordQueueFull ? unavailable() : error
  })
  if (!user) return null
  const account = { ...user, user_id: user.id }
  if (accountProblem(account, settings)) throw new GitAccessDenied()
  const credential = { kind: 'password', id: null, mark: passwordMark(user), scopes: passwordScopes } as const
  return actorOf(platform, account, credential, settings)
}

/**
 * Finds the caller of a git request; the kinds of credentials are tried in the order of contract 22.
 * @returns the anonymous user when there are no credentials
 * @throws GitAccessDenied; ApiError 503 while too many passwords wait for verification
 */
export async function identify(platform: Platform, authorization: string | undefined, ip: string): Promise<GitCaller> {
  const basic = parseBasic(authorization)
  if (basic === undefined) return { kind: 'actor', actor: anonymous }
  if (basic === null || basic.password === '') throw new GitAccessDenied()
  const job = await byJobToken(platform, basic)
  if (job) return { kind: 'actor', actor: job }
  const user = basic.username === '' ? null : await byToken(platform, basic.password)
  if (user) return { kind: 'actor', actor: user }
  const deployToken = await byDeployToken(platform, basic)
  if (deployToken) return deployToken
  const signedIn = await byPassword(platform, basic, ip)
  if (signedIn) return { kind: 'actor', actor: signedIn }
  throw new GitAccessDenied()
}
