import { failure, onlyProblems, type Problems, textProblems } from '../../../api/index.ts'
import type { RefSnapshot } from '../../../infra/git/index.ts'
import type { MergeRequestRow } from '../tables.ts'

const longestTitle = 255
const mostBytes = 1_048_576
const mebibyte = 1024 * 1024

/** Bytes as they are named in errors: `1.5 MiB`. */
function inMebibytes(bytes: number): string {
  return `${Number((bytes / mebibyte).toFixed(2))} MiB`
}

function descriptionProblems(description: string): string[] {
  const bytes = Buffer.byteLength(description)
  if (bytes <= mostBytes) return []
  return [`is too long (${inMebibytes(bytes)}). The maximum size is ${inMebibytes(mostBytes)}.`]
}

/** The problems of the texts of a merge request (contract 19, x.mr_create; 16, x.issue_create). */
export function textsProblems({ title, description }: { title?: string; description?: string }): Problems {
  return onlyProblems({
    title: title === undefined ? [] : textProblems(title, longestTitle),
    description: description === undefined ? [] : descriptionProblems(description),
  })
}

/** The problems of branches that do not exist. */
export function branchProblems(
  snapshot: RefSnapshot,
  branches: { source_branch?: string; target_branch?: string },
): Problems {
  const missing = Object.entries(branches).filter(([, name]) => name !== undefined && snapshot.branch(name) === null)
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
