import type { Platform } from '../../../platform/index.ts'
import { ownerOf } from '../../issuables/index.ts'
import { usableMilestonesTitled } from '../../milestones/index.ts'
import type { Project } from '../../projects/index.ts'
import { usersByUsernames } from '../../users/index.ts'
import type { RequestOptions } from './options.ts'

/** The ids of users who are named by username or id. */
async function userIdsOf({ database }: Platform, names: readonly string[]): Promise<number[]> {
  const isId = (name: string) => /^[1-9][0-9]{0,9}$/.test(name)
  const usernames = names.filter((name) => !isId(name)).map((name) => name.replace(/^@/, '').toLowerCase())
  const users = usernames.length === 0 ? [] : await usersByUsernames(database.read, usernames)
  return [...names.filter(isId).map(Number), ...users.map(({ id }) => id)]
}

/** The assignees after the options; nothing without any. */
async function assigneesAfter(platform: Platform, options: RequestOptions, before: readonly number[]) {
  const { assigned, unassigned } = options
  if (assigned.length + unassigned.length === 0) return {}
  const [added, removed] = await Promise.all([userIdsOf(platform, assigned), userIdsOf(platform, unassigned)])
  return { assignee_ids: [...new Set([...before, ...added])].filter((id) => !removed.includes(id)) }
}

/** The milestone of the option, as a parameter; one that cannot be used is none. */
async function milestoneOf({ database }: Platform, project: Project, { milestone }: RequestOptions) {
  if (milestone === undefined) return {}
  const found = await usableMilestonesTitled(database.read, ownerOf(project), [milestone])
  return { milestone_id: found.get(milestone)?.id ?? 0 }
}

/** The parameters that are the same for a new merge request and for one that is there. */
export async function commonParams(
  platform: Platform,
  project: Project,
  options: RequestOptions,
  assigneeIds: readonly number[],
) {
  const { description, squash, removeSourceBranch } = options
  return {
    ...(description !== undefined && { description }),
    ...(squash && { squash }),
    ...(removeSourceBranch && { remove_source_branch: true }),
    ...(await milestoneOf(platform, project, options)),
    ...(await assigneesAfter(platform, options, assigneeIds)),
  }
}
