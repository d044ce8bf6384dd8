import type { Incoming, Oid, Person, Repository } from '../../../infra/git/index.ts'
import type { ProjectSettings } from '../../projects/index.ts'

/** A merge that is about to be made. */
export type MergePlan = {
  method: ProjectSettings['merge_method']
  source: Oid
  target: Oid
  /** Makes one commit of all that the source has. */
  squash: { author: Person; message: string } | null
  /** Who merges. */
  merger: Person
  message: string
}

/** The commits of a merge: the new head of the target branch, and those that were made for it. */
export type MergeCommits = { target: Oid; mergeCommit: Oid | null; squashCommit: Oid | null }

async function squashed({ repository, incoming, plan }: Making): Promise<Oid | null> {
  const { squash, source, target, merger } = plan
  if (!squash) return null
  const [base, commits] = await Promise.all([repository.mergeBase([target, source]), repository.commits([source])])
  const tree = commits.get(source)?.treeOid
  if (!tree || !base) return null
  return incoming.commitTree({ tree, parents: [base], committer: merger, ...squash })
}

type Making = { repository: Repository; incoming: Incoming; plan: MergePlan }

/**
 * Writes the commits of a merge into the quarantine (contract 19, "Merge step", 2-4).
 * @returns null on a conflict, and when the target cannot be fast-forwarded
 */
export async function writeMerge(making: Making): Promise<MergeCommits | null> {
  const { repository, incoming, plan } = making
  const { source, target, method, merger, message } = plan
  const isFastForward = await repository.isAncestor(target, source)
  if (method !== 'merge' && !isFastForward) return null
  const merged = await incoming.mergeHeads({ ours: target, theirs: source })
  if ('conflicts' in merged) return null
  const squashCommit = await squashed(making)
  const head = squashCommit ?? source
  if (method === 'ff') return { target: head, mergeCommit: null, squashCommit }
  const person = { author: merger, committer: merger }
  const commit = await incoming.commitTree({ tree: merged.treeOid, parents: [target, head], ...person, message })
  return { target: commit, mergeCommit: commit, squashCommit }
}
