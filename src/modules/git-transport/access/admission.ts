import { ApiError, dayOf } from '../../../api/index.ts'
import { maintenanceSentence, type Platform } from '../../../platform/index.ts'
import type { RepositoryRow } from '../../../platform/repositories/index.ts'
import { deployKeyJoin } from '../../deploy-keys/index.ts'
import { createByPush, type Project, projectById, settingOf, visibleProject } from '../../projects/index.ts'
import { currentDeployToken, currentUser } from '../../tokens/index.ts'
import { currentSshCaller } from '../ssh/identity.ts'
import { actorOf, certificateOf, type GitCaller, jobOf, scopesOf } from './callers.ts'
import { forbidden, type GitRefusal, projectWords, sentences, snippetWords } from './refusals.ts'
import { parseSnippetPath } from './snippet-target.ts'
import type { Target } from './target.ts'
import { findTarget, isWikiPath } from './targets.ts'

/** `git-upload-pack` reads (fetch, clone), `git-receive-pack` writes (push). */
export type GitService = 'git-upload-pack' | 'git-receive-pack'

/** An admitted git request. */
export type GitAccess = {
  /** The project whose code or wiki it is, as `row.kind` says; null for the wiki of a group, and for snippets. */
  project: Project | null
  /** The current path, without `.git`. */
  fullPath: string
  row: RepositoryRow
  /** The account that moves refs; null for a deploy token, and for a deploy key without an active owner. */
  userId: number | null
  /** Set when the caller is a deploy key. */
  deployKeyId?: number
  /** Whether the credential has administrator rights. */
  administrator?: boolean
  /** The former path under which the project was found; null for the current one. */
  movedFrom: string | null
}

const readScopes = ['read_repository', 'write_repository', 'api']
const writeScopes = ['write_repository', 'api']

function scopeRefusal(caller: GitCaller, service: GitService): GitRefusal | null {
  const scopes = scopesOf(caller)
  if (scopes === null) return null
  const hasAny = (wanted: readonly string[]) => wanted.some((scope) => scopes.has(scope))
  if (service === 'git-upload-pack') return hasAny(readScopes) ? null : forbidden(sentences.tokenNoDownload)
  return caller.kind === 'actor' && hasAny(writeScopes) ? null : forbidden(sentences.tokenNoPush)
}

/**
 * Why a job may not do this: it reads its own project, writes there if the project allows it, and fetches what everyone may
 * fetch (contract 22, the table of the transport and R2).
 */
async function jobRefusal(
  platform: Platform,
  caller: GitCaller,
  { project, isSeen, mayRead, words }: Target,
  service: GitService,
): Promise<GitRefusal | null> {
  const job = jobOf(caller)
  if (!job) return null
  if (!project) return words.notFound
  const isPush = service === 'git-receive-pack'
  if (project.id === job.projectId) {
    const isRefused = isPush && !settingOf(project, 'ci_push_repository_for_job_token_allowed')
    return isRefused ? forbidden(sentences.tokenNoPush) : null
  }
  if (isSeen && mayRead && !isPush) return null
  // The sentence names the project, so only users who can see it get it.
  const { projectId: _, ...credential } = job.actor.credential
  const { read } = platform.database
  const user = { ...job.actor, credential }
  const seen = await visibleProject(read, String(project.id), user, dayOf(platform.clock.now()))
  const own = seen && (await projectById(read, job.projectId))
  return own ? forbidden(sentences.otherProject(own.full_path, seen.full_path)) : { kind: 'not_found' }
}

function accountOf(caller: GitCaller): Pick<GitAccess, 'userId' | 'deployKeyId' | 'administrator'> {
  if (caller.kind === 'deploy_key') return { userId: caller.ownerId, deployKeyId: caller.keyId }
  if (caller.kind !== 'actor' || caller.actor.kind !== 'user') return { userId: null }
  return { userId: caller.actor.userId, administrator: caller.actor.administrator }
}

/** Creates the project that a push to a free path asks for. @returns the refusal when it cannot */
async function refusalOfCreation(platform: Platform, fullPath: string, caller: GitCaller): Promise<GitRefusal | null> {
  const missing: GitRefusal = { kind: 'not_found' }
  if (
    caller.kind !== 'actor' ||
    jobOf(caller) ||
    certificateOf(caller) ||
    isWikiPath(fullPath) ||
    scopeRefusal(caller, 'git-receive-pack')
  )
    return missing
  try {
    return (await createByPush(platform, caller.actor, fullPath)) ? null : missing
  } catch (error) {
    if (!(error instanceof ApiError) || error.status >= 500) throw error
    return { kind: 'unprocessable', sentence: JSON.stringify(error.body.message ?? error.body.error) }
  }
}

async function opensByDeployToken(caller: GitCaller & { kind: 'deploy_token' }, target: Target): Promise<boolean> {
  if (caller.projectId !== null) return caller.projectId === target.project?.id
  return caller.namespaceId !== null && (await target.groupIds()).includes(caller.namespaceId)
}

/** The rights that a deploy key or deploy token has by itself; null for other callers, and where it has none. */
async function rightsOfKey(
  platform: Platform,
  caller: GitCaller,
  target: Target,
): Promise<{ canPush: boolean } | null> {
  if (caller.kind === 'deploy_token') return (await opensByDeployToken(caller, target)) ? { canPush: false } : null
  if (caller.kind !== 'deploy_key' || !target.project) return null
  const join = await deployKeyJoin(platform.database.read, caller.keyId, target.project.id)
  return join && { canPush: join.can_push }
}

function pushRefusal(
  target: Target,
  row: RepositoryRow,
  rights: { canPush: boolean } | null,
  maintenance: string | null,
): GitRefusal | null {
  if (maintenance !== null) return forbidden(maintenance)
  if (target.refusesWrites) return forbidden(sentences.archived)
  if (row.read_only) return forbidden(sentences.readOnly)
  if (rights) return rights.canPush ? null : forbidden(sentences.keyNoPush)
  return target.mayPush ? null : forbidden(target.words.noPush)
}

/** The caller with the rights of now; null when the credential or the account has ended since it was read. */
async function currentCaller(platform: Platform, caller: GitCaller): Promise<GitCaller | null> {
  if (caller.kind === 'deploy_token') return (await currentDeployToken(platform, caller.id)) && caller
  if (caller.kind === 'deploy_key') return currentSshCaller(platform, { keyId: caller.keyId })
  if (caller.actor.kind !== 'user') return caller
  const { userId, credential } = caller.actor
  const certificate = certificateOf(caller)
  if (certificate) return currentSshCaller(platform, { certificate: certificate.held })
  if (credential.kind === 'ssh_key') return currentSshCaller(platform, { keyId: credential.id ?? 0 })
  const actor = await currentUser(platform, userId, credential)
  // The scopes of a password are those of the transport.
  return actor && { kind: 'actor', actor: { ...actor, credential } }
}

/** The target of a path. A push to a free path creates the project first. */
async function targetOf(platform: Platform, fullPath: string, caller: GitCaller, creates: boolean) {
  const actor = actorOf(caller)
  const found = await findTarget(platform, fullPath, actor)
  if (found || !creates || parseSnippetPath(fullPath)) return found
  return (await refusalOfCreation(platform, fullPath, caller)) ?? findTarget(platform, fullPath, actor)
}

/**
 * Decides about a git request by the table of contract 22, for every transport.
 * @param fullPath path of the project, wiki or snippet as the client sent it, without `.git`
 * @param options.isAgain the caller was admitted before: current rights are checked, and no project is created
 */
export async function admit(
  platform: Platform,
  fullPath: string,
  who: GitCaller,
  service: GitService,
  { isAgain = false }: { isAgain?: boolean } = {},
): Promise<GitAccess | GitRefusal> {
  const caller = isAgain ? await currentCaller(platform, who) : who
  const { notFound } = parseSnippetPath(fullPath) ? snippetWords : projectWords
  if (!caller) return notFound
  const actor = actorOf(caller)
  const known = caller.kind !== 'actor' || actor.kind === 'user'
  const missing: GitRefusal = known ? notFound : { kind: 'credentials' }
  const isPush = service === 'git-receive-pack'
  const maintenance = isPush ? await maintenanceSentence(platform) : null
  const target = await targetOf(platform, fullPath, caller, known && isPush && !isAgain && maintenance === null)
  if (!target) return missing
  if ('kind' in target) return target
  const certificate = certificateOf(caller)
  if (certificate && !(await target.groupIds()).includes(certificate.groupId)) return missing
  const refusedJob = await jobRefusal(platform, caller, target, service)
  if (refusedJob) return refusedJob
  // Deploy tokens and keys open no snippets, public ones included (contract 09, x.snippet_git_refs).
  if (caller.kind !== 'actor' && target.words === snippetWords) return missing
  const rights = await rightsOfKey(platform, caller, target)
  // A deploy key opens only the projects it is enabled for, public ones included.
  if (!rights && (caller.kind === 'deploy_key' || !target.isSeen)) return missing
  if (!known && isPush) return { kind: 'credentials' }
  const refusedScope = scopeRefusal(caller, service)
  if (refusedScope) return refusedScope
  if (rights ? !target.isOn : !target.mayRead) {
    return known ? forbidden(sentences.noDownload) : missing
  }
  const row = await target.row()
  if (!row) return target.words.noRepository ?? missing
  const refused = isPush ? pushRefusal(target, row, rights, maintenance) : null
  if (refused) return refused
  const { project, moved } = target
  return { project, fullPath: target.fullPath, row, ...accountOf(caller), movedFrom: moved ? fullPath : null }
}
