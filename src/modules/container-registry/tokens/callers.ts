import { type Actor, anonymous, type UserActor } from '../../../api/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { type GitCaller, identify, parseBasic } from '../../git-transport/index.ts'
import type { AuthType } from './issue.ts'
import { type RepositoryAction, repositoryActions } from './scopes.ts'

/** A running CI job that authenticates by its token. */
export type RegistryJob = {
  /** The user who started the job. */
  user: UserActor
  projectId: number
  /** Which of these projects admit jobs of that project. */
  admittedTo(projectIds: readonly number[]): Promise<ReadonlySet<number>>
}

declare module '../../../platform/platform.ts' {
  interface Questions {
    /** The pending or running job of a token; null for every other text (contract 02 R2). */
    'container_registry.job': (token: string) => Promise<RegistryJob | null>
  }
}

/** Who asks for a token, with the actions that the credential can carry. */
export type RegistryCaller = {
  authType: AuthType
  /** Name in the token; null for the anonymous user. */
  subject: string | null
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
  const { kind, scopes } = actor.credential
  const common = { subject: actor.username, actor }
  if (kind === 'password') return { ...common, authType: 'gitlab_or_ldap', carries: everything }
  const authType = kind === 'oauth' ? 'oauth' : 'personal_access_token'
  return { ...common, authType, carries: actionsOf(scopes) }
}

function callerOf(git: GitCaller, username: string): RegistryCaller {
  if (git.kind === 'deploy_token') {
    const { projectId, namespaceId, scopes } = git
    const common = { authType: 'deploy_token' as const, subject: username, actor: anonymous }
    return { ...common, carries: actionsOf(scopes), deployToken: { projectId, namespaceId } }
  }
  if (git.kind === 'actor' && git.actor.kind === 'user') return userCaller(git.actor)
  return { authType: 'none', subject: null, actor: anonymous, carries: new Set(['pull'] as const) }
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
      ? await platform.ports['container_registry.job'](platform, password)
      : null
  if (job) {
    const { user } = job
    return { authType: 'build', subject: user.username, actor: user, carries: new Set(['pull', 'push', 'delete']), job }
  }
  return callerOf(await identify(platform, authorization, ip), username)
}
