import {
  type Actor,
  dayOf,
  limitRequests,
  type Page,
  type PageRequest,
  type RequestInfo,
  unauthorized,
} from '../../../api/index.ts'
import type { Platform } from '../../../platform/index.ts'
import type { Group } from '../../groups/index.ts'
import * as by from '../../issuables/index.ts'
import { requireMilestone } from '../../milestones/index.ts'
import { callerOf, may, type Project, type ProjectOrGroup, projectsByIds } from '../../projects/index.ts'
import { presentBasics } from '../core/present.ts'
import type { Viewpoint } from '../core/references.ts'
import { mergeRequestsByIds } from '../core/store.ts'
import { ensureChecked } from '../mergeability/check.ts'
import type { MergeRequestRow } from '../tables.ts'
import { type ListParams, scopeOf } from './params.ts'
import * as own from './store.ts'

/** The project or group of a list; without one, the instance. */
export type ListPlace = { project?: Project; group?: Group }

type Asked = { platform: Platform; actor: Actor; params: ListParams; request: RequestInfo; place: ListPlace }

/** What the parameters of a list select. */
function filtersOf(context: by.ListContext, params: ListParams): by.Filter[] {
  const scope = scopeOf(params.scope)
  const common = { ...params, scope: scope === 'reviews_for_me' ? undefined : scope }
  const { not: excluded = {} } = params
  return [
    ...[by.byAssignee, by.byAuthor, by.byTimes, by.byIids, by.bySearch, by.byLabels, by.byMilestone].flatMap((filter) =>
      (filter as by.FilterOf<ListParams>)(context, params),
    ),
    ...by.byScope(context, common.scope ? { scope: common.scope } : {}),
    ...by.byState(context, params.state ? { state: params.state } : {}),
    ...by.byOwnReaction(context, params),
    ...own.byReviewer(context, params),
    ...own.byReviews(context, { scope }),
    ...own.byApproval(context, params),
    ...own.byColumns(context, params),
    ...by.byOtherAssignee(context, excluded),
    ...by.byOtherAuthor(context, excluded),
    ...by.byOtherLabels(context, excluded),
    ...by.byOtherMilestone(context, excluded),
    ...by.byOwnReaction(context, excluded).map(by.not),
    ...own.byReviewer(context, excluded).map(by.not),
  ]
}

/** What the conditions of a list depend on. */
export async function contextOf(
  platform: Platform,
  actor: Actor,
  { project, group }: ListPlace,
): Promise<by.ListContext> {
  const { read: db } = platform.database
  const today = dayOf(platform.clock.now())
  const caller = { ...(await callerOf(db, actor, today)), ...(group && { least: group.level }) }
  const target = { table: 'merge_requests', type: 'MergeRequest' } as const
  const isSmall = group !== undefined && (await by.isSmallGroup(db, target.table, group.id))
  return { db, target, actor, caller, today, isSmallGroup: isSmall, ...(project && { projectId: project.id }) }
}

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
export function selectionOf(context: by.ListContext, { project, group }: ListPlace, params: ListParams): by.Selection {
  const { non_archived: nonArchived = true } = params
  if (project) return own.requestsOfProject(project.id)
  const projects = { nonArchived, ...(group && { groupId: group.id }) }
  const sample = own.requestsOfLargest(context, projects, (within) => filtersOf(within, params))
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

const viewpointOf = ({ project, group }: ListPlace): Viewpoint => {
  if (project) return { kind: 'project' }
  return group ? { kind: 'group', fullPath: group.full_path } : { kind: 'instance' }
}

/** The members of `view=simple`. */
function presentSimple(platform: Platform, paths: ReadonlyMap<number, string>, row: MergeRequestRow) {
  const { id, iid, project_id, title, description, state, created_at, updated_at } = row
  const web_url = `${platform.externalUrl}/${paths.get(project_id)}/-/merge_requests/${iid}`
  return { id, iid, project_id, title, description, state, created_at, updated_at, web_url }
}

async function present({ platform, params, place }: Asked, found: readonly MergeRequestRow[]) {
  const rows = params.with_merge_status_recheck ? await rechecked(platform, found) : found
  const options = { withLabelDetails: params.with_labels_details ?? false }
  return presentBasics(platform, rows, viewpointOf(place), options)
}

async function simple({ platform }: Asked, rows: readonly MergeRequestRow[]) {
  const projects = await projectsByIds(
    platform.database.read,
    rows.map(({ project_id }) => project_id),
  )
  const paths = new Map(projects.map(({ id, full_path }) => [id, full_path]))
  return rows.map((row) => presentSimple(platform, paths, row))
}

/**
 * A page of merge requests (contract 19, "Operations: listing").
 * @throws ApiError 400, 401, 429
 */
export async function listMergeRequests(asked: Asked, page: PageRequest): Promise<Page<object>> {
  const { platform, actor, place } = asked
  const isAnywhere = !place.project && !place.group
  const scope = asked.params.scope ?? (isAnywhere ? 'created_by_me' : undefined)
  if (isAnywhere && actor.kind !== 'user' && scope !== 'all') throw unauthorized()
  by.requireCompatible(asked.params)
  await limitSearch(asked)
  const params = { ...asked.params, ...(scope && { scope }) }
  const context = await contextOf(platform, actor, place)
  const selection = selectionOf(context, place, params)
  const filters = [...selection.filters, ...filtersOf(context, params)]
  const { order_by: order = 'created_at', sort = 'desc', labels: ignoredLabels = [] } = params
  const ordering = { order, sort, ignoredLabels }
  const found = await by.pageOfIssuables<MergeRequestRow>(context, { ...selection, filters }, ordering, page)
  const items = params.view === 'simple' ? await simple(asked, found.items) : await present(asked, found.items)
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
  const place: ListPlace = parent.project ? { project: parent.project } : { group: parent.group }
  if (place.project && !may(actor, place.project, 'read_merge_requests')) return { items: [], total: 0 }
  const context = await contextOf(platform, actor, place)
  const selection = selectionOf(context, place, {})
  const filters = [...selection.filters, own.withMilestone(milestone.id)]
  const ordering = { order: 'label_priority', sort: 'asc', ignoredLabels: [] } as const
  const found = await by.pageOfIssuables<MergeRequestRow>(context, { ...selection, filters }, ordering, page)
  return { ...found, items: await presentBasics(platform, found.items, viewpointOf(place)) }
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
  const selection = selectionOf(context, {}, {})
  const count = async (scope: 'assigned_to_me' | 'reviews_for_me') => {
    const filters = [...selection.filters, ...filtersOf(context, { scope, state: 'opened' })]
    return (await by.countsOfIssuables(context, { ...selection, filters }, own.stateKey)).get('opened') ?? 0
  }
  return { assigned: await count('assigned_to_me'), reviews: await count('reviews_for_me') }
}
