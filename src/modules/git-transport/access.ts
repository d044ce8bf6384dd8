import { type Actor, ApiError, anonymous, isAdministrator } from '../../api/index.ts'
import { deployKeyJoin } from '../deploy-keys/index.ts'
import type { Project } from '../projects/index.ts'
import { type RepositoryRow, readOnly } from '../repositories/index.ts'
import { userById } from '../users/index.ts'
import type { GitCaller } from './credentials.ts'
import { createTargets, isWikiPath, type Target, type TargetNeeds } from './targets.ts'

/** What git wants: to read (fetch, clone) or to write (push). */
export type GitService = 'git-upload-pack' | 'git-receive-pack'

/** Why git is refused. Each transport puts the words into its own form (contract 22, the table of the transport). */
export type GitRefusal =
  | { kind: 'credentials' }
  | { kind: 'not_found' }
  | { kind: 'forbidden'; sentence: string }
  /** The project that the push would have made cannot be made. */
  | { kind: 'unprocessable'; sentence: string }

/** What a git request was let in to. */
export type GitAccess = {
  /** Whose code or wiki it is, as `row.kind` says; null for the wiki of a group. */
  project: Project | null
  /** The path as it is now, without `.git`. */
  fullPath: string
  row: RepositoryRow
  /** On whose behalf refs move; null for a deploy token, which only reads, and for a deploy key without an active owner. */
  userId: number | null
  /** Set when a deploy key opened it. */
  deployKeyId?: number
  /** Whether the credential may do what administrators do. */
  administrator?: boolean
  /** The path by which the project was reached, when it has moved since. */
  movedFrom: string | null
}

export const sentences = {
  notFound: "The project you were looking for could not be found or you don't have permission to view it.",
  noDownload: 'You are not allowed to download code from this project.',
  tokenNoDownload: 'You are not allowed to download code.',
  noPush: 'You are not allowed to push code to this project.',
  tokenNoPush: 'You are not allowed to upload code.',
  keyNoPush: 'This deploy key does not have write access to this project.',
  archived: "You can't push code to an archived project.",
  readOnly,
} as const

const forbidden = (sentence: string): GitRefusal => ({ kind: 'forbidden', sentence })

const readScopes = ['read_repository', 'write_repository', 'api']
const writeScopes = ['write_repository', 'api']

function hasAny(scopes: ReadonlySet<string>, wanted: readonly string[]): boolean {
  return wanted.some((scope) => scopes.has(scope))
}

function callerActor(caller: GitCaller): Actor {
  return caller.kind === 'actor' ? caller.actor : anonymous
}

/** Null for those who have none, and need none. */
function scopesOf(caller: GitCaller): ReadonlySet<string> | null {
  if (caller.kind === 'deploy_token') return caller.scopes
  return caller.kind === 'actor' && caller.actor.kind === 'user' ? caller.actor.credential.scopes : null
}

function scopeRefusal(caller: GitCaller, service: GitService): GitRefusal | null {
  const scopes = scopesOf(caller)
  if (scopes === null) return null
  if (service === 'git-receive-pack') {
    const mayWrite = caller.kind === 'actor' && hasAny(scopes, writeScopes)
    return mayWrite ? null : forbidden(sentences.tokenNoPush)
  }
  return hasAny(scopes, readScopes) ? null : forbidden(sentences.tokenNoDownload)
}

/** On whose behalf a caller moves refs. */
function behalfOf(caller: GitCaller): Pick<GitAccess, 'userId' | 'deployKeyId' | 'administrator'> {
  if (caller.kind === 'deploy_key') return { userId: caller.ownerId, deployKeyId: caller.keyId }
  if (caller.kind !== 'actor' || caller.actor.kind !== 'user') return { userId: null }
  return { userId: caller.actor.userId, administrator: caller.actor.administrator }
}

export type GitAccessNeeds = TargetNeeds & {
  /** Makes the private project that a push to a free path asks for; null where the caller may make none. */
  createByPush(actor: Actor, fullPath: string): Promise<unknown>
}

/** A refusal in one sentence, for those who are not told in the form of their transport. */
export function sentenceOf(refusal: GitRefusal): string {
  return 'sentence' in refusal ? refusal.sentence : sentences.notFound
}

/** Decides about a git request by the table of contract 22; used by every transport. */
export function gitAccess(needs: GitAccessNeeds) {
  const { database, createByPush } = needs
  const find = createTargets(needs)

  /** The refusal when there is no project at this path, unless this push makes it. */
  async function makeByPush(fullPath: string, caller: GitCaller): Promise<GitRefusal | null> {
    const missing: GitRefusal = { kind: 'not_found' }
    if (caller.kind !== 'actor' || isWikiPath(fullPath) || scopeRefusal(caller, 'git-receive-pack')) return missing
    try {
      return (await createByPush(callerActor(caller), fullPath)) ? null : missing
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      return { kind: 'unprocessable', sentence: JSON.stringify(error.body.message ?? error.body.error) }
    }
  }

  async function opensDeployToken(caller: GitCaller & { kind: 'deploy_token' }, target: Target): Promise<boolean> {
    if (caller.projectId !== null) return caller.projectId === target.project?.id
    return caller.namespaceId !== null && (await target.groupIds()).includes(caller.namespaceId)
  }

  /** Whether the caller is let in by something else than a role; null when they are not. */
  async function opening(caller: GitCaller, target: Target): Promise<{ canPush: boolean } | null> {
    if (caller.kind === 'deploy_token') return (await opensDeployToken(caller, target)) ? { canPush: false } : null
    if (caller.kind !== 'deploy_key' || !target.project) return null
    const join = await deployKeyJoin(database.read, caller.keyId, target.project.id)
    return join && { canPush: join.can_push }
  }

  function pushRefusal(target: Target, row: RepositoryRow, opened: { canPush: boolean } | null): GitRefusal | null {
    if (target.refusesWrites) return forbidden(sentences.archived)
    if (row.read_only) return forbidden(sentences.readOnly)
    if (opened) return opened.canPush ? null : forbidden(sentences.keyNoPush)
    return target.mayPush ? null : forbidden(sentences.noPush)
  }

  /** The caller as they are now; null when their account has been closed since they came. */
  async function asOfNow(caller: GitCaller): Promise<GitCaller | null> {
    if (caller.kind !== 'actor' || caller.actor.kind !== 'user') return caller
    const { actor } = caller
    const user = await userById(database.read, actor.userId)
    if (user?.state !== 'active') return null
    return { kind: 'actor', actor: { ...actor, administrator: actor.administrator && user.is_admin } }
  }

  /**
   * @param fullPath path of the project, or of a wiki, as the client wrote it, without `.git`
   * @param isAgain whether the caller was let in before: it is looked at who they are now, and nothing is made
   */
  return async function admit(
    fullPath: string,
    who: GitCaller,
    service: GitService,
    { isAgain = false }: { isAgain?: boolean } = {},
  ): Promise<GitAccess | GitRefusal> {
    const caller = isAgain ? await asOfNow(who) : who
    if (!caller) return { kind: 'not_found' }
    const actor = callerActor(caller)
    const known = caller.kind !== 'actor' || actor.kind === 'user'
    const missing: GitRefusal = known ? { kind: 'not_found' } : { kind: 'credentials' }
    let target = await find(fullPath, actor)
    if (!target && known && !isAgain && service === 'git-receive-pack') {
      const refused = await makeByPush(fullPath, caller)
      if (refused) return refused
      target = await find(fullPath, actor)
    }
    if (!target) return missing
    const opened = await opening(caller, target)
    // A key opens what it is joined to, and not even what everybody may see.
    if (!opened && (caller.kind === 'deploy_key' || !target.isSeen)) return missing
    if (!known && service === 'git-receive-pack') return { kind: 'credentials' }
    const scope = scopeRefusal(caller, service)
    if (scope) return scope
    if (opened ? !target.isOn : !target.mayRead) {
      return known || isAdministrator(actor) ? forbidden(sentences.noDownload) : missing
    }
    const row = await target.row()
    if (!row) return missing
    const refused = service === 'git-receive-pack' ? pushRefusal(target, row, opened) : null
    if (refused) return refused
    const { project, moved } = target
    return { project, fullPath: target.fullPath, row, ...behalfOf(caller), movedFrom: moved ? fullPath : null }
  }
}
