import { type Actor, ApiError, anonymous, dayOf, isAdministrator } from '../../api/index.ts'
import type { Clock } from '../../infra/clock/index.ts'
import type { Database } from '../../infra/database/index.ts'
import { ancestorsOf, findRoute } from '../namespaces/index.ts'
import { canSee, may, type Project, projectById, refusesWrites, withRole } from '../projects/index.ts'
import { type RepositoryRow, repositoryOfProject } from '../repositories/index.ts'
import type { GitCaller } from './credentials.ts'

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
  project: Project
  row: RepositoryRow
  /** On whose behalf refs move; null for a deploy token, which only reads. */
  userId: number | null
  /** The path by which the project was reached, when it has moved since. */
  movedFrom: string | null
}

export const sentences = {
  notFound: "The project you were looking for could not be found or you don't have permission to view it.",
  noDownload: 'You are not allowed to download code from this project.',
  tokenNoDownload: 'You are not allowed to download code.',
  noPush: 'You are not allowed to push code to this project.',
  tokenNoPush: 'You are not allowed to upload code.',
  archived: "You can't push code to an archived project.",
  readOnly: 'The repository is temporarily read-only. Please try again later.',
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

function scopeRefusal(caller: GitCaller, service: GitService): GitRefusal | null {
  const scopes =
    caller.kind === 'deploy_token'
      ? caller.scopes
      : caller.actor.kind === 'user'
        ? caller.actor.credential.scopes
        : null
  if (scopes === null) return null
  if (service === 'git-receive-pack') {
    const mayWrite = caller.kind === 'actor' && hasAny(scopes, writeScopes)
    return mayWrite ? null : forbidden(sentences.tokenNoPush)
  }
  return hasAny(scopes, readScopes) ? null : forbidden(sentences.tokenNoDownload)
}

export type GitAccessNeeds = {
  database: Database
  clock: Clock
  /** Makes the private project that a push to a free path asks for; null where the caller may make none. */
  createByPush(actor: Actor, fullPath: string): Promise<unknown>
}

/** Decides about a git request by the table of contract 22; used by every transport. */
export function gitAccess({ database, clock, createByPush }: GitAccessNeeds) {
  const db = database.read

  /** The refusal when there is no project at this path, unless this push makes it. */
  async function makeByPush(fullPath: string, caller: GitCaller): Promise<GitRefusal | null> {
    const missing: GitRefusal = { kind: 'not_found' }
    if (scopeRefusal(caller, 'git-receive-pack')) return missing
    try {
      return (await createByPush(callerActor(caller), fullPath)) ? null : missing
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      return { kind: 'unprocessable', sentence: JSON.stringify(error.body.message ?? error.body.error) }
    }
  }

  async function opensDeployToken(caller: GitCaller & { kind: 'deploy_token' }, project: Project): Promise<boolean> {
    if (caller.projectId !== null) return caller.projectId === project.id
    const groups = await ancestorsOf(db, project.namespace_id)
    return groups.some(({ id }) => id === caller.namespaceId)
  }

  async function find(fullPath: string, actor: Actor): Promise<{ project: Project; moved: boolean } | null> {
    const route = await findRoute(db, fullPath)
    const row = route?.projectId ? await projectById(db, route.projectId) : null
    if (!route || !row || row.pending_delete) return null
    return { project: await withRole(db, row, actor, dayOf(clock.now())), moved: route.redirect }
  }

  function pushRefusal(actor: Actor, project: Project, row: RepositoryRow): GitRefusal | null {
    if (refusesWrites(project)) return forbidden(sentences.archived)
    if (row.read_only) return forbidden(sentences.readOnly)
    return may(actor, project, 'push_code') ? null : forbidden(sentences.noPush)
  }

  /** @param fullPath path of the project as the client wrote it, without `.git` */
  return async function admit(
    fullPath: string,
    caller: GitCaller,
    service: GitService,
  ): Promise<GitAccess | GitRefusal> {
    const actor = callerActor(caller)
    const known = caller.kind === 'deploy_token' || actor.kind === 'user'
    const missing: GitRefusal = known ? { kind: 'not_found' } : { kind: 'credentials' }
    let found = await find(fullPath, actor)
    if (!found && known && service === 'git-receive-pack') {
      const refused = await makeByPush(fullPath, caller)
      if (refused) return refused
      found = await find(fullPath, actor)
    }
    if (!found) return missing
    const { project, moved } = found
    const byToken = caller.kind === 'deploy_token' && (await opensDeployToken(caller, project))
    if (!byToken && !canSee(actor, project)) return missing
    if (!known && service === 'git-receive-pack') return { kind: 'credentials' }
    const scope = scopeRefusal(caller, service)
    if (scope) return scope
    const row = await repositoryOfProject(db, project.id)
    if (!row) return missing
    if (!byToken && !may(actor, project, 'read_code')) {
      return known || isAdministrator(actor) ? forbidden(sentences.noDownload) : missing
    }
    const refused = service === 'git-receive-pack' ? pushRefusal(actor, project, row) : null
    if (refused) return refused
    return { project, row, userId: actor.kind === 'user' ? actor.userId : null, movedFrom: moved ? fullPath : null }
  }
}
