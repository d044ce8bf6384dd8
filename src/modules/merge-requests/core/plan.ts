import { type Actor, isAdministrator } from '../../../api/index.ts'
import type { Tx } from '../../../infra/database/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { role } from '../../access/index.ts'
import {
  type ChangeOrigin,
  type LabelRef,
  recordMilestoneChange,
  setAssignees,
  setLabels,
} from '../../issuables/index.ts'
import { ensureLabels, usableLabels } from '../../labels/index.ts'
import { usableMilestone } from '../../milestones/index.ts'
import { addTodo } from '../../notes/index.ts'
import { callerIn, type Project, type ProjectOrGroupRef, type ProjectRow } from '../../projects/index.ts'
import { setReviewers } from '../approvals/store.ts'
import { issuableOf } from '../subject.ts'
import type { MergeRequestRow } from '../tables.ts'
import { readersAmong } from './readers.ts'

/** More are dropped (contract 16, Issue). */
const mostPeople = 200

/** What plans a merge request besides the columns of its row. */
export type Plan = {
  labels?: readonly string[]
  add_labels?: readonly string[]
  remove_labels?: readonly string[]
  /** Users who can read merge requests of the project. */
  assigneeIds?: readonly number[]
  reviewerIds?: readonly number[]
}

/** Whether the caller plans: sets labels, milestone, assignees and reviewers (contract 19, "Permissions"). */
export function isPlanner(actor: Actor, project: Project): boolean {
  return isAdministrator(callerIn(actor, project)) || project.role.level >= role.developer
}

export const ownerOf = ({ id, namespace_id: namespaceId }: ProjectRow): ProjectOrGroupRef => ({
  kind: 'project',
  id,
  namespaceId,
})

type GivenPeople = {
  assignee_ids?: readonly number[]
  assignee_id?: number | null
  reviewer_ids?: readonly number[]
}

/** The users that a request names; 0 stands for none (contract 16, x.issue_create). */
export async function peopleIn(platform: Platform, project: ProjectRow, given: GivenPeople) {
  const { assignee_id: one, assignee_ids: several = one === undefined ? undefined : [one ?? 0], reviewer_ids } = given
  const found = async (ids: readonly number[] | undefined) =>
    ids &&
    (await readersAmong(platform, platform.database.read, project, ids.slice(0, 5 * mostPeople))).slice(0, mostPeople)
  const [assigneeIds, reviewerIds] = await Promise.all([found(several), found(reviewer_ids)])
  return { ...(assigneeIds && { assigneeIds }), ...(reviewerIds && { reviewerIds }) }
}

/** The milestone that a request names: one of the project or a group above it, else none (contract 16, x.issue_create). */
export async function milestoneIn(
  { database }: Platform,
  project: ProjectRow,
  id: number | null | undefined,
): Promise<number | null | undefined> {
  if (id === undefined) return undefined
  return id ? ((await usableMilestone(database.read, ownerOf(project), id))?.id ?? null) : null
}

async function changeLabels(
  platform: Platform,
  tx: Tx,
  row: MergeRequestRow,
  project: ProjectRow,
  plan: Plan,
  by: ChangeOrigin,
) {
  const { labels, add_labels = [], remove_labels = [] } = plan
  if (labels === undefined && add_labels.length + remove_labels.length === 0) return false
  const owner = ownerOf(project)
  const wanted = await ensureLabels(platform, tx, owner, [...(labels ?? []), ...add_labels])
  const removed = await usableLabels(tx, owner, remove_labels)
  const found = (titles: readonly string[]): LabelRef[] => titles.flatMap((title) => wanted.get(title.trim()) ?? [])
  const change = { ...(labels && { replace: found(labels) }), add: found(add_labels), remove: [...removed.values()] }
  const changed = await setLabels(tx, issuableOf(row), change, by)
  return changed.added.length + changed.removed.length > 0
}

async function changePeople(platform: Platform, tx: Tx, row: MergeRequestRow, plan: Plan, by: ChangeOrigin) {
  const { assigneeIds, reviewerIds } = plan
  const target = issuableOf(row)
  const assigned = assigneeIds ? await setAssignees(tx, target, assigneeIds) : { added: [], removed: [] }
  const asked = reviewerIds ? await setReviewers(tx, row.id, reviewerIds, by.at) : { added: [], removed: [] }
  for (const userId of assigned.added) {
    await addTodo(platform, tx, target, { userId, authorId: by.userId, action: 'assigned' })
  }
  for (const userId of asked.added) {
    await addTodo(platform, tx, target, { userId, authorId: by.userId, action: 'review_requested' })
  }
  return [assigned, asked].some(({ added, removed }) => added.length + removed.length > 0)
}

/**
 * Carries out what plans a merge request, and records it in the order of contract 18 ("Order inside one write"): labels, then
 * the milestone.
 * @param before the row before the write; null of a new one
 * @returns whether anything besides columns changed
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
): Promise<boolean> {
  const labelled = await changeLabels(platform, tx, row, project, plan, origin)
  const peopled = await changePeople(platform, tx, row, plan, origin)
  const milestone = { from: before?.milestone_id ?? null, to: row.milestone_id }
  await recordMilestoneChange(tx, [issuableOf(row)], milestone, origin)
  return labelled || peopled
}
