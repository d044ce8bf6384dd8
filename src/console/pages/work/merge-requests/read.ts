import {
  type MergeRequestObject,
  type MilestoneObject,
  mergeRequestsCreate,
  mergeRequestsGet,
  mergeRequestsUpdate,
} from '../../../operations.ts'
import type { Visit } from '../../../page.ts'
import { choices } from './names.ts'

export type LabelChoice = { name: string; color: string }
export type MemberChoice = { id: number; username: string; name: string }

/** What a merge request can be planned for. Empty for callers who do not plan. */
export type Choices = {
  labels: readonly LabelChoice[]
  milestones: readonly MilestoneObject[]
  members: readonly MemberChoice[]
}

export const noChoices: Choices = { labels: [], milestones: [], members: [] }

/** A merge request with what the caller may do. */
export type ReadRequest = {
  request: MergeRequestObject
  call: { id: number; merge_request_iid: number }
  /** Change text and state: developers and the author may. */
  mayChange: boolean
  /** Change labels, milestone, assignees and reviewers, and resolve threads of others. */
  mayPlan: boolean
}

type Listed<T> = { items: readonly T[] } | null

/** What can be chosen for merge requests of the project. */
export async function readChoices(visit: Visit): Promise<Choices> {
  const all = { id: visit.project.id, per_page: 100 }
  const [labels, milestones, members] = await Promise.all([
    visit.find(choices.labels, all) as Promise<Listed<LabelChoice>>,
    visit.find(choices.milestones, { ...all, state: 'active', include_ancestors: true }) as Promise<
      Listed<MilestoneObject>
    >,
    visit.find(choices.members, all) as Promise<Listed<MemberChoice>>,
  ])
  return { labels: labels?.items ?? [], milestones: milestones?.items ?? [], members: members?.items ?? [] }
}

/** Reads the merge request of a page. @throws ApiError 404 */
export async function readRequest(visit: Visit): Promise<ReadRequest> {
  const { id } = visit.project
  const call = { id, merge_request_iid: Number(visit.params.iid) || 0 }
  const extras = { with_labels_details: true, include_diverged_commits_count: true, include_rebase_in_progress: true }
  const [request, mayUpdate, mayPlan] = await Promise.all([
    visit.read(mergeRequestsGet, { ...call, ...extras }),
    visit.may(mergeRequestsUpdate, call),
    visit.may(mergeRequestsCreate, { id }),
  ])
  return { request, call, mayPlan, mayChange: mayUpdate && (mayPlan || request.author.id === visit.me?.id) }
}

/** The labels of a merge request with their colours. */
export const labelsOf = ({ labels }: Pick<MergeRequestObject, 'labels'>): LabelChoice[] =>
  labels.map((label) => (typeof label === 'string' ? { name: label, color: '#888888' } : label))
