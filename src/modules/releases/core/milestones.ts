import { failure } from '../../../api/index.ts'

/** Refuses releases that name milestones: the platform has no milestones yet. @throws ApiError 400 */
export function requireMilestones(given: { milestones?: readonly string[]; milestone_ids?: readonly number[] }): void {
  const { milestones = [], milestone_ids = [] } = given
  const missing = [...new Set(milestones), ...new Set(milestone_ids)]
  if (missing.length > 0) throw failure(400, `Milestone(s) not found: ${missing.join(', ')}`)
}
