import { type RawBuilder, sql } from 'kysely'
import { isAdministrator } from '../../../api/index.ts'
import { role } from '../../access/index.ts'
import {
  type Condition,
  checked,
  exists,
  type Filter,
  type FilterOf,
  type ListContext,
  not,
  nothing,
  ofProjects,
  onColumn,
  type Places,
  rowId,
  type Selection,
  sampleOf,
  type Wanted,
} from '../../issuables/index.ts'
import { isMemberOf, type TestingUse } from '../../projects/index.ts'
import type { ListParams } from './params.ts'

const userNamed = (username: string) =>
  sql`(select named.id from users named where lower(named.username) = ${username.toLowerCase()})`

/** Rows to which a table refers, by its column `merge_request_id`, at most once with the condition. */
function referred(context: ListContext, table: string, condition: Condition = sql<boolean>`1 = 1`): Filter {
  const { projectId } = context
  const linked = sql`select linked.merge_request_id as id from ${sql.table(table)} linked`
  const inProject = sql`cross join merge_requests found
    where found.id = linked.merge_request_id and found.project_id = ${projectId}`
  return {
    matches: exists(
      context,
      sql`${sql.table(table)} linked where linked.merge_request_id = ${rowId(context)} and ${condition}`,
    ),
    ids: projectId === undefined ? sql`${linked} where ${condition}` : sql`${linked} ${inProject} and ${condition}`,
    isSound: true,
    isExact: projectId !== undefined,
  }
}

const reviewedBy = (context: ListContext, user: RawBuilder<unknown> | number) =>
  referred(context, 'merge_request_reviewers', sql<boolean>`linked.user_id = ${user}`)

const anyOf = (context: ListContext, table: string): Filter => ({ matches: referred(context, table).matches })

type Reviewer = { reviewer_id?: Wanted<'none' | 'any'>; reviewer_username?: string }

function byId(context: ListContext, wanted: Wanted<'none' | 'any'>): Filter {
  if (wanted === 'any') return anyOf(context, 'merge_request_reviewers')
  return wanted === 'none' ? not(anyOf(context, 'merge_request_reviewers')) : reviewedBy(context, wanted)
}

/** `reviewer_id`, `reviewer_username` */
export const byReviewer: FilterOf<Reviewer> = (context, { reviewer_id: id, reviewer_username: name = '' }) => [
  ...(id === undefined ? [] : [byId(context, id)]),
  ...(name === '' ? [] : [reviewedBy(context, userNamed(name))]),
]

/** `scope=reviews_for_me` */
export const byReviews: FilterOf<{ scope?: string | undefined }> = (context, { scope }) => {
  if (scope !== 'reviews_for_me') return []
  return [context.actor.kind === 'user' ? reviewedBy(context, context.actor.userId) : nothing]
}

const approvedBy = (context: ListContext, user: RawBuilder<unknown> | number) =>
  referred(context, 'approvals', sql<boolean>`linked.user_id = ${user}`)

function approvedById(context: ListContext, wanted: Wanted<'none' | 'any'>): Filter {
  if (wanted === 'any') return anyOf(context, 'approvals')
  return wanted === 'none' ? not(anyOf(context, 'approvals')) : approvedBy(context, wanted)
}

/** Rows of projects whose rules name a user, or anyone. */
function namedInRules(context: ListContext, condition: Condition): Filter {
  const projects = sql`select ruled.project_id from approval_rules ruled join approval_rule_users named
    on named.rule_id = ruled.id where ${condition}`
  return {
    matches: sql<boolean>`${checked(context, 'project_id')} in (${projects})`,
    ids: sql`select found.id from merge_requests found where found.project_id in (${projects})`,
  }
}

function byApproverId(context: ListContext, wanted: Wanted<'none' | 'any'>): Filter {
  if (typeof wanted === 'number') return namedInRules(context, sql<boolean>`named.user_id = ${wanted}`)
  const any = namedInRules(context, sql<boolean>`1 = 1`)
  return wanted === 'any' ? any : not(any)
}

/** `approved`, `approved_by_ids`, `approved_by_usernames`, `approver_ids` */
export const byApproval: FilterOf<ListParams> = (context, params) => {
  const { approved, approved_by_ids = [], approved_by_usernames = [], approver_ids = [] } = params
  const isApproved = anyOf(context, 'approvals')
  return [
    ...(approved === undefined ? [] : [approved === 'yes' ? isApproved : not(isApproved)]),
    ...approved_by_ids.map((wanted) => approvedById(context, wanted)),
    ...approved_by_usernames.filter((name) => name !== '').map((name) => approvedBy(context, userNamed(name))),
    ...approver_ids.map((wanted) => byApproverId(context, wanted)),
  ]
}

const equals = (context: ListContext, column: string, value: unknown, use: 'indexed' | 'checked' = 'checked') =>
  onColumn(context, column, (one) => sql<boolean>`${one} = ${value}`, use)

/** Those that a user merged, which an index finds also in several projects. */
function mergedBy(context: ListContext, user: RawBuilder<unknown> | number): Filter {
  const one = equals(context, 'merge_user_id', user, 'indexed')
  if (context.projectId !== undefined) return one
  return {
    ...one,
    ids: sql`select found.id from merge_requests found where found.merge_user_id = ${user}`,
    isSound: true,
  }
}

/** `source_branch`, `target_branch`, `source_project_id`, `wip`, `merge_user_id`, `merge_user_username` */
export const byColumns: FilterOf<ListParams> = (context, params) => {
  const { source_branch, target_branch, source_project_id, wip, merge_user_id, merge_user_username = '' } = params
  return [
    ...(source_branch ? [equals(context, 'source_branch', source_branch, 'indexed')] : []),
    ...(target_branch ? [equals(context, 'target_branch', target_branch)] : []),
    ...(source_project_id === undefined ? [] : [equals(context, 'project_id', source_project_id)]),
    ...(wip === undefined
      ? []
      : [equals(context, 'draft', sql.lit(wip === 'yes'), wip === 'yes' ? 'indexed' : 'checked')]),
    ...(merge_user_id === undefined ? [] : [mergedBy(context, merge_user_id)]),
    ...(merge_user_username === '' ? [] : [mergedBy(context, userNamed(merge_user_username))]),
  ]
}

/** Private projects show merge requests to those who may read their code (contract 19, "Permissions"). */
function readable({ db, actor, caller }: ListContext, use: TestingUse): Condition[] {
  const { least = role.none } = caller
  if (isAdministrator(actor) || least >= role.reporter) return []
  const open = sql<boolean>`projects.visibility <> 'private'`
  if (actor.kind !== 'user') return [open]
  return [sql<boolean>`(${open} or ${isMemberOf(db, caller.roles, role.reporter, use)})`]
}

/** The projects of a list. */
type Projects = { groupId?: number; nonArchived: boolean }

const placesOf = (context: ListContext, projects: Projects): Places => ({
  ...projects,
  features: ['merge_requests_access_level', 'repository_access_level'],
  readable: (use) => readable(context, use),
})

/** The merge requests of all projects that the caller can see, or of those below a group. */
export const requestsOfProjects = (context: ListContext, projects: Projects): Selection =>
  ofProjects(context, placesOf(context, projects))

/** Those of the largest of these projects. @param filtersIn further filters */
export const requestsOfLargest = (
  context: ListContext,
  projects: Projects,
  filtersIn: (context: ListContext) => readonly Filter[],
): NonNullable<Selection['sample']> => sampleOf(context, placesOf(context, projects), filtersIn)

/** The merge requests of one project. */
export function requestsOfProject(projectId: number): Selection {
  return { joins: [], filters: [], scope: sql<boolean>`merge_requests.project_id = ${projectId}` }
}

/** Those with a milestone. */
export function withMilestone(milestoneId: number): Filter {
  return {
    matches: sql<boolean>`merge_requests.milestone_id = ${milestoneId}`,
    ids: sql`select found.id from merge_requests found where found.milestone_id = ${milestoneId}`,
  }
}

/** The state of a row, for counting. */
export const stateKey = sql<string>`merge_requests.state`
