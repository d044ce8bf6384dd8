import { type Actor, forbidden, isAdministrator, isSentByAdministrator } from '../../../api/index.ts'
import type { Reader } from '../../../infra/database/index.ts'
import { nested, type Platform, pathNumber, type Subject } from '../../../platform/index.ts'
import { type ProjectAbility, role } from '../../access/index.ts'
import { assignedTo, type Issuable, type IssuableRef } from '../../issuables/index.ts'
import { callerIn, callerOf, may, type Project, project, projectsWithRoles } from '../../projects/index.ts'
import type { IssueRow } from '../tables.ts'
import { issueByIid } from './store.ts'

/** An issue with its project and what the caller is to it. */
export type Issue = { row: IssueRow; project: Project; isAssigned: boolean }

/** The level of the caller in a project; administrators count as owners. */
export function levelIn(caller: Actor, found: Project): number {
  return isAdministrator(callerIn(caller, found)) ? role.owner : found.role.level
}

/** Whether the caller plans: changes labels, assignees, milestones and so on (contract 16, Permissions). */
export const isPlanner = (actor: Actor, found: Project) => levelIn(actor, found) >= role.planner

/** Whether the caller may set `created_at`, `updated_at` and `iid`. */
export const mayBackdate = (actor: Actor, found: Project) =>
  isSentByAdministrator(actor) || levelIn(actor, found) >= role.owner

const isAuthor = (actor: Actor, { author_id }: IssueRow) => actor.kind === 'user' && actor.userId === author_id

/** Whether a caller who can read issues of the project can read this one (contract 16, Permissions). */
export function canRead(actor: Actor, { row, project, isAssigned }: Issue): boolean {
  if (!may(actor, project, 'read_issues')) return false
  const caller = callerIn(actor, project)
  return !row.confidential || isAssigned || isAuthor(caller, row) || isPlanner(caller, project)
}

/** Whether the caller may change text, state and confidentiality. */
export function mayChange(actor: Actor, issue: Issue): boolean {
  const caller = callerIn(actor, issue.project)
  const isTheirs = issue.isAssigned || isAuthor(caller, issue.row) || isPlanner(caller, issue.project)
  return may(actor, issue.project, 'take_part_in_issues') && isTheirs && canRead(actor, issue)
}

/** @param heard what is left of the parameters for the caller @throws ApiError 403 unless all are heard */
export function requireHeard(
  params: Readonly<Record<string, unknown>>,
  heard: Readonly<Record<string, unknown>>,
): void {
  if (Object.keys(params).some((name) => params[name] !== undefined && heard[name] === undefined)) throw forbidden()
}

/** @throws ApiError 403 */
export function requireChange(actor: Actor, issue: Issue): void {
  if (!mayChange(actor, issue)) throw forbidden()
}

/** @throws ApiError 403 */
export function requireDelete(actor: Actor, issue: Issue): void {
  if (!mayDelete(actor, issue)) throw forbidden()
}

/** Planners and owners may delete issues, roles between them may not (contract 16, Permissions). */
function mayDelete(actor: Actor, { project }: Issue): boolean {
  const level = levelIn(actor, project)
  return level === role.planner || level >= role.owner
}

/** The issue as the modules of notes, labels and so on see it. */
export function issuableOf(row: IssueRow): Issuable {
  const { id, iid, project_id: projectId, author_id: authorId, title, description, state, confidential } = row
  const locked = row.discussion_locked
  const text = { title, description, state, confidential, discussionLocked: locked }
  return { type: 'Issue', id, iid, projectId, groupId: null, commitId: null, authorId, ...text }
}

export const refOf = ({ id, project_id: projectId }: Pick<IssueRow, 'id' | 'project_id'>): IssuableRef => ({
  ...{ type: 'Issue', id, projectId, groupId: null },
})

async function isAssignedTo(db: Reader, actor: Actor, id: number): Promise<boolean> {
  return actor.kind === 'user' && (await assignedTo(db, actor.userId, 'Issue', [id])).has(id)
}

/** Adds what the caller is to an issue. */
export async function asIssue(db: Reader, row: IssueRow, found: Project, actor: Actor): Promise<Issue> {
  return { row, project: found, isAssigned: await isAssignedTo(db, callerIn(actor, found), row.id) }
}

/** An issue of a project by its number, if the caller can read it. */
export async function readableIssue(db: Reader, found: Project, iid: number, actor: Actor): Promise<Issue | null> {
  const row = await issueByIid(db, found.id, iid)
  const issue = row && (await asIssue(db, row, found, actor))
  return issue && canRead(actor, issue) ? issue : null
}

/** Those of these issues that the caller can read, in their order; in a constant number of queries. */
export async function readableAmong(
  { database: { read: db } }: Platform,
  rows: readonly IssueRow[],
  actor: Actor,
  today: string,
): Promise<Issue[]> {
  if (rows.length === 0) return []
  const ids = rows.map(({ id }) => id)
  const projectIds = [...new Set(rows.map(({ project_id }) => project_id))]
  const projects = await projectsWithRoles(db, await callerOf(db, actor, today), projectIds)
  const byId = new Map(projects.map((one) => [one.id, one]))
  const assigned = actor.kind === 'user' ? await assignedTo(db, actor.userId, 'Issue', ids) : new Set<number>()
  return rows.flatMap((row) => {
    const found = byId.get(row.project_id)
    if (!found || found.pending_delete) return []
    const issue = { row, project: found, isAssigned: assigned.has(row.id) && callerIn(actor, found) === actor }
    return canRead(actor, issue) ? [issue] : []
  })
}

/** @param noun what a 404 calls the issue; see `nested` */
function subjectWith(noun?: string): Subject<Issue, ProjectAbility> {
  return nested(project, {
    name: 'issue',
    parameter: 'issue_iid',
    read: 'read_issues',
    ...(noun !== undefined && { noun }),
    find: ({ database }, found, text, actor) =>
      readableIssue(database.read, found, pathNumber('issue_iid', text), actor),
    parentOf: (issue) => issue.project,
  })
}

/** The subject of operations whose path names an issue: 404 unless the caller can read it. */
export const issue = subjectWith()

/** As `issue`, for operations whose 404 has the word `Issue` (contract 16). */
export const namedIssue = subjectWith('Issue')
