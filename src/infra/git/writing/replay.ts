/** Replays commits on another one without a work tree. Moves no ref. */

import { GitError } from '../model/errors.ts'
import type { Oid } from '../model/names.ts'
import type { Commit, Person, Quarantine, ReplayResult } from '../model/types.ts'
import type { RepositoryContext } from '../objects/context.ts'
import { readCommits } from '../objects/objects.ts'
import { emptyTree } from '../objects/tree-object.ts'
import { commitTree, mergeThree } from './merge.ts'

/** Commits and their parents are read in portions, so that a long list does not have to be in memory. */
const portion = 100

/**
 * Replays commits, oldest first, on top of `onto`, as `git rebase` does: merges are left out, and so are commits whose
 * change `onto` has already. Authors and messages stay.
 * @returns the last new commit, which is `onto` when nothing is left; or the commit that conflicts
 * @throws GitError `object_missing`
 */
export async function replay(
  context: RepositoryContext,
  { commits, onto, committer }: { commits: readonly Oid[]; onto: Oid; committer: Person },
  quarantine: Quarantine,
): Promise<ReplayResult> {
  let head = onto
  let tree = (await requireCommits(context, [onto])).get(onto)!.treeOid
  for (let start = 0; start < commits.length; start += portion) {
    for (const { commit, before } of await changesOf(context, commits.slice(start, start + portion))) {
      const sides = { base: before, ours: tree, theirs: commit.treeOid }
      const merged = await mergeThree(context, sides, quarantine, { inQuarantine: true })
      if ('conflicts' in merged) return { conflicting: commit.oid }
      // A commit that was empty before stays.
      if (merged.treeOid === tree && commit.treeOid !== before) continue
      tree = merged.treeOid
      const { author, message } = commit
      head = await commitTree(context, { tree, parents: [head], author, committer, message }, quarantine)
    }
  }
  return { head }
}

/** Each commit that is no merge, with the tree before it. */
async function changesOf(context: RepositoryContext, oids: readonly Oid[]): Promise<{ commit: Commit; before: Oid }[]> {
  const commits = [...(await requireCommits(context, oids)).values()].filter(({ parentOids }) => parentOids.length < 2)
  const parents = await requireCommits(
    context,
    commits.flatMap(({ parentOids }) => parentOids),
  )
  return commits.map((commit) => {
    const [parent] = commit.parentOids
    return { commit, before: parent === undefined ? emptyTree(commit.oid) : parents.get(parent)!.treeOid }
  })
}

/** Reads commits, in the given order. */
async function requireCommits(context: RepositoryContext, oids: readonly Oid[]): Promise<Map<Oid, Commit>> {
  const found = await readCommits(context, oids)
  return new Map(
    oids.map((oid) => {
      const commit = found.get(oid)
      if (commit === undefined) throw new GitError('object_missing', `no commit: ${oid}`)
      return [oid, commit]
    }),
  )
}
