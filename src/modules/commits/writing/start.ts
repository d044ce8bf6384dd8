import { failure } from '../../../api/index.ts'
import { type Oid, parseOid } from '../../../infra/git/index.ts'
import type { OpenedRepository } from '../../repositories/index.ts'

/** Where a commit begins: at a branch, a commit, or else at the branch that gets it. */
export type CommitStart = {
  branch?: string
  sha?: string
  /** The repository that these are looked up in, where it is another one. */
  source?: OpenedRepository
}

/** What the branch has now, and what the new commit is built on. */
export type StartingPoint = { head: Oid | null; base: Oid | null }

async function commitOf({ repository }: OpenedRepository, sha: string): Promise<Oid> {
  const oid = parseOid(sha)
  if (!oid) throw failure(400, `Invalid start_sha '${sha}'`)
  if (!(await repository.commits([oid])).has(oid)) throw failure(400, `Cannot find start_sha '${sha}'`)
  return oid
}

/** The head of a branch; nothing in an empty repository, whatever the branch is called. */
function headOf({ snapshot }: OpenedRepository, branch: string): Oid | null {
  const oid = snapshot.branch(branch)?.oid ?? null
  if (!oid && snapshot.branches.length > 0) {
    throw failure(400, 'You can only create or edit files when you are on a branch')
  }
  return oid
}

/**
 * Finds where a commit begins, and brings its objects over from another repository (contract 22, x.commits_create).
 * @throws ApiError 400 when there is no such beginning, or the branch exists and would lose what it has
 */
export async function startingPoint(
  target: OpenedRepository,
  branch: string,
  { branch: startBranch = branch, sha, source = target }: CommitStart,
  force: boolean,
): Promise<StartingPoint> {
  const isElsewhere = source.row.id !== target.row.id
  const base = sha === undefined ? headOf(source, startBranch) : await commitOf(source, sha)
  const head = target.snapshot.branch(branch)?.oid ?? null
  if (head && !force && (sha !== undefined || startBranch !== branch || isElsewhere)) {
    throw failure(400, `A branch called '${branch}' already exists. Switch to that branch in order to make changes`)
  }
  if (base && isElsewhere) await target.repository.fetchObjectsFrom(source.repository, [base])
  return { head, base }
}
