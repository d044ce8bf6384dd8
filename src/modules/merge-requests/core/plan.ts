import { type Actor, isAdministrator } from '../../../api/index.ts'
import type { Tx } from '../../../infra/database/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { role } from '../../access/index.ts'
import {
  addTodos,
  assigneeIdsIn,
  type ChangeOrigin,
  namedReaders,
  ownerOf,
  type PlannedChanges,
  type Planning,
  planIssuable,
  recordMilestoneChange,
} from '../../issuables/index.ts'
import { callerIn, type Project, type ProjectRow } from '../../projects/index.ts'
import { setReviewers } from '../approvals/store.ts'
import { issuableOf } from '../subject.ts'
import type { MergeRequestRow } from '../tables.ts'
import { readersAmong } from './readers.ts'

/** What plans a merge request besides the columns of its row. */
export type Plan = Planning & { reviewerIds?: readonly number[] }

/** Whether the caller plans: sets labels, milestone, assignees and reviewers (contract 19, "Permissions"). */
export function isPlanner(actor: Actor, project: Project): boolean {
  return isAdministrator(callerIn(actor, project)) || project.role.level >= role.developer
}

type GivenPeople = {
  assignee_ids?: readonly number[]
  assignee_id?: number | null
  reviewer_ids?: readonly number[]
}

/** The users that a request names; 0 stands for none (contract 16, x.issue_create). */
export async function peopleIn(platform: Platform, project: ProjectRow, given: GivenPeople) {
  const { read } = platform.database
  const found = (ids: readonly number[] | undefined) =>
    namedReaders(ids, (wanted) => readersAmong(platform, read, project, wanted))
  const [assigneeIds, reviewerIds] = await Promise.all([found(assigneeIdsIn(given)), found(given.reviewer_ids)])
  return { ...(assigneeIds && { assigneeIds }), ...(reviewerIds && { reviewerIds }) }
}

async function changeReviewers(
  platform: Platform,
  tx: Tx,
  row: MergeRequestRow,
  ids: readonly number[],
  by: ChangeOrigin,
) {
  const changed = await setReviewers(tx, row.id, ids, by.at)
  await addTodos(platform, tx, issuableOf(row), { userIds: changed.added, action: 'review_requested' }, by)
  return changed
}

/**
 * Carries out what plans a merge request, and records it in the order of contract 18 ("Order inside one write"): labels, then
 * the milestone.
 * @param before the row before the write; null of a new one
 * @returns what besides columns changed
 */
export async function carryOut(
  platform: Platform,
  tx: Tx,
  {
    before,
    row,
    project,
    plan,
    origin,
  }: {
    before: MergeRequestRow | null
    row: MergeRequestRow
    project: ProjectRow
    plan: Plan
    origin: ChangeOrigin
  },
): Promise<PlannedChanges> {
  const target = issuableOf(row)
  const { reviewerIds, ...planning } = plan
  const planned = await planIssuable(platform, tx, target, { owner: ownerOf(project), planning, origin })
  const reviewers =
    reviewerIds === undefined ? planned.reviewers : await changeReviewers(platform, tx, row, reviewerIds, origin)
  const milestone = { from: before?.milestone_id ?? null, to: row.milestone_id }
  await recordMilestoneChange(tx, [target], milestone, origin)
  return { ...planned, reviewers }
}
