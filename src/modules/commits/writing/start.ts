import { failure } from '../../../api/index.ts'
import { type Oid, parseOid } from '../../../infra/git/index.ts'
import type { OpenedRepository } from '../../../platform/repositories/index.ts'

/** The start of a commit: a branch or a commit; by default the branch that it is added to. */
export type CommitStart = {
  branch?: string
  sha?: string
  /** The repository of the start, when it is another one. */
  source?: OpenedRepository
}

async function commitOf({ repository }: OpenedRepository, sha: string): Promise<Oid> {
  const oid = parseOid(sha)
  if (!oid) throw failure(400, `Invalid start_sha '${sha}'`)
  if (!(await repository.commits([oid])).has(oid)) throw failure(400, `Cannot find start_sha '${sha}'`)
  return oid
}

/** The head of a branch; null in an empty repository. @throws ApiError 400 for a missing branch of another one */
function headOf({ snapshot }: OpenedRepository, branch: string): Oid | null {
  const oid = snapshot.branch(branch)?.oid ?? null
  if (!oid && snapshot.branches.length > 0) {
    throw failure(400, 'You can only create or edit files when you are on a branch')
  }
  return oid
}

/**
 * Finds the start of a commit and fetches its objects when it is in another repository (contract 22, x.commits_create).
 * @returns the current head of the branch, and the parent of the new commit
 * @throws ApiError 400 when the start is missing, or when the branch exists and would lose commits
 */
export async function startingPoint(
  target: OpenedRepository,
  branch: string,
  { branch: startBranch = branch, sha, source = target }: CommitStart,
  force: boolean,
): Promise<{ head: Oid | null; base: Oid | null }> {
  const isElsewhere = source.row.id !== target.row.id
  const base = sha === undefined ? headOf(source, startBranch) : await commitOf(source, sha)
  const head = target.snapshot.branch(branch)?.oid ?? null
  if (head && !force && (sha !== undefined || startBranch !== branch || isElsewhere)) {
    throw failure(400, `A branch called '${branch}' already exists. Switch to that branch in order to make changes`)
  }
  if (base && isElsewhere) await target.repository.fetchObjectsFrom(source.repository, [base])
  return { head, base }
}
