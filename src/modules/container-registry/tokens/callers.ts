import { type Actor, anonymous, parseBasic, type UserActor } from '../../../api/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { type GitCaller, identify } from '../../git-transport/index.ts'
import { currentDeployToken, currentUser } from '../../tokens/index.ts'
import type { AuthType } from './issue.ts'
import { type RepositoryAction, repositoryActions } from './scopes.ts'
import type { RegistryToken, TokenCredential } from './verify.ts'

/** A running CI job that authenticates by its token. */
export type RegistryJob = {
  id: number
  /** The user who started the job. */
  user: UserActor
  projectId: number
  /** Which of these projects admit jobs of that project. */
  admittedTo(projectIds: readonly number[]): Promise<ReadonlySet<number>>
}

declare module '../../../platform/platform.ts' {
  interface Questions {
    /** The pending or running job of a token, or with an id; null for every other text or job (contract 02 R2). */
    'container_registry.job': (job: { token: string } | { id: number }) => Promise<RegistryJob | null>
  }
}

/** Who asks for a token, with the actions that the credential can carry. */
export type RegistryCaller = {
  authType: AuthType
  /** Name in the token; null for the anonymous user. */
  subject: string | null
  /** What the caller signed in with; null for the anonymous user. */
  credential: TokenCredential | null
  /** Whose roles count; the anonymous user for deploy tokens. */
  actor: Actor
  carries: ReadonlySet<RepositoryAction>
  /** Set for a deploy token: what it opens by itself. */
  deployToken?: { projectId: number | null; namespaceId: number | null }
  job?: RegistryJob
}

const everything: ReadonlySet<RepositoryAction> = new Set(repositoryActions)

/** The actions that scopes of a token permit (contract 02 R2). */
function actionsOf(scopes: ReadonlySet<string>): ReadonlySet<RepositoryAction> {
  if (scopes.has('api')) return everything
  const actions = new Set<RepositoryAction>()
  if (scopes.has('read_api') || scopes.has('read_registry')) actions.add('pull')
  if (scopes.has('write_registry')) actions.add('push')
  return actions
}

function userCaller(actor: UserActor): RegistryCaller {
  const { kind, id, scopes, mark } = actor.credential
  const credential = { kind, id, user: actor.userId, ...(mark === undefined ? {} : { mark }) }
  const common = { subject: actor.username, credential, actor }
  if (kind === 'password') return { ...common, authType: 'gitlab_or_ldap', carries: everything }
  const authType = kind === 'oauth' ? 'oauth' : 'personal_access_token'
  return { ...common, authType, carries: actionsOf(scopes) }
}

type DeployToken = Extract<GitCaller, { kind: 'deploy_token' }>

function deployTokenCaller(
  { id, projectId, namespaceId, scopes }: Omit<DeployToken, 'kind'>,
  username: string,
): RegistryCaller {
  const credential = { kind: 'deploy_token', id } as const
  const common = { authType: 'deploy_token' as const, subject: username, credential, actor: anonymous }
  return { ...common, carries: actionsOf(scopes), deployToken: { projectId, namespaceId } }
}

const anyone: RegistryCaller = {
  ...{ authType: 'none', subject: null, credential: null, actor: anonymous },
  carries: new Set(['pull'] as const),
}

function jobCaller(job: RegistryJob): RegistryCaller {
  const { id, user } = job
  const common = { authType: 'build' as const, subject: user.username, credential: { kind: 'job', id } as const }
  return { ...common, actor: user, carries: new Set(['pull', 'push', 'delete']), job }
}

function callerOf(git: GitCaller, username: string): RegistryCaller {
  if (git.kind === 'deploy_token') return deployTokenCaller(git, username)
  return git.kind === 'actor' && git.actor.kind === 'user' ? userCaller(git.actor) : anyone
}

const jobUsername = 'gitlab-ci-token'

/**
 * Finds who asks for a token, by the credentials of git over HTTP (contract 02 R2).
 * @throws GitAccessDenied; ApiError 503 while too many passwords wait for verification
 */
export async function identifyRegistryCaller(
  platform: Platform,
  authorization: string | undefined,
  ip: string,
): Promise<RegistryCaller> {
  const { username = '', password = '' } = parseBasic(authorization) ?? {}
  const job =
    username === jobUsername && password !== ''
      ? await platform.ports['container_registry.job'](platform, { token: password })
      : null
  if (job) return jobCaller(job)
  return callerOf(await identify(platform, authorization, ip), username)
}

/**
 * The caller for whom a token was issued, with the rights of now (contract 02 R3).
 * @returns null when the credential has ended: revoked, expired, replaced, the job is finished, or the account may not be used
 */
export async function currentCaller(platform: Platform, token: RegistryToken): Promise<RegistryCaller | null> {
  const { credential, subject } = token
  if (credential === null || subject === null) return anyone
  const { kind, id, user = 0, ...mark } = credential
  if (kind === 'deploy_token') {
    const row = await currentDeployToken(platform, id ?? 0)
    const { project_id: projectId = null, namespace_id: namespaceId = null, scopes = [] } = row ?? {}
    return row && deployTokenCaller({ id: row.id, projectId, namespaceId, scopes: new Set(scopes) }, subject)
  }
  if (kind === 'job') {
    const job = await platform.ports['container_registry.job'](platform, { id: id ?? 0 })
    return job && jobCaller(job)
  }
  const actor = await currentUser(platform, user, { kind, id, ...mark })
  return actor && userCaller(actor)
}
