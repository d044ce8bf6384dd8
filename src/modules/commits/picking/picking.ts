import { type Actor, ApiError, notFound } from '../../../api/index.ts'
import type { Commit, Incoming, Oid, Person } from '../../../infra/git/index.ts'
import type { Project } from '../../projects/index.ts'
import { type OpenedRepository, type OpeningNeeds, openRepositoryForWriting } from '../../repositories/index.ts'
import { requireCommit } from '../revision.ts'
import { type CommitWriter, writableRef } from '../writing/write-commit.ts'

export type PickingNeeds = OpeningNeeds & { writer: CommitWriter }

/** What is to be done with a commit, on which branch. */
export type Pick = { sha: string; branch: string; dryRun?: boolean; message?: string }

/** The new commit; null after a dry run. */
export type Picked = { opened: OpenedRepository; commit: Commit } | null

/** Commits put on top of a branch once more, or taken back there (contract 22, x.commits_cherry_pick, x.commits_revert). */
export type Picking = ReturnType<typeof createPicking>

type Kind = 'cherry-pick' | 'revert'

const done: Record<Kind, string> = { 'cherry-pick': 'cherry-picked', revert: 'reverted' }

function refusal(kind: Kind, code: 'conflict' | 'empty', dryRun: boolean): ApiError {
  const message =
    `Sorry, we cannot ${kind} this commit automatically. This commit may already have been ${done[kind]}, ` +
    'or a more recent commit may have updated some of its content.'
  return new ApiError(`${kind}_${code}`, 400, { message, error_code: code, ...(dryRun && { dry_run: 'error' }) })
}

export function createPicking(needs: PickingNeeds) {
  const { writer } = needs

  /** The tree of the branch with the commit's changes in it, or without them. A merge is taken against its first parent. */
  async function merged(incoming: Incoming, kind: Kind, commit: Commit, head: Oid) {
    const parent = commit.parentOids[0] ?? null
    return kind === 'revert'
      ? incoming.mergeTrees({ base: commit.oid, ours: head, theirs: parent })
      : incoming.mergeTrees({ base: parent, ours: head, theirs: commit.oid })
  }

  /** @throws ApiError 400 when the branch's newest commit and this one do not go together, or nothing would change */
  async function treeOf(
    { repository }: OpenedRepository,
    incoming: Incoming,
    kind: Kind,
    commit: Commit,
    head: Oid,
    dryRun: boolean,
  ): Promise<Oid> {
    const result = await merged(incoming, kind, commit, head)
    if ('conflicts' in result) throw refusal(kind, 'conflict', dryRun)
    const before = (await repository.commits([head])).get(head)
    if (result.treeOid === before?.treeOid) throw refusal(kind, 'empty', dryRun)
    return result.treeOid
  }

  async function pick(
    project: Project,
    actor: Actor,
    kind: Kind,
    { sha, branch, dryRun = false }: Pick,
    describe: (commit: Commit, committer: Person) => { message: string; author: Person },
  ): Promise<Picked> {
    const opened = await openRepositoryForWriting(needs, project)
    await writer.requirePush(project, actor, branch, 403)
    const commit = await requireCommit(opened, sha)
    const head = opened.snapshot.branch(branch)?.oid
    if (!head) throw notFound('Branch')
    const { repository } = opened
    const to = await repository.withIncoming(async (incoming) => {
      const tree = await treeOf(opened, incoming, kind, commit, head, dryRun)
      if (dryRun) return null
      const committer = await writer.personOf(actor)
      const made = { tree, parents: [head], committer, ...describe(commit, committer) }
      const oid = await incoming.commitTree(made)
      await writer.moveBranch({ opened, actor, ref: writableRef(branch), head, to: oid, incoming })
      return oid
    })
    if (to === null) return null
    const written = (await repository.commits([to])).get(to)
    if (!written) throw new Error(`commit ${to} was written and is not there`)
    return { opened, commit: written }
  }

  return {
    /** Puts what a commit changed on top of a branch. The author stays; who asked is the committer. */
    cherryPick(project: Project, actor: Actor, asked: Pick): Promise<Picked> {
      return pick(project, actor, 'cherry-pick', asked, (commit) => ({
        author: commit.author,
        message: asked.message || `${commit.message}\n\n(cherry picked from commit ${commit.oid})`,
      }))
    },

    /** Takes back what a commit changed. */
    revert(project: Project, actor: Actor, asked: Pick): Promise<Picked> {
      return pick(project, actor, 'revert', asked, (commit, committer) => ({
        author: committer,
        message: `Revert "${commit.title}"\n\nThis reverts commit ${commit.oid}`,
      }))
    },
  }
}
