import type { Actor, Static } from '../../../api/index.ts'
import { mapInTurns } from '../../../infra/turns/index.ts'
import { importMembers, type Platform } from '../../../platform/index.ts'
import { byCodePoint, countTasks, presentTimes, taskStatus } from '../../issuables/index.ts'
import { Iteration } from '../../iterations/index.ts'
import { LabelBasic } from '../../labels/index.ts'
import { Milestone } from '../../milestones/index.ts'
import { isSubscribed } from '../../notes/index.ts'
import type { ProjectRow } from '../../projects/index.ts'
import { presentUserBasic } from '../../users/index.ts'
import { issuableOf } from '../core/access.ts'
import type { IssueRow } from '../tables.ts'
import { factsOf, type IssueFacts } from './facts.ts'
import type { IssueBasic, PresentedIssue, PresentedSingleIssue } from './schema.ts'

/** To what `references.relative` is relative: the project of the issue, a group above it, or nothing. */
export type RelativeTo = 'project' | 'instance' | { groupPath: string }

type Options = { relativeTo: RelativeTo; withLabelDetails?: boolean }

/** The address of an issue in the web interface. */
export function webUrlOf(externalUrl: string, path: string, { iid, issue_type }: Pick<IssueRow, 'iid' | 'issue_type'>) {
  const page = { issue: 'issues', test_case: 'issues', incident: 'issues/incident', task: 'work_items' }[issue_type]
  return `${externalUrl}/${path}/-/${page}/${iid}`
}

/** The address of an issue in the API. */
const apiUrlOf = (externalUrl: string, { project_id, iid }: Pick<IssueRow, 'project_id' | 'iid'>) =>
  `${externalUrl}/api/v4/projects/${project_id}/issues/${iid}`

function referencesOf(path: string, { iid }: IssueRow, relativeTo: RelativeTo) {
  const [short, full] = [`#${iid}`, `${path}#${iid}`]
  if (relativeTo === 'project') return { short, relative: short, full }
  if (relativeTo === 'instance') return { short, relative: full, full }
  const { groupPath } = relativeTo
  return { short, relative: path.startsWith(`${groupPath}/`) ? full.slice(groupPath.length + 1) : full, full }
}

/** A project always has a row while its issues have. */
function pathOf({ projects }: IssueFacts, { project_id }: IssueRow): string {
  return (projects.get(project_id) as ProjectRow).full_path
}

function userOf({ users, presenting }: IssueFacts, id: number) {
  const user = users.get(id)
  return user ? presentUserBasic(user, presenting) : null
}

function labelsIn({ labels, labelRows }: IssueFacts, { id }: IssueRow) {
  const refs = (labels.get(id) ?? []).toSorted((left, right) => byCodePoint(left.title, right.title))
  if (!labelRows) return refs.map(({ title }) => title)
  return refs.flatMap((label) => labelRows.get(label.id) ?? []).map((row) => LabelBasic.present(row))
}

/** What IssueBasic has (contract 16). */
export function presentBasic(platform: Platform, row: IssueRow, facts: IssueFacts): Static<typeof IssueBasic> {
  const { id, iid, project_id, title, description, state, created_at, updated_at, closed_at } = row
  const assignees = (facts.assignees.get(id) ?? []).flatMap((userId) => userOf(facts, userId) ?? [])
  const milestone = row.milestone_id === null ? undefined : facts.milestones.get(row.milestone_id)
  const { count, completed_count } = countTasks(description)
  return {
    ...{ id, iid, project_id, title, description, state, created_at, updated_at, closed_at },
    closed_by: row.closed_by_id === null ? null : userOf(facts, row.closed_by_id),
    labels: labelsIn(facts, row),
    milestone: milestone ? Milestone.present(milestone, platform) : null,
    assignees,
    author: userOf(facts, row.author_id) as PresentedIssue['author'],
    type: row.issue_type.toUpperCase(),
    assignee: assignees[0] ?? null,
    user_notes_count: facts.counts(id).user_notes_count,
    merge_requests_count: facts.closing.get(id) ?? 0,
    upvotes: facts.counts(id).upvotes,
    downvotes: facts.counts(id).downvotes,
    due_date: row.due_date,
    confidential: row.confidential,
    discussion_locked: row.discussion_locked,
    issue_type: row.issue_type,
    web_url: webUrlOf(platform.externalUrl, pathOf(facts, row), row),
    time_stats: presentTimes(facts.times.get(id)),
    task_completion_status: { count, completed_count },
    weight: row.weight,
    blocking_issues_count: facts.blocked.get(id) ?? 0,
  }
}

function linksIn({ externalUrl }: Platform, row: IssueRow, { named }: IssueFacts) {
  const self = apiUrlOf(externalUrl, row)
  const original = row.duplicated_to_id === null ? undefined : named.get(row.duplicated_to_id)
  return {
    self,
    notes: `${self}/notes`,
    award_emoji: `${self}/award_emoji`,
    project: `${externalUrl}/api/v4/projects/${row.project_id}`,
    closed_as_duplicate_of: original ? apiUrlOf(externalUrl, original) : null,
  }
}

/** An issue as lists show it. */
export function presentListed(platform: Platform, row: IssueRow, facts: IssueFacts, to: RelativeTo): PresentedIssue {
  const basic = presentBasic(platform, row, facts)
  const tasks = basic.task_completion_status
  const epic = facts.epics.get(row.id) ?? null
  const iteration = row.iteration_id === null ? undefined : facts.iterations.get(row.iteration_id)
  return {
    ...basic,
    has_tasks: tasks.count > 0,
    task_status: taskStatus(tasks),
    _links: linksIn(platform, row, facts),
    references: referencesOf(pathOf(facts, row), row, to),
    severity: row.severity.toUpperCase(),
    moved_to_id: facts.named.has(row.moved_to_id ?? 0) ? row.moved_to_id : null,
    ...importMembers(row),
    service_desk_reply_to: null,
    epic_iid: epic?.iid ?? null,
    epic,
    iteration: iteration ? Iteration.present(iteration, platform) : null,
    health_status: row.health_status,
  }
}

/** These issues as lists show them. */
export async function presentIssues(
  platform: Platform,
  rows: readonly IssueRow[],
  actor: Actor,
  { relativeTo, withLabelDetails }: Options,
): Promise<PresentedIssue[]> {
  const facts = await factsOf(platform, rows, actor, { withLabelDetails })
  const present = (row: IssueRow) => presentListed(platform, row, facts, relativeTo)
  return mapInTurns(rows, ({ description }) => description?.length ?? 0, present)
}

/** One issue, with whether the caller is subscribed to it. */
export async function presentIssue(platform: Platform, row: IssueRow, actor: Actor): Promise<PresentedSingleIssue> {
  const facts = await factsOf(platform, [row], actor)
  const subscribed =
    actor.kind === 'user' && (await isSubscribed(platform.database.read, issuableOf(row), actor.userId))
  return { ...presentListed(platform, row, facts, 'project'), subscribed }
}
