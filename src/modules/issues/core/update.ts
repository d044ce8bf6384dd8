import type { Updateable } from 'kysely'
import {
  type Actor,
  dayOfField,
  invalid,
  type RequestInfo,
  recordNotFound,
  requireSignedIn,
  type UserActor,
} from '../../../api/index.ts'
import { now, type Tx } from '../../../infra/database/index.ts'
import { type Platform, react } from '../../../platform/index.ts'
import { role } from '../../access/index.ts'
import {
  type ChangeOrigin,
  followDescription,
  isPlanned,
  keptMilestone,
  milestoneIn,
  savedChange,
} from '../../issuables/index.ts'
import { markTodosDone } from '../../notes/index.ts'
import type { Project, ProjectRow } from '../../projects/index.ts'
import { checkPublished } from '../../spam/index.ts'
import { presentIssue } from '../present/present.ts'
import type { IssueRow, IssuesTable } from '../tables.ts'
import { type Issue, isPlanner, issuableOf, levelIn, mayBackdate, requireChange } from './access.ts'
import { assigneesIn } from './assignable.ts'
import { carryOut, iterationIn, keptIteration, type Plan, recordColumns } from './changes.ts'
import type { IssueChanges } from './params.ts'
import { holdIssue, updateIssueRow } from './store.ts'
import { refuseInvalid } from './validation.ts'

/** New values of columns, without times. */
export type ColumnChanges = Omit<Updateable<IssuesTable>, 'id' | 'updated_at'>

/** A change of an issue. */
export type IssueChange = {
  columns?: ColumnChanges
  plan?: Plan
  /** The commit or merge request that closes the issue. */
  source?: { sourceCommit?: string; sourceMergeRequestId?: number }
  /** Chosen by an owner; else the time of the change. */
  updatedAt?: string
}

/** The columns that follow from a new state. */
export function stateColumns(row: IssueRow, state: 'opened' | 'closed', { userId, at }: ChangeOrigin): ColumnChanges {
  if (row.state === state) return {}
  return state === 'closed'
    ? { state, closed_at: at, closed_by_id: userId }
    : { state, closed_at: null, closed_by_id: null }
}

/** Those of these columns whose value is another one. */
function different(row: IssueRow, columns: ColumnChanges): ColumnChanges {
  const given = Object.entries(columns).filter(([name, value]) => {
    return value !== undefined && value !== row[name as keyof IssueRow]
  })
  return Object.fromEntries(given)
}

async function followState(platform: Platform, tx: Tx, before: IssueRow, after: IssueRow, userId: number) {
  if (before.state === after.state || after.state === 'opened') return
  await markTodosDone(platform, tx, issuableOf(after), userId)
  await react(platform, tx, 'issue.closed', { issueId: after.id, userId })
}

/** @throws ApiError 400 while the issue is in a confidential epic (contract 17, "Rules") */
async function requireNoConfidentialEpic(platform: Platform, tx: Tx, issueId: number): Promise<void> {
  if (!(await platform.ports['issues.in_confidential_epic'](platform, tx, issueId))) return
  throw invalid({ issue: ['Cannot set confidential epic for a non-confidential issue'] })
}

/**
 * Changes an issue that is held, and records what changed. `updated_at` moves only when something did (contract 16,
 * x.issue_update).
 * @returns the row after the change
 */
export async function changeHeld(
  platform: Platform,
  tx: Tx,
  { row, project }: { row: IssueRow; project: ProjectRow },
  { columns = {}, plan = {}, source, updatedAt }: IssueChange,
  { actor, origin }: { actor: Actor; origin: ChangeOrigin },
): Promise<IssueRow> {
  const changes = different(row, columns)
  if (changes.milestone_id) changes.milestone_id = await keptMilestone(tx, changes.milestone_id)
  if (changes.iteration_id) await keptIteration(tx, changes.iteration_id)
  const { planned, inEpic } = await carryOut(platform, tx, {
    ...{ row, project, plan, actor, origin },
    confidential: changes.confidential ?? row.confidential,
  })
  if (changes.confidential === false) await requireNoConfidentialEpic(platform, tx, row.id)
  const isChanged = isPlanned(planned) || inEpic || Object.keys(changes).length > 0
  if (!isChanged && updatedAt === undefined) return row
  const after = await updateIssueRow(tx, row.id, { ...changes, updated_at: updatedAt ?? origin.at })
  await recordColumns(tx, row, after, origin, source)
  if (changes.title !== undefined || changes.description !== undefined) {
    await followDescription(platform, tx, issuableOf(after), origin)
  }
  await followState(platform, tx, row, after, origin.userId)
  await react(platform, tx, 'issue.saved', {
    ...{ issueId: row.id, projectId: row.project_id, userId: origin.userId },
    ...savedChange(row, after, planned),
  })
  return after
}

/** The parameters without those that the caller may not set (contract 16, Permissions). */
export function allowedChanges(actor: Actor, project: Project, params: IssueChanges): IssueChanges {
  const { title, description, confidential, state_event, updated_at, created_at, issue_type, ...plans } = params
  const isRaised = issue_type === 'incident' && levelIn(actor, project) < role.reporter
  return {
    ...{ title, description, confidential, state_event },
    ...(isPlanner(actor, project) && plans),
    ...(isPlanner(actor, project) && !isRaised && { issue_type }),
    ...(mayBackdate(actor, project) && { updated_at, created_at }),
  }
}

/** The columns that a request sets, as far as they do not depend on the row. @throws ApiError 400 */
async function columnsOf(platform: Platform, project: Project, params: IssueChanges): Promise<ColumnChanges> {
  const { read: db } = platform.database
  const { title, description, confidential, weight, discussion_locked, issue_type, health_status, created_at } = params
  const [milestone_id, iteration_id] = await Promise.all([
    milestoneIn(db, project, params.milestone_id),
    iterationIn(db, project, params.iteration_id),
  ])
  const due = params.due_date
  return {
    ...{ title, description, confidential, weight, discussion_locked, issue_type, health_status, created_at },
    ...{ milestone_id, iteration_id },
    ...(due !== undefined && { due_date: due === null ? null : dayOfField('due_date', due) }),
  }
}

/** A severity is one of incidents (contract 16, Issue). */
function severityOf(row: IssueRow, { issue_type = row.issue_type, severity }: IssueChanges): ColumnChanges {
  if (issue_type !== 'incident') return { severity: 'unknown' }
  return severity === undefined ? {} : { severity }
}

/** Asks the spam checkers about a new title or description (contract 00, "Spam and CAPTCHA"). @throws ApiError 400, 409 */
async function checkSpamOf(
  platform: Platform,
  { row }: Issue,
  params: IssueChanges,
  by: { actor: UserActor; request: RequestInfo },
) {
  const { title = row.title, description = row.description } = params
  if (title === row.title && description === row.description) return
  await checkPublished(platform, { kind: 'issue', action: 'update', title, text: description ?? '', ...by })
}

const states = { close: 'closed', reopen: 'opened' } as const

/**
 * Changes, closes or reopens an issue (contract 16, x.issue_update).
 * @param request whose new texts are checked for spam; none for quick actions, which are part of a note
 * @throws ApiError 403, 400, 422
 */
export async function updateIssue(
  platform: Platform,
  issue: Issue,
  caller: Actor,
  given: IssueChanges,
  request?: RequestInfo,
) {
  const actor = requireSignedIn(caller)
  const { project } = issue
  requireChange(actor, issue)
  const params = allowedChanges(actor, project, given)
  refuseInvalid(params)
  if (request) await checkSpamOf(platform, issue, params, { actor, request })
  const columns = await columnsOf(platform, project, params)
  const { labels, add_labels, remove_labels, epic_id, epic_iid, state_event, updated_at } = params
  const assigneeIds = await assigneesIn(platform, project, params)
  const at = now(platform.clock)
  const origin = { userId: actor.userId, at: updated_at ?? at }
  const row = await platform.database.write(async (tx) => {
    const held = await holdIssue(tx, issue.row.id)
    if (!held) throw recordNotFound()
    const state = state_event ? stateColumns(held, states[state_event], origin) : {}
    const change = {
      columns: { ...columns, ...severityOf(held, params), ...state },
      plan: { labels, add_labels, remove_labels, assigneeIds, epic_id, epic_iid },
      updatedAt: updated_at,
    }
    return changeHeld(platform, tx, { row: held, project }, change, { actor, origin })
  })
  return presentIssue(platform, row, actor)
}
