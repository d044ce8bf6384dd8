import { type Actor, ApiError, failure, forbidden } from '../../../api/index.ts'
import type { Clock } from '../../../infra/clock/index.ts'
import type { Database } from '../../../infra/database/index.ts'
import {
  branchRef,
  type FileChange,
  type Incoming,
  type Oid,
  type Person,
  RefConflict,
  type RefName,
  type Repository,
  zeroOid,
} from '../../../infra/git/index.ts'
import type { Project } from '../../projects/index.ts'
import { moverOf, type OpenedRepository, RefRefused, type Repositories } from '../../repositories/index.ts'
import { commitIdentity, userById } from '../../users/index.ts'
import { requireSoundGitModules } from './git-modules.ts'
import { type CommitStart, startingPoint } from './start.ts'

export type CommitWriterNeeds = {
  database: Database
  repositories: Repositories
  clock: Clock
  /** Whether the actor may push to a branch of the project, by role and by the rules that protect the branch (contract 01). */
  mayPush(project: Project, actor: Actor, branch: string): Promise<boolean>
  /** The setting `commit_email_hostname`. */
  commitEmailHostname(): Promise<string | undefined>
}

/** What a commit is built on. */
export type CommitBase = { repository: Repository; base: Oid | null }

export type CommitWrite = {
  opened: OpenedRepository
  actor: Actor
  /** Short name of the branch that gets the commit; it is made when there is none. */
  branch: string
  start?: CommitStart
  /** Lets the commit take the place of what the branch has. */
  force?: boolean
  /** Kept to the byte. */
  message: string
  /** Of the author what differs from the actor; the committer is always the actor. */
  author?: { name?: string; email?: string }
  /** The files that the commit changes; throws what the caller is to be told when it cannot be done. */
  build(source: CommitBase): Promise<readonly FileChange[]>
}

/** A branch that is about to move. */
export type BranchMove = {
  opened: OpenedRepository
  actor: Actor
  ref: RefName
  head: Oid | null
  to: Oid
  /** The objects that come with it. */
  incoming: Incoming
}

/** Writes commits for the API: without a work tree, through the gate, one or none (contract 22, x.commits_create). */
export type CommitWriter = ReturnType<typeof createCommitWriter>

const noPush = 'You are not allowed to push into this branch'

const overtaken = 'overtaken'

/** Whether a write failed because somebody else was faster; it may be done again on what there is now. */
export function isOvertaken(error: unknown): boolean {
  return error instanceof ApiError && error.code === overtaken
}

/** What the caller is told when a branch did not move. */
function moveFailure(error: unknown, ref: RefName): unknown {
  if (error instanceof RefRefused) return failure(400, error.message)
  if (!(error instanceof RefConflict)) return error
  if (error.reason === 'directory' && error.conflictsWith) {
    const other = error.conflictsWith.replace(/^refs\/heads\//, '')
    return failure(400, `Branch name conflicts with existing branch '${other}'`)
  }
  return new ApiError(overtaken, 400, { message: `Could not update ${ref}. Please refresh and try again.` })
}

/**
 * The ref of a branch that is to be written.
 * @throws ApiError 400
 */
export function writableRef(branch: string): RefName {
  const ref = branchRef(branch)
  if (!ref) throw failure(400, 'Branch name is invalid')
  return ref
}

export function createCommitWriter(needs: CommitWriterNeeds) {
  const { database, repositories, clock, mayPush, commitEmailHostname } = needs

  /** The actor as commits name them. */
  async function personOf(actor: Actor): Promise<Person> {
    const user = actor.kind === 'user' ? await userById(database.read, actor.userId) : null
    if (!user) throw forbidden()
    const seconds = Math.floor(clock.now().getTime() / 1000)
    return {
      ...commitIdentity(user, { commitEmailHostname: await commitEmailHostname() }),
      date: new Date(seconds * 1000).toISOString(),
    }
  }

  /**
   * Moves a branch to a commit, if it still stands where that commit was built on.
   * @throws ApiError 400 when a rule refuses, or when somebody else was faster
   */
  async function moveBranch({ opened, actor, ref, head, to, incoming }: BranchMove): Promise<void> {
    const old = head ?? zeroOid(opened.row.object_format)
    await repositories.changeRefs(opened.row, [{ ref, old, new: to }], moverOf(actor), incoming).catch((error) => {
      throw moveFailure(error, ref)
    })
  }

  return {
    personOf,
    moveBranch,

    /**
     * @param status with which the operation refuses: 403 where commits are made, 400 where files are (contract 22, "Resolved gaps")
     * @throws ApiError when the actor may not push to the branch
     */
    async requirePush(project: Project, actor: Actor, branch: string, status: 400 | 403): Promise<void> {
      if (await mayPush(project, actor, branch)) return
      throw status === 403 ? forbidden(noPush) : failure(400, noPush)
    },

    mayPush,

    /**
     * Makes one commit of all changes and moves the branch to it, or does nothing.
     * @returns the commit's id
     * @throws ApiError 400 with the sentences of contract 22, x.commits_create; whatever `build` throws
     */
    async write({
      opened,
      actor,
      branch,
      start = {},
      force = false,
      message,
      author,
      build,
    }: CommitWrite): Promise<Oid> {
      const ref = writableRef(branch)
      const { repository } = opened
      const { head, base } = await startingPoint(opened, branch, start, force)
      const changes = await build({ repository, base })
      await requireSoundGitModules(repository, changes)
      const committer = await personOf(actor)
      return repository.withIncoming(async (incoming) => {
        const oid = await incoming.createCommit({
          parent: base,
          author: {
            ...committer,
            ...(author?.name && { name: author.name }),
            ...(author?.email && { email: author.email }),
          },
          committer,
          message,
          changes,
        })
        await moveBranch({ opened, actor, ref, head, to: oid, incoming })
        return oid
      })
    },
  }
}
