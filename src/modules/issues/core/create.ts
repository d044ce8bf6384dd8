import {
  type Actor,
  conflict,
  dayOfField,
  limitRequests,
  type RequestInfo,
  requireSignedIn,
} from '../../../api/index.ts'
import { isUniqueViolation, now, type Tx } from '../../../infra/database/index.ts'
import { type Platform, react } from '../../../platform/index.ts'
import { nextInternalId, reserveInternalId } from '../../../platform/internal-ids/index.ts'
import { role } from '../../access/index.ts'
import { type ChangeOrigin, followDescription, keptMilestone, milestoneIn, savedChange } from '../../issuables/index.ts'
import { subscribeParticipant } from '../../notes/index.ts'
import type { Project, ProjectRow } from '../../projects/index.ts'
import { checkPublished, storeUserAgent } from '../../spam/index.ts'
import { presentIssue } from '../present/present.ts'
import type { IssueRow, NewIssueRow } from '../tables.ts'
import { isPlanner, issuableOf, levelIn, mayBackdate } from './access.ts'
import { assigneesIn } from './assignable.ts'
import { blankIssue, carryOut, iterationIn, keptIteration, type Plan, recordColumns } from './changes.ts'
import type { NewIssue } from './params.ts'
import { insertIssue } from './store.ts'
import { refuseInvalid } from './validation.ts'

/** The kind under which a project numbers its issues. */
const numbered = 'issues'

/** An issue to be stored; its number follows from the project, unless one is chosen. */
export type IssueDraft = Omit<NewIssueRow, 'iid' | 'project_id' | 'created_at' | 'updated_at' | 'author_id'> & {
  iid?: number
  authorId: number
  plan?: Plan
}

/**
 * Stores an issue with its records, and subscribes its author (contract 16, x.issue_create).
 * @param origin who creates it, and when
 * @throws ApiError 409 when the chosen iid is taken; 422 for an epic that the caller cannot use
 */
export async function addIssue(
  platform: Platform,
  tx: Tx,
  project: ProjectRow,
  { iid: chosen, authorId, plan = {}, ...columns }: IssueDraft,
  { actor, origin }: { actor: Actor; origin: ChangeOrigin },
): Promise<IssueRow> {
  const scope = { projectId: project.id }
  if (chosen !== undefined) await reserveInternalId(tx, scope, numbered, chosen)
  const iid = chosen ?? (await nextInternalId(tx, scope, numbered))
  const times = { created_at: origin.at, updated_at: origin.at }
  const plans = {
    milestone_id: await keptMilestone(tx, columns.milestone_id),
    iteration_id: await keptIteration(tx, columns.iteration_id),
  }
  const row = await insertIssue(tx, {
    ...columns,
    ...plans,
    project_id: project.id,
    iid,
    author_id: authorId,
    ...times,
  })
  const { planned } = await carryOut(platform, tx, { row, project, plan, actor, origin })
  await recordColumns(tx, blankIssue, row, origin)
  await subscribeParticipant(tx, issuableOf(row), authorId, origin.at)
  await followDescription(platform, tx, issuableOf(row), origin)
  await react(platform, tx, 'issue.saved', {
    ...{ issueId: row.id, projectId: row.project_id, userId: origin.userId },
    ...savedChange(null, row, planned),
  })
  return row
}

/** The parameters without those that the caller may not set; they are dropped without an error (contract 16, Permissions). */
export function allowedForNew(actor: Actor, project: Project, params: NewIssue): NewIssue {
  const { title, description, confidential, issue_type: type, discussion_locked, health_status, ...rest } = params
  const { iid, created_at, merge_request_to_resolve_discussions_of, discussion_to_resolve, ...plans } = rest
  const level = levelIn(actor, project)
  return {
    ...{ title, description, confidential, merge_request_to_resolve_discussions_of, discussion_to_resolve },
    ...(type !== undefined && (type !== 'incident' || level >= role.reporter) && { issue_type: type }),
    ...(isPlanner(actor, project) && { ...plans, discussion_locked, health_status }),
    ...(mayBackdate(actor, project) && { iid, created_at }),
  }
}

/** Reads what the columns of a new issue are, outside the transaction. @throws ApiError 400 */
async function draftOf(platform: Platform, project: Project, params: NewIssue, authorId: number): Promise<IssueDraft> {
  const { read: db } = platform.database
  const { iid, title, description, confidential, issue_type, discussion_locked, weight, health_status } = params
  const [milestone, iteration, assigneeIds] = await Promise.all([
    milestoneIn(db, project, params.milestone_id),
    iterationIn(db, project, params.iteration_id),
    assigneesIn(platform, project, params),
  ])
  const { labels, add_labels, remove_labels, epic_id, epic_iid } = params
  return {
    ...(iid !== undefined && { iid }),
    ...{ authorId, title, description: description ?? null },
    ...{ confidential: confidential ?? false, discussion_locked: discussion_locked ?? false },
    ...(issue_type && { issue_type }),
    ...{ weight: weight ?? null, health_status: health_status ?? null },
    due_date: params.due_date ? dayOfField('due_date', params.due_date) : null,
    ...{ milestone_id: milestone ?? null, iteration_id: iteration ?? null },
    plan: { labels, add_labels, remove_labels, assigneeIds, epic_id, epic_iid },
  }
}

/** The threads that the issue follows up; none without a merge request that the caller can read. */
async function followUpOf(platform: Platform, project: Project, params: NewIssue, actor: Actor) {
  const { merge_request_to_resolve_discussions_of: iid, discussion_to_resolve: discussionId } = params
  return iid === undefined ? null : platform.ports['issues.follow_up'](platform, project, { iid, discussionId }, actor)
}

/** @throws ApiError 429 above the setting `issues_create_limit`, per user and project */
async function limitCreation(platform: Platform, project: Project, userId: number): Promise<void> {
  const { issues_create_limit: requests } = await platform.settings.current()
  await limitRequests(platform, `${userId}:${project.id}`, { name: 'issues_create', requests, periodSeconds: 60 })
}

/**
 * Creates an issue (contract 16, x.issue_create).
 * @throws ApiError 400, 409, 422, 429
 */
export async function createIssue(
  platform: Platform,
  project: Project,
  caller: Actor,
  given: NewIssue,
  request: RequestInfo,
) {
  const actor = requireSignedIn(caller)
  const params = allowedForNew(actor, project, given)
  await limitCreation(platform, project, actor.userId)
  refuseInvalid(params)
  const followUp = await followUpOf(platform, project, params, actor)
  const description = params.description ?? followUp?.description
  const draft = await draftOf(platform, project, { ...params, description }, actor.userId)
  const text = params.description ?? ''
  await checkPublished(platform, { kind: 'issue', action: 'create', title: params.title, text, actor, request })
  const at = now(platform.clock)
  const origin = { userId: actor.userId, at: params.created_at ?? at }
  const row = await platform.database
    .write(async (tx) => {
      const added = await addIssue(platform, tx, project, draft, { actor, origin })
      await storeUserAgent(platform, tx, { type: 'Issue', id: added.id, projectId: project.id }, request)
      await followUp?.resolve(tx, { userId: actor.userId, at })
      return added
    })
    .catch((error: unknown) => {
      throw isUniqueViolation(error, 'issues_iid_unique') ? conflict('Duplicated issue') : error
    })
  return presentIssue(platform, row, actor)
}
