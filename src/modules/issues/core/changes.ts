import type { Actor } from '../../../api/index.ts'
import { failure, invalid } from '../../../api/index.ts'
import type { Reader, Tx } from '../../../infra/database/index.ts'
import type { Platform } from '../../../platform/index.ts'
import {
  type ChangeOrigin,
  ownerOf,
  type PlannedChanges,
  type Planning,
  planIssuable,
  recordIterationChange,
  recordMilestoneChange,
  recordStateChange,
  recordWeightChange,
  type StateChange,
} from '../../issuables/index.ts'
import { keepIteration, usableIteration } from '../../iterations/index.ts'
import type { ProjectRow } from '../../projects/index.ts'
import type { WantedEpic } from '../events.ts'
import type { IssueRow } from '../tables.ts'
import { issuableOf, refOf } from './access.ts'

/** What plans an issue, besides the columns of its row. */
export type Plan = Planning & { epic_id?: number | null; epic_iid?: number }

/** The iteration that a request names. @throws ApiError 400 for one of another group */
export async function iterationIn(db: Reader, project: ProjectRow, id: number | null | undefined) {
  if (id === undefined) return undefined
  if (id === null || id === 0) return null
  if (!(await usableIteration(db, project.namespace_id, id))) throw invalid({ iteration_id: ['is invalid'] })
  return id
}

/** The iteration that is stored with an issue, kept until the transaction ends. @throws ApiError 400 when it was deleted meanwhile */
export async function keptIteration<None extends null | undefined>(tx: Tx, id: number | None): Promise<number | None> {
  if (typeof id === 'number' && !(await keepIteration(tx, id))) throw invalid({ iteration_id: ['is invalid'] })
  return id
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
 * @returns what changed, and whether the epic did
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
    confidential = row.confidential,
  }: {
    row: IssueRow
    project: ProjectRow
    plan: Plan
    actor: Actor
    origin: ChangeOrigin
    /** After the change. */
    confidential?: boolean
  },
): Promise<{ planned: PlannedChanges; inEpic: boolean }> {
  const planned = await planIssuable(platform, tx, issuableOf(row), { owner: ownerOf(project), planning: plan, origin })
  const inEpic = await changeEpic(platform, tx, { ...row, confidential }, plan, actor, origin)
  return { planned, inEpic }
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
