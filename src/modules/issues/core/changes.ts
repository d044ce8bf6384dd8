import type { Actor } from '../../../api/index.ts'
import { failure, invalid } from '../../../api/index.ts'
import type { Reader, Tx } from '../../../infra/database/index.ts'
import type { Platform } from '../../../platform/index.ts'
import {
  type ChangeOrigin,
  recordIterationChange,
  recordMilestoneChange,
  recordStateChange,
  recordWeightChange,
  type StateChange,
  setAssignees,
  setLabels,
} from '../../issuables/index.ts'
import { usableIteration } from '../../iterations/index.ts'
import { ensureLabels, usableLabels } from '../../labels/index.ts'
import { usableMilestone } from '../../milestones/index.ts'
import { addTodo } from '../../notes/index.ts'
import type { ProjectOrGroupRef, ProjectRow } from '../../projects/index.ts'
import type { WantedEpic } from '../events.ts'
import type { IssueRow } from '../tables.ts'
import { issuableOf, refOf } from './access.ts'

/** What plans an issue, besides the columns of its row. */
export type Plan = {
  labels?: readonly string[]
  add_labels?: readonly string[]
  remove_labels?: readonly string[]
  /** Users who can read the issue. */
  assigneeIds?: readonly number[]
  epic_id?: number | null
  epic_iid?: number
}

export const ownerOf = ({ id, namespace_id: namespaceId }: ProjectRow): ProjectOrGroupRef => ({
  kind: 'project',
  id,
  namespaceId,
})

/** The milestone that a request names: one of the project or a group above it, else none (contract 16, x.issue_create). */
export async function milestoneIn(db: Reader, project: ProjectRow, id: number | null | undefined) {
  if (id === undefined) return undefined
  return id === null || id === 0 ? null : ((await usableMilestone(db, ownerOf(project), id))?.id ?? null)
}

/** The iteration that a request names. @throws ApiError 400 for one of another group */
export async function iterationIn(db: Reader, project: ProjectRow, id: number | null | undefined) {
  if (id === undefined) return undefined
  if (id === null || id === 0) return null
  if (!(await usableIteration(db, project.namespace_id, id))) throw invalid({ iteration_id: ['is invalid'] })
  return id
}

/** @returns whether a label was added or removed */
async function changeLabels(
  platform: Platform,
  tx: Tx,
  row: IssueRow,
  project: ProjectRow,
  plan: Plan,
  by: ChangeOrigin,
) {
  const { labels, add_labels, remove_labels } = plan
  if ((labels ?? add_labels ?? remove_labels) === undefined) return false
  const owner = ownerOf(project)
  const wanted = await ensureLabels(platform, tx, owner, [...(labels ?? []), ...(add_labels ?? [])])
  const removed = await usableLabels(tx, owner, remove_labels ?? [])
  const found = (titles: readonly string[]) => titles.flatMap((title) => wanted.get(title.trim()) ?? [])
  const change = {
    ...(labels && { replace: found(labels) }),
    add: found(add_labels ?? []),
    remove: [...removed.values()],
  }
  const changed = await setLabels(tx, refOf(row), change, by)
  return changed.added.length + changed.removed.length > 0
}

/** @returns whether an assignee was added or removed */
async function changeAssignees(
  platform: Platform,
  tx: Tx,
  row: IssueRow,
  userIds: readonly number[],
  by: ChangeOrigin,
) {
  const { added, removed } = await setAssignees(tx, refOf(row), userIds)
  for (const userId of added) {
    await addTodo(platform, tx, issuableOf(row), { userId, authorId: by.userId, action: 'assigned' })
  }
  return added.length + removed.length > 0
}

function wantedEpic({ epic_id: id, epic_iid: iid }: Plan): WantedEpic | null | undefined {
  if (iid !== undefined) return { iid }
  return id === undefined ? undefined : id === null || id === 0 ? null : { id }
}

/** @throws ApiError 422 for an epic that the caller cannot use */
async function changeEpic(platform: Platform, tx: Tx, row: IssueRow, plan: Plan, actor: Actor, by: ChangeOrigin) {
  const wanted = wantedEpic(plan)
  if (wanted === undefined) return false
  const changed = await platform.ports['issues.set_epic'](platform, tx, row, wanted, actor, by)
  if (changed === null) throw failure(422, 'Epic not found')
  return changed
}

/**
 * Carries out what plans an issue, and records it in the order of contract 18 ("Order inside one write").
 * @returns whether anything changed
 * @throws ApiError 422 for an epic that the caller cannot use
 */
export async function carryOut(
  platform: Platform,
  tx: Tx,
  {
    row,
    project,
    plan,
    actor,
    origin,
  }: { row: IssueRow; project: ProjectRow; plan: Plan; actor: Actor; origin: ChangeOrigin },
): Promise<boolean> {
  const labelled = await changeLabels(platform, tx, row, project, plan, origin)
  const { assigneeIds } = plan
  const assigned = assigneeIds !== undefined && (await changeAssignees(platform, tx, row, assigneeIds, origin))
  const inEpic = await changeEpic(platform, tx, row, plan, actor, origin)
  return labelled || assigned || inEpic
}

type Recorded = Pick<IssueRow, 'milestone_id' | 'weight' | 'iteration_id' | 'state'>

/** An issue before its creation, for the records of its first values. */
export const blankIssue: Recorded = { milestone_id: null, weight: null, iteration_id: null, state: 'opened' }

/** Records the changes of columns that have events. @param state what closed the issue */
export async function recordColumns(
  tx: Tx,
  before: Recorded,
  after: IssueRow,
  origin: ChangeOrigin,
  source: Omit<StateChange, 'state'> = {},
): Promise<void> {
  const target = [refOf(after)]
  await recordMilestoneChange(tx, target, { from: before.milestone_id, to: after.milestone_id }, origin)
  await recordWeightChange(tx, target, { from: before.weight, to: after.weight }, origin)
  await recordIterationChange(tx, target, { from: before.iteration_id, to: after.iteration_id }, origin)
  if (before.state === after.state) return
  const state = after.state === 'closed' ? 'closed' : 'reopened'
  await recordStateChange(tx, target, { state, ...source }, origin)
}
