import type { EpicObject, IssueObject, MilestoneObject } from '../../../operations.ts'
import { epicsList, issuesDelete, issuesGet, issuesUpdate } from '../../../operations.ts'
import type { Visit } from '../../../page.ts'
import { choices } from './names.ts'

export type LabelObject = { id: number; name: string; color: string }
export type IterationChoice = { id: number; title: string | null; start_date: string; due_date: string }
export type MemberChoice = { id: number; username: string; name: string }

/** What an issue can be planned for. Empty for callers who do not plan. */
export type Choices = {
  labels: readonly LabelObject[]
  milestones: readonly MilestoneObject[]
  iterations: readonly IterationChoice[]
  members: readonly MemberChoice[]
  epics: readonly Pick<EpicObject, 'id' | 'title'>[]
}

/** An issue with what the caller may do. */
export type ReadIssue = {
  issue: IssueObject
  call: { id: number; issue_iid: number }
  /** Change text and state. */
  mayChange: boolean
  /** Change labels, assignees, milestone and so on. */
  mayPlan: boolean
}

type Listed<T> = { items: readonly T[] } | null

/** What can be chosen for issues of the project. */
export async function readChoices(visit: Visit): Promise<Choices> {
  const { id, namespace } = visit.project
  const group = namespace?.kind === 'group' ? namespace.id : null
  const all = { id, per_page: 100 }
  const [labels, milestones, iterations, members, epics] = await Promise.all([
    visit.find(choices.labels, all) as Promise<Listed<LabelObject>>,
    visit.find(choices.milestones, { ...all, state: 'active', include_ancestors: true }) as Promise<
      Listed<MilestoneObject>
    >,
    visit.find(choices.iterations, { ...all, state: 'opened' }) as Promise<Listed<IterationChoice>>,
    visit.find(choices.members, all) as Promise<Listed<MemberChoice>>,
    group === null ? null : visit.find(epicsList, { id: group, per_page: 100, state: 'opened' }),
  ])
  return {
    labels: labels?.items ?? [],
    milestones: milestones?.items ?? [],
    iterations: iterations?.items ?? [],
    members: members?.items ?? [],
    epics: epics?.items ?? [],
  }
}

/** Reads the issue of a page. @throws ApiError 404 */
export async function readIssue(visit: Visit): Promise<ReadIssue> {
  const call = { id: visit.project.id, issue_iid: Number(visit.params.iid) || 0 }
  const [issue, mayTakePart, mayPlan] = await Promise.all([
    visit.read(issuesGet, call),
    visit.may(issuesUpdate, call),
    visit.may(issuesDelete, call),
  ])
  const isOwn = [issue.author, ...issue.assignees].some(({ id }) => id === visit.me?.id)
  return { issue, call, mayPlan, mayChange: mayTakePart && (mayPlan || isOwn) }
}

export const nameOfIteration = ({ title, start_date, due_date }: IterationChoice) =>
  title ?? `${start_date} – ${due_date}`
