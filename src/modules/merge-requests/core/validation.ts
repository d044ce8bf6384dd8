import { failure, type Problems } from '../../../api/index.ts'
import type { RefSnapshot } from '../../../infra/git/index.ts'
import type { MergeRequestRow } from '../tables.ts'

/** The problems of branches that do not exist. @param branches by the names of their parameters */
export function branchProblems(snapshot: RefSnapshot, branches: Record<string, string>): Problems {
  const missing = Object.entries(branches).filter(([, name]) => snapshot.branch(name) === null)
  return Object.fromEntries(missing.map(([name]) => [name, ['does not exist']]))
}

/** @throws ApiError 422 when a branch would be merged into itself */
export function requireDifferent(source: string, target: string): void {
  if (source === target) throw failure(422, ["You can't use same project/branch for source and target"])
}

/** The error for two branches that have an open merge request (contract 19, x.mr_create). */
export function alreadyOpen({ iid }: Pick<MergeRequestRow, 'iid'>) {
  return failure(409, [`Another open merge request already exists for this source branch: !${iid}`])
}
