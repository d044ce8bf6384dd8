import { failure } from '../../api/index.ts'

/** Finds the milestones that releases name, for whoever keeps milestones. */
export type MilestoneLookup = {
  /** Which of these titles milestones of the project, or of the groups above it, have. */
  milestonesByTitle(project: { id: number }, titles: readonly string[]): Promise<readonly string[]>
  /** Which of these are ids of such milestones. */
  milestonesById(project: { id: number }, ids: readonly number[]): Promise<readonly number[]>
}

/** Where nobody keeps milestones there are none. */
export const withoutMilestones: MilestoneLookup = {
  milestonesByTitle: async () => [],
  milestonesById: async () => [],
}

export type GivenMilestones = { milestones?: readonly string[]; milestone_ids?: readonly number[] }

function missing<T>(given: readonly T[], found: readonly T[]): T[] {
  const known = new Set(found)
  return [...new Set(given)].filter((one) => !known.has(one))
}

/** @throws ApiError 400 when a milestone is named that there is not */
export async function requireMilestones(
  lookup: MilestoneLookup,
  project: { id: number },
  { milestones = [], milestone_ids: ids = [] }: GivenMilestones,
): Promise<void> {
  const titles = milestones.length === 0 ? [] : missing(milestones, await lookup.milestonesByTitle(project, milestones))
  const numbers = ids.length === 0 ? [] : missing(ids, await lookup.milestonesById(project, ids))
  const all = [...titles, ...numbers.map(String)]
  if (all.length > 0) throw failure(400, `Milestone(s) not found: ${all.join(', ')}`)
}
