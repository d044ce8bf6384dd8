import { ApiError } from '../../../api/index.ts'

/** The 422 for a changelog that cannot be generated (contract 22, x.repo_changelog_get). */
export function changelogProblem(reason: string): ApiError {
  return new ApiError('changelog', 422, { message: `Failed to generate the changelog: ${reason}` })
}
