import { type MilestoneObject, named } from '../../operations.ts'
import type { Visit } from '../../page.ts'
import type { LabelChoice } from './labels.tsx'

export type MemberChoice = { id: number; username: string; name: string }

/** What an issue or a merge request can be planned for. Empty for callers who do not plan. */
export type Choices = {
  labels: readonly LabelChoice[]
  milestones: readonly MilestoneObject[]
  members: readonly MemberChoice[]
}

export const noChoices: Choices = { labels: [], milestones: [], members: [] }

const lists = {
  labels: named('project_labels.list'),
  milestones: named('project_milestones.list'),
  members: named('project_members.all'),
}

export type Listed<T> = { items: readonly T[] } | null

/** What can be chosen in the project of a page. */
export async function readChoices(visit: Visit): Promise<Choices> {
  const all = { id: visit.project.id, per_page: 100 }
  const active = { ...all, state: 'active', include_ancestors: true }
  const [labels, milestones, members] = await Promise.all([
    visit.find(lists.labels, all) as Promise<Listed<LabelChoice>>,
    visit.find(lists.milestones, active) as Promise<Listed<MilestoneObject>>,
    visit.find(lists.members, all) as Promise<Listed<MemberChoice>>,
  ])
  return { labels: labels?.items ?? [], milestones: milestones?.items ?? [], members: members?.items ?? [] }
}
