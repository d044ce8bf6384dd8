import { type Actor, ApiError, failure, forbidden } from '../../../api/index.ts'
import {
  branchRef,
  type Commit,
  type FileChange,
  type Incoming,
  type Oid,
  type Person,
  RefConflict,
  type RefName,
  type Repository,
  zeroOid,
} from '../../../infra/git/index.ts'
import type { Platform } from '../../../platform/index.ts'
import {
  changeRefs,
  type OpenedRepository,
  oneAtATime,
  openRepositoryForWriting,
  RefRefused,
  writerOf,
} from '../../../platform/repositories/index.ts'
import type { Project } from '../../projects/index.ts'
import { mayPush } from '../../protected-branches/index.ts'
import { commitIdentity, userById } from '../../users/index.ts'
import { requireSoundGitModules } from './git-modules.ts'
import { type CommitStart, startingPoint } from './start.ts'

/** The repository and the parent of a new commit; null for a first commit. */
export type CommitBase = { repository: Repository; base: Oid | null }

type CommitWrite = {
  opened: OpenedRepository
  actor: Actor
  /** Short name of the branch that gets the commit; created when missing. */
  branch: string
  start?: CommitStart
  /** Replaces the branch, even if commits are lost. */
  force?: boolean
  /** Stored byte for byte. */
  message: string
  /** Overrides parts of the author; the committer is always the caller. */
  author?: { name?: string; email?: string }
  /** Returns the changes of the commit. @throws ApiError when the request cannot be fulfilled */
  build(source: CommitBase): Promise<readonly FileChange[]>
}

/** A branch that is about to move. */
type BranchMove = {
  opened: OpenedRepository
  actor: Actor
  ref: RefName
  head: Oid | null
  to: Oid
  /** Holds the objects of the new commits. */
  incoming: Incoming
}

const noPush = 'You are not allowed to push into this branch'

const overtaken = 'overtaken'

const attempts = 5

/** Repeats work that writes a commit when the branch moves meanwhile. @throws ApiError 400 after five attempts */
export async function untilNotOvertaken<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work()
    } catch (error) {
      const isOvertaken = error instanceof ApiError && error.code === overtaken
      if (!isOvertaken || attempt >= attempts) throw error
    }
  }
}

/**
 * Runs work that writes a commit to a project, after that of earlier calls, and again when the branch moves meanwhile: by a
 * push, or by another process.
 * @param work gets the repository with its present refs
 * @throws ApiError 400 after five attempts; whatever `work` throws
 */
export async function writeInTurn<T>(
  platform: Platform,
  project: Project,
  work: (opened: OpenedRepository) => Promise<T>,
): Promise<T> {
  const { row } = await openRepositoryForWriting(platform, project)
  const attempt = async () => work(await openRepositoryForWriting(platform, project))
  return oneAtATime(platform, row.id, () => untilNotOvertaken(attempt))
}

/** The answer for a branch that did not move. @param otherwise the answer when another change was faster */
export function moveFailure(error: unknown, otherwise: ApiError): unknown {
  if (error instanceof RefRefused) return failure(400, error.message)
  if (!(error instanceof RefConflict)) return error
  if (error.reason === 'directory' && error.conflictsWith) {
    const other = error.conflictsWith.replace(/^refs\/heads\//, '')
    return failure(400, `Branch name conflicts with existing branch '${other}'`)
  }
  return otherwise
}

/** The ref of a branch to write to. @throws ApiError 400 */
export function writableRef(branch: string): RefName {
  const ref = branchRef(branch)
  if (!ref) throw failure(400, 'Branch name is invalid')
  return ref
}

/** The caller as author or committer. @throws ApiError 403 for a caller that is no user */
export async function personOf({ database, clock, settings }: Platform, actor: Actor): Promise<Person> {
  const user = actor.kind === 'user' ? await userById(database.read, actor.userId) : null
  if (!user) throw forbidden()
  const { commit_email_hostname: commitEmailHostname } = await settings.current()
  const seconds = Math.floor(clock.now().getTime() / 1000)
  return { ...commitIdentity(user, { commitEmailHostname }), date: new Date(seconds * 1000).toISOString() }
}

/** Moves a branch to a commit, if it is still at the commit's parent. @throws ApiError 400 */
export async function moveBranch(platform: Platform, { opened, actor, ref, head, to, incoming }: BranchMove) {
  const old = head ?? zeroOid(opened.row.object_format)
  await changeRefs(platform, opened.row, [{ ref, old, new: to }], writerOf(actor), incoming).catch((error) => {
    const message = `Could not update ${ref}. Please refresh and try again.`
    throw moveFailure(error, new ApiError(overtaken, 400, { message }))
  })
}

/**
 * Requires the right to push to a branch, by role and by the rules that protect it (contract 01).
 * @param status of the refusal: 403 for operations on commits, 400 for operations on files (contract 22, "Resolved gaps")
 * @throws ApiError when the caller may not push
 */
export async function requirePush(
  platform: Platform,
  project: Project,
  actor: Actor,
  branch: string,
  status: 400 | 403,
): Promise<void> {
  if (await mayPush(platform, project, actor, branch)) return
  throw status === 403 ? forbidden(noPush) : failure(400, noPush)
}

/**
 * Makes one commit of all changes and moves the branch to it, or does nothing. Works without a work tree.
 * @returns the commit's id
 * @throws ApiError 400 with the sentences of contract 22, x.commits_create; whatever `build` throws
 */
export async function writeCommit(
  platform: Platform,
  { opened, actor, branch, start = {}, force = false, message, author, build }: CommitWrite,
): Promise<Oid> {
  const ref = writableRef(branch)
  const { repository } = opened
  const { head, base } = await startingPoint(opened, branch, start, force)
  const changes = await build({ repository, base })
  await requireSoundGitModules(repository, changes)
  const committer = await personOf(platform, actor)
  const name = author?.name || committer.name
  const email = author?.email || committer.email
  return repository.withIncoming(async (incoming) => {
    const to = await incoming.createCommit({
      parent: base,
      author: { ...committer, name, email },
      ...{ committer, message, changes },
    })
    await moveBranch(platform, { opened, actor, ref, head, to, incoming })
    return to
  })
}

/** Reads a commit that was just written. */
export async function writtenCommit({ repository }: OpenedRepository, oid: Oid): Promise<Commit> {
  const commit = (await repository.commits([oid])).get(oid)
  if (!commit) throw new Error(`commit ${oid} is missing after it was written`)
  return commit
}
