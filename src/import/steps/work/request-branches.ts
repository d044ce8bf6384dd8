/** The branches of merge requests. While these are brought, branches are where they were when each was opened, pushed to and merged. */
import { NotBrought } from '../../clients/errors.ts'
import { type Item, itemOf, numberOf, requireText, textOf } from '../../clients/values.ts'
import type { Copy, ImportContext, Place } from '../context.ts'

export type RequestPlace = { context: ImportContext; place: Place; copy: Copy }

/** A head of the source branch, and where the target branch was then. */
export type Version = { head: string; base: string }

/** The commits of a merge request: its versions, the oldest first. Without commits, it has one whose head is its base. */
export type RequestBranches = { sourceBranch: string; targetBranch: string; versions: Version[]; isLost: boolean }

/** Older versions are not repeated. */
const mostVersions = 50

const commitName = /^([0-9a-f]{40}|[0-9a-f]{64}|refs\/(heads|merge-requests)\/\S+)$/

/** The first of these commits that the copy has. */
async function knownAmong(
  { context, copy }: RequestPlace,
  names: readonly (string | undefined)[],
): Promise<string | null> {
  for (const name of names) {
    if (name === undefined || !commitName.test(name)) continue
    const parameters = ['rev-parse', '--quiet', '--verify', '--end-of-options', `${name}^{commit}`]
    const { code, output } = await context.git.run({ folder: copy.folder, parameters })
    if (code === 0) return output.trim().split('\n').at(-1) ?? null
  }
  return null
}

/** Reads which commits a merge request has had. One whose commits are lost is brought without any. */
export async function branchesOf(at: RequestPlace, request: Item, iid: number): Promise<RequestBranches> {
  const isOfFork = numberOf(request, 'source_project_id') !== numberOf(request, 'target_project_id')
  const named = requireText(request, 'source_branch')
  // A branch of a fork may have the name of another one here.
  const sourceBranch = isOfFork ? `from-fork/${iid}/${named}` : named
  const targetBranch = requireText(request, 'target_branch')
  const refs = itemOf(request, 'diff_refs') ?? {}
  const heads = [textOf(refs, 'head_sha'), textOf(request, 'sha'), `refs/merge-requests/${iid}/head`]
  const head = await knownAmong(at, heads)
  const base = await knownAmong(at, [textOf(refs, 'start_sha'), textOf(refs, 'base_sha')])
  if (head === null || base === null) {
    const any = await knownAmong(at, [`refs/heads/${targetBranch}`, 'refs/heads/main', 'refs/heads/master'])
    if (any === null) throw new NotBrought('the source no longer has its commits and its target branch')
    return { sourceBranch, targetBranch, versions: [{ head: any, base: any }], isLost: true }
  }
  if (isOfFork && textOf(request, 'state') === 'opened') await keepBranch(at, sourceBranch, head)
  const versions = [...(await earlierVersions(at, iid, head)), { head, base }]
  return { sourceBranch, targetBranch, versions, isLost: false }
}

/** Adds a branch to the copy: what the copy lacks is removed from the target at the end. */
async function keepBranch({ context, copy }: RequestPlace, name: string, commit: string): Promise<void> {
  await context.git.require({ folder: copy.folder, parameters: ['update-ref', `refs/heads/${name}`, commit] })
}

/** The versions before the last one, as far as the source tells them: comments on lines belong to a version. */
async function earlierVersions(at: RequestPlace, iid: number, last: string): Promise<Version[]> {
  const { context, place } = at
  const found: Version[] = []
  try {
    for await (const version of context.source.list(`${place.from}/merge_requests/${iid}/versions`)) {
      const head = await knownAmong(at, [textOf(version, 'head_commit_sha')])
      const base = await knownAmong(at, [textOf(version, 'start_commit_sha')])
      if (head !== null && base !== null && head !== last) found.unshift({ head, base })
      if (found.length >= mostVersions) break
    }
  } catch (error) {
    // Without them, comments name their lines in their text.
    if (!(error instanceof NotBrought)) throw error
  }
  return found.filter(({ head }, index) => head !== found[index - 1]?.head)
}

/** Puts branches of the target where they have to be. @throws NotBrought */
export async function placeBranches(
  { context, copy }: RequestPlace,
  { sourceBranch, targetBranch }: RequestBranches,
  { head, base }: Version,
): Promise<void> {
  const refspecs = [`+${base}:refs/heads/${targetBranch}`, `+${head}:refs/heads/${sourceBranch}`]
  const [refused] = await context.git.push(copy.folder, copy.target, refspecs)
  if (refused) throw new NotBrought(`this server does not take ${refused.ref}: ${refused.reason}`)
}

/**
 * Pushes what the merge led to, so that the merge request is merged here. Of one that was squashed, the squashed commit becomes the last
 * version. One without commits stays open.
 * @returns whether it was squashed
 */
export async function repeatMerge(at: RequestPlace, request: Item, branches: RequestBranches): Promise<boolean> {
  const last = branches.versions.at(-1)
  if (textOf(request, 'state') !== 'merged' || !last || last.head === last.base) return false
  const [squashed, merged] = [
    await knownAmong(at, [textOf(request, 'squash_commit_sha')]),
    await knownAmong(at, [textOf(request, 'merge_commit_sha')]),
  ]
  const head = squashed ?? last.head
  if (squashed !== null) await placeBranches(at, branches, { head, base: last.base })
  await placeBranches(at, branches, { head, base: merged ?? head })
  return squashed !== null
}
