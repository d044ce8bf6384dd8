import type { Oid, Repository } from '../../../infra/git/index.ts'

/** Commits of a version that are stored and listed (contract 19, "Limits"). */
export const mostCommits = 2_000
/** Larger numbers of changed files are not counted: one more than the limits of diffs allow. */
const mostFiles = 2_001

/** The diff of a merge request as of two heads. */
export type NewVersion = {
  head: Oid
  base: Oid | null
  start: Oid
  commits: readonly Oid[]
  commitCount: number
  fileCount: number
}

/** Reads what a version consists of: the commits that the source has and the target has not, and the changed files. */
export async function readVersion(repository: Repository, head: Oid, start: Oid): Promise<NewVersion> {
  const range = { tips: [head], excluded: [start] }
  const base = await repository.mergeBase([start, head])
  const [commits, commitCount, fileCount] = await Promise.all([
    repository.log({ ...range, limit: mostCommits }),
    repository.countCommits(range),
    repository.countFiles(base, head, mostFiles),
  ])
  return { head, base, start, commits, commitCount, fileCount }
}
