import { ApiError } from '../../../api/index.ts'

/** 422: a changelog that cannot be made, and why (contract 22, x.repo_changelog_get). */
export function changelogProblem(reason: string): ApiError {
  return new ApiError('changelog', 422, { message: `Failed to generate the changelog: ${reason}` })
}
