import { type RawBuilder, sql } from 'kysely'
import {
  type Condition,
  compare,
  each,
  equal,
  equalTested,
  type Filter,
  type Filters,
  idOf,
  isFound,
  negated,
  never,
  not,
  onColumn,
  type Predicate,
  predicatesOf,
  testColumn,
} from '../../../../infra/database/index.ts'
import {
  byUsername,
  type IssuableContext,
  issuableExclusions,
  issuableFilters,
  ofCaller,
  type Wanted,
} from '../../../issuables/index.ts'
import { type ListParams, scopeOf } from '../params.ts'

type MergeRequestFilter<Value> = Filter<IssuableContext, Value>
type User = number | RawBuilder<unknown>

/** Rows to which a table refers, by its column `merge_request_id`, at most once with the condition. */
function referred(context: IssuableContext, table: string, condition: Condition = sql<boolean>`1 = 1`) {
  const { db, parent } = context
  const rows = sql`${sql.table(table)} linked`
  const linked = sql`select linked.merge_request_id as id from ${rows}`
  const inProject = sql`cross join merge_requests found
    where found.id = linked.merge_request_id and found.project_id = ${parent?.id}`
  const ids = parent ? sql`${linked} ${inProject} and ${condition}` : sql`${linked} where ${condition}`
  return {
    holds: isFound(db, sql`${rows} where linked.merge_request_id = ${idOf(context)} and ${condition}`),
    driver: { ids, isSufficient: true, isScoped: parent !== undefined },
  }
}

/** Rows to which any row of a table refers; most of them, so that they are only tested. */
const isReferred = (context: IssuableContext, table: string): Predicate => ({ holds: referred(context, table).holds })

/** Rows to which a table refers for a user. */
const byUser =
  (table: string): MergeRequestFilter<User> =>
  (context, user) =>
    referred(context, table, sql<boolean>`linked.user_id = ${user}`)

/** As `byUser`, with the words for none and any. */
const byUserOrWord =
  (table: string): MergeRequestFilter<Wanted<'none' | 'any'>> =>
  (context, wanted) => {
    if (wanted === 'any') return isReferred(context, table)
    return wanted === 'none' ? not(isReferred(context, table)) : byUser(table)(context, wanted)
  }

const reviewers = {
  reviewer_id: byUserOrWord('merge_request_reviewers'),
  reviewer_username: byUsername(byUser('merge_request_reviewers')),
}

/** `scope`, of which `reviews_for_me` is that of merge requests only. */
const scope: MergeRequestFilter<NonNullable<ListParams['scope']>> = (context, wanted) => {
  const { actor } = context
  const known = scopeOf(wanted) ?? 'all'
  if (known !== 'reviews_for_me') return ofCaller(context, known)
  return actor.kind === 'user' ? byUser('merge_request_reviewers')(context, actor.userId) : never
}

/** Rows of projects whose rules name a user, or anyone. */
function namedInRules(context: IssuableContext, condition: Condition): Predicate {
  const projects = sql`select ruled.project_id from approval_rules ruled join approval_rule_users named
    on named.rule_id = ruled.id where ${condition}`
  return {
    holds: sql<boolean>`${compare(context, 'project_id')} in (${projects})`,
    driver: { ids: sql`select found.id from merge_requests found where found.project_id in (${projects})` },
  }
}

const approver: MergeRequestFilter<Wanted<'none' | 'any'>> = (context, wanted) => {
  if (typeof wanted === 'number') return namedInRules(context, sql<boolean>`named.user_id = ${wanted}`)
  const any = namedInRules(context, sql<boolean>`1 = 1`)
  return wanted === 'any' ? any : not(any)
}

const approved: MergeRequestFilter<'yes' | 'no'> = (context, wanted) => {
  const isApproved = isReferred(context, 'approvals')
  return wanted === 'yes' ? isApproved : not(isApproved)
}

/** Those that a user merged, which an index finds also in several projects. */
const mergedBy: MergeRequestFilter<User> = (context, user) => {
  const merged = [equal('merge_user_id')(context, user)].flat()
  if (context.parent) return merged
  const ids = sql`select found.id from merge_requests found where found.merge_user_id = ${user}`
  return merged.map((predicate) => ({ ...predicate, driver: { ids, isSufficient: true } }))
}

/** `wip`: drafts are few. */
const draft: MergeRequestFilter<'yes' | 'no'> = (context, wanted) => {
  const predicate = wanted === 'yes' ? onColumn : testColumn
  return predicate(context, 'draft', (column) => sql<boolean>`${column} = ${sql.lit(wanted === 'yes')}`)
}

const shared = issuableFilters

/** The filters of all lists (contract 19, "Operations: listing"), in the order in which rows are tested. */
const filters: Filters<IssuableContext, ListParams> = {
  assignee_id: shared.assignee_id,
  assignee_username: shared.assignee_username,
  author_id: shared.author_id,
  author_username: shared.author_username,
  created_after: shared.created_after,
  created_before: shared.created_before,
  updated_after: shared.updated_after,
  updated_before: shared.updated_before,
  iids: shared.iids,
  search: shared.search,
  labels: shared.labels,
  milestone: shared.milestone,
  milestone_id: shared.milestone_id,
  scope,
  state: shared.state,
  my_reaction_emoji: shared.my_reaction_emoji,
  ...reviewers,
  approved,
  approved_by_ids: each(byUserOrWord('approvals')),
  approved_by_usernames: each(byUsername(byUser('approvals'))),
  approver_ids: each(approver),
  source_branch: equal('source_branch'),
  target_branch: equalTested('target_branch'),
  source_project_id: equalTested('project_id'),
  wip: draft,
  merge_user_id: mergedBy,
  merge_user_username: byUsername(mergedBy),
}

/** Those of the hash `not`. */
const exclusions: Filters<IssuableContext, NonNullable<ListParams['not']>> = {
  assignee_id: issuableExclusions.assignee_id,
  assignee_username: issuableExclusions.assignee_username,
  author_id: issuableExclusions.author_id,
  author_username: issuableExclusions.author_username,
  labels: issuableExclusions.labels,
  milestone: issuableExclusions.milestone,
  my_reaction_emoji: issuableExclusions.my_reaction_emoji,
  reviewer_id: negated(reviewers.reviewer_id),
  reviewer_username: negated(reviewers.reviewer_username),
}

/** What the parameters of a list select. */
export const mergeRequestPredicates = (context: IssuableContext, params: ListParams): Predicate[] => [
  ...predicatesOf(filters, context, params),
  ...predicatesOf(exclusions, context, params.not ?? {}),
]
