import { type Actor, ApiError, notFound } from '../../../api/index.ts'
import type { Commit, Incoming, Oid, Person } from '../../../infra/git/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { type OpenedRepository, openRepositoryForWriting } from '../../../platform/repositories/index.ts'
import type { Project } from '../../projects/index.ts'
import { requireCommit } from '../revision.ts'
import { moveBranch, personOf, requirePush, writableRef, writtenCommit } from '../writing/write-commit.ts'

/** A commit to pick or revert, and the branch that gets the new commit. */
type Picking = { sha: string; branch: string; dry_run?: boolean; message?: string }

type Kind = 'cherry-pick' | 'revert'

const done: Record<Kind, string> = { 'cherry-pick': 'cherry-picked', revert: 'reverted' }

function refusal(kind: Kind, code: 'conflict' | 'empty', dryRun: boolean): ApiError {
  const message =
    `Sorry, we cannot ${kind} this commit automatically. This commit may already have been ${done[kind]}, ` +
    'or a more recent commit may have updated some of its content.'
  return new ApiError(`${kind}_${code}`, 400, { message, error_code: code, ...(dryRun && { dry_run: 'error' }) })
}

/** The branch's tree with the commit's changes added or removed. A merge commit is compared with its first parent. */
function mergedTree(incoming: Incoming, kind: Kind, commit: Commit, head: Oid) {
  const parent = commit.parentOids[0] ?? null
  return kind === 'revert'
    ? incoming.mergeTrees({ base: commit.oid, ours: head, theirs: parent })
    : incoming.mergeTrees({ base: parent, ours: head, theirs: commit.oid })
}

/** @throws ApiError 400 on a merge conflict, or when the result would be empty */
async function treeOf(
  { repository }: OpenedRepository,
  incoming: Incoming,
  kind: Kind,
  commit: Commit,
  head: Oid,
  dryRun: boolean,
): Promise<Oid> {
  const result = await mergedTree(incoming, kind, commit, head)
  if ('conflicts' in result) throw refusal(kind, 'conflict', dryRun)
  const before = (await repository.commits([head])).get(head)
  if (result.treeOid === before?.treeOid) throw refusal(kind, 'empty', dryRun)
  return result.treeOid
}

async function pick(
  platform: Platform,
  project: Project,
  actor: Actor,
  kind: Kind,
  { sha, branch, dry_run: dryRun = false }: Picking,
  describe: (commit: Commit, committer: Person) => { message: string; author: Person },
): Promise<Commit | null> {
  const opened = await openRepositoryForWriting(platform, project)
  await requirePush(platform, project, actor, branch, 403)
  const commit = await requireCommit(opened, sha)
  const head = opened.snapshot.branch(branch)?.oid
  if (!head) throw notFound('Branch')
  const to = await opened.repository.withIncoming(async (incoming) => {
    const tree = await treeOf(opened, incoming, kind, commit, head, dryRun)
    if (dryRun) return null
    const committer = await personOf(platform, actor)
    const to = await incoming.commitTree({ tree, parents: [head], committer, ...describe(commit, committer) })
    await moveBranch(platform, { opened, actor, ref: writableRef(branch), head, to, incoming })
    return to
  })
  return to && writtenCommit(opened, to)
}

/** Applies a commit to a branch (contract 22, x.commits_cherry_pick). @returns the new commit; null after a dry run */
export function cherryPick(platform: Platform, project: Project, actor: Actor, picking: Picking) {
  return pick(platform, project, actor, 'cherry-pick', picking, ({ oid, author, message }) => ({
    author,
    message: picking.message || `${message}\n\n(cherry picked from commit ${oid})`,
  }))
}

/** Reverts a commit on a branch (contract 22, x.commits_revert). @returns the new commit; null after a dry run */
export function revertCommit(platform: Platform, project: Project, actor: Actor, picking: Picking) {
  return pick(platform, project, actor, 'revert', picking, ({ oid, title }, committer) => ({
    author: committer,
    message: `Revert "${title}"\n\nThis reverts commit ${oid}`,
  }))
}
