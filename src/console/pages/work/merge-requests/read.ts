import { type MergeRequestObject, mergeRequestsGet, mergeRequestsUpdate } from '../../../operations.ts'
import { numberIn, type Visit } from '../../../page.ts'

/** A merge request with what the caller may do. */
export type ReadRequest = {
  request: MergeRequestObject
  call: { id: number; merge_request_iid: number }
  /** Change text and state: developers and the author may. */
  mayChange: boolean
  /** Change labels, milestone, assignees and reviewers, and resolve threads of others. */
  mayPlan: boolean
}

/** Reads the merge request of a page. @throws ApiError 404 */
export async function readRequest(visit: Visit): Promise<ReadRequest> {
  const call = { id: visit.project.id, merge_request_iid: numberIn(visit, 'iid') }
  const extras = { with_labels_details: true, include_diverged_commits_count: true, include_rebase_in_progress: true }
  const [request, mayChange, mayPlan] = await Promise.all([
    visit.read(mergeRequestsGet, { ...call, ...extras }),
    visit.may(mergeRequestsUpdate, call),
    visit.may(mergeRequestsUpdate, { ...call, milestone_id: 0 }),
  ])
  return { request, call, mayPlan, mayChange }
}
