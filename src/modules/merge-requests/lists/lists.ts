import {
  type Actor,
  limitRequests,
  type Page,
  type PageRequest,
  type RequestInfo,
  unauthorized,
} from '../../../api/index.ts'
import { countByKey, countUpTo, type ListQuery } from '../../../infra/database/index.ts'
import type { Platform } from '../../../platform/index.ts'
import {
  type IssuableContext,
  type ListParent,
  listContext,
  type NewInGroup,
  pageOfIssuables,
  requireCompatible,
} from '../../issuables/index.ts'
import { requireMilestone } from '../../milestones/index.ts'
import { may, type ProjectOrGroup } from '../../projects/index.ts'
import { presentBasics, presentSimple, type Viewpoint } from '../core/present.ts'
import { mergeRequestsByIds } from '../core/store.ts'
import { ensureChecked } from '../mergeability/check.ts'
import type { MergeRequestRow } from '../tables.ts'
import type { ListParams } from './params.ts'
import { withReviewDetails } from './review-details.ts'
import { mergeRequestPredicates } from './store/filters.ts'
import * as own from './store/visibility.ts'

type Asked = { platform: Platform; actor: Actor; params: ListParams; request: RequestInfo; parent: ListParent }

/** What the conditions of a list depend on. */
export const contextOf = (platform: Platform, actor: Actor, parent: ListParent): Promise<IssuableContext> =>
  listContext(platform, actor, { table: 'merge_requests', type: 'MergeRequest' }, parent)

/** Counts a search against the settings `search_rate_limit…`. @throws ApiError 429 */
async function limitSearch({ platform, actor, request, params }: Asked): Promise<void> {
  if (!params.search?.trim()) return
  const settings = await platform.settings.current()
  const [caller, requests] =
    actor.kind === 'user'
      ? [actor.userId, settings.search_rate_limit]
      : [request.ip, settings.search_rate_limit_unauthenticated]
  await limitRequests(platform, caller, { name: 'merge_requests_search', requests, periodSeconds: 60 })
}

/** The merge requests of a project, of a group and below, or of the instance that the caller can see. */
export function queryOf(context: IssuableContext, { project, group }: ListParent, params: ListParams): ListQuery {
  const { non_archived: nonArchived = true } = params
  if (project) return own.requestsOfProject(project.id)
  const projects = { nonArchived, ...(group && { groupId: group.id }) }
  const sample = own.requestsOfLargest(context, projects, (within) => mergeRequestPredicates(within, params))
  return { ...own.requestsOfProjects(context, projects), sample }
}

/** Checks again, one after another, those whose branches have moved. @returns the rows as they are then */
async function rechecked(platform: Platform, rows: readonly MergeRequestRow[]): Promise<MergeRequestRow[]> {
  for (const row of rows) await ensureChecked(platform, row)
  const fresh = new Map(
    (
      await mergeRequestsByIds(
        platform.database.read,
        rows.map(({ id }) => id),
      )
    ).map((row) => [row.id, row]),
  )
  return rows.flatMap(({ id }) => fresh.get(id) ?? [])
}

const viewpointOf = ({ project, group }: ListParent): Viewpoint => {
  if (project) return { kind: 'project' }
  return group ? { kind: 'group', fullPath: group.full_path } : { kind: 'instance' }
}

async function present(asked: Asked, found: readonly MergeRequestRow[]) {
  const { platform, params, parent } = asked
  const rows = params.with_merge_status_recheck ? await rechecked(platform, found) : found
  const options = { withLabelDetails: params.with_labels_details ?? false }
  const presented = await presentBasics(platform, rows, viewpointOf(parent), options)
  return params.with_review_details ? withReviewDetails(asked, rows, presented) : presented
}

/**
 * A page of merge requests (contract 19, "Operations: listing").
 * @param among only these; default all
 * @throws ApiError 400, 401, 429
 */
export async function listMergeRequests(
  asked: Asked,
  page: PageRequest,
  among?: readonly number[],
): Promise<Page<object>> {
  const { platform, actor, parent } = asked
  const isAnywhere = !parent.project && !parent.group
  const scope = asked.params.scope ?? (isAnywhere ? 'created_by_me' : undefined)
  if (isAnywhere && actor.kind !== 'user' && scope !== 'all') throw unauthorized()
  requireCompatible(asked.params)
  await limitSearch(asked)
  const params = { ...asked.params, ...(scope && { scope }) }
  const context = await contextOf(platform, actor, parent)
  const query = queryOf(context, parent, params)
  const chosen = among ? [own.isAmong(context, among)] : []
  const predicates = [...query.predicates, ...chosen, ...mergeRequestPredicates(context, params)]
  const { order_by: order = 'created_at', sort = 'desc', labels: ignoredLabels = [] } = params
  const ordering = { order, sort, ignoredLabels }
  const found = await pageOfIssuables<MergeRequestRow>(context, { ...query, predicates }, ordering, page)
  const items =
    params.view === 'simple' ? await presentSimple(asked.platform, found.items) : await present(asked, found.items)
  return { ...found, items }
}

/** A page of the merge requests of a milestone (contract 17, x.milestone_mrs). @throws ApiError 404 */
export async function listOfMilestone(
  platform: Platform,
  parent: ProjectOrGroup,
  actor: Actor,
  milestoneId: number,
  page: PageRequest,
) {
  const milestone = await requireMilestone(platform.database.read, parent, milestoneId)
  if (parent.project && !may(actor, parent.project, 'read_merge_requests')) return { items: [], total: 0 }
  const context = await contextOf(platform, actor, parent)
  const query = queryOf(context, parent, {})
  const predicates = [...query.predicates, own.withMilestone(milestone.id)]
  const ordering = { order: 'label_priority', sort: 'asc', ignoredLabels: [] } as const
  const found = await pageOfIssuables<MergeRequestRow>(context, { ...query, predicates }, ordering, page)
  return { ...found, items: await presentBasics(platform, found.items, viewpointOf(parent)) }
}

/** How many merge requests of a group and of the groups below it the caller sees that are not older (contract 26.18). */
export async function countNewRequests(
  platform: Platform,
  actor: Actor,
  { group, since, most }: NewInGroup,
): Promise<number> {
  const context = await contextOf(platform, actor, { group })
  const query = queryOf(context, { group }, {})
  const predicates = [...query.predicates, ...mergeRequestPredicates(context, { created_after: since })]
  return countUpTo(context, { ...query, predicates }, most)
}

/**
 * How many open merge requests are assigned to the caller, and how many ask the caller for a review, in projects that are not
 * archived (contract 20, x.user_counts).
 */
export async function countRequestsOf(
  platform: Platform,
  actor: Actor,
): Promise<{ assigned: number; reviews: number }> {
  const context = await contextOf(platform, actor, {})
  const query = queryOf(context, {}, {})
  const count = async (scope: 'assigned_to_me' | 'reviews_for_me') => {
    const predicates = [...query.predicates, ...mergeRequestPredicates(context, { scope, state: 'opened' })]
    return (await countByKey(context, { ...query, predicates }, own.stateKey)).get('opened') ?? 0
  }
  return { assigned: await count('assigned_to_me'), reviews: await count('reviews_for_me') }
}
