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
import {
  countsOfIssuables,
  isSmallGroup,
  type ListContext,
  pageOfIssuables,
  requireCompatible,
  type Selection,
} from '../../issuables/index.ts'
import { callerOf, may, type Project } from '../../projects/index.ts'
import { presentIssues, type RelativeTo } from '../present/present.ts'
import type { PresentedIssue } from '../present/schema.ts'
import type { IssueRow } from '../tables.ts'
import { filtersOf } from './filters.ts'
import type { IssueFilters, IssueListParams } from './params.ts'
import { issuesOfLargest, issuesOfProject, issuesOfProjects, ofMilestone, stateKey } from './store/visibility.ts'

/** The project or group of a list; without one, the instance. */
export type ListPlace = { project?: Project; group?: Group }

/** Counts a search against the settings `search_rate_limit…`. @throws ApiError 429 */
async function limitSearch(platform: Platform, actor: Actor, { ip }: RequestInfo): Promise<void> {
  const settings = await platform.settings.current()
  const [caller, requests] =
    actor.kind === 'user'
      ? [actor.userId, settings.search_rate_limit]
      : [ip, settings.search_rate_limit_unauthenticated]
  await limitRequests(platform, caller, { name: 'issues_search', requests, periodSeconds: 60 })
}

/** What the conditions of a list depend on. */
export async function contextOf(platform: Platform, actor: Actor, { project, group }: ListPlace): Promise<ListContext> {
  const { read: db } = platform.database
  const today = dayOf(platform.clock.now())
  const caller = { ...(await callerOf(db, actor, today)), ...(group && { least: group.level }) }
  const target = { table: 'issues', type: 'Issue' } as const
  const isSmall = group !== undefined && (await isSmallGroup(db, target.table, group.id))
  return { db, target, actor, caller, today, isSmallGroup: isSmall, ...(project && { projectId: project.id }) }
}

/** The issues in a project, in a group and below it, or anywhere, that the caller can see. */
export function seenIn(
  context: ListContext,
  { project, group }: ListPlace,
  options: { nonArchived: boolean },
): Selection {
  if (project) return issuesOfProject(context, project)
  return issuesOfProjects(context, { ...options, ...(group && { groupId: group.id }) })
}

function selectionOf(
  platform: Platform,
  context: ListContext,
  place: ListPlace,
  params: Partial<IssueListParams>,
): Selection {
  const { non_archived: nonArchived = true } = params
  const seen = seenIn(context, place, { nonArchived })
  const selection = { ...seen, filters: [...seen.filters, ...filtersOf(platform, context, params)] }
  if (place.project) return selection
  const projects = { nonArchived, ...(place.group && { groupId: place.group.id }) }
  return { ...selection, sample: issuesOfLargest(context, projects, (within) => filtersOf(platform, within, params)) }
}

const relation = ({ project, group }: ListPlace): RelativeTo =>
  project ? 'project' : group ? { groupPath: group.full_path } : 'instance'

type Asked<Params> = { platform: Platform; actor: Actor; params: Params; request: RequestInfo; place: ListPlace }

/** Checks what does not depend on the rows. @throws ApiError 400, 401, 429 */
async function requireAllowed({ platform, actor, params, request, place }: Asked<Partial<IssueFilters>>) {
  const isAnywhere = !place.project && !place.group
  if (isAnywhere && actor.kind !== 'user' && params.scope !== 'all') throw unauthorized()
  requireCompatible(params)
  if (params.search?.trim()) await limitSearch(platform, actor, request)
}

/** The instance lists what the caller wrote, unless the parameters say otherwise. */
function withScope<Params extends Partial<IssueFilters>>(params: Params, { project, group }: ListPlace): Params {
  return project || group ? params : { ...params, scope: params.scope ?? 'created_by_me' }
}

/**
 * A page of issues (contract 16, 3.30 to 3.32).
 * @throws ApiError 400, 401, 429
 */
export async function listIssues(
  asked: Asked<Partial<IssueListParams>>,
  page: PageRequest,
): Promise<Page<PresentedIssue>> {
  const { platform, actor, place } = asked
  await requireAllowed(asked)
  if (place.project && !may(actor, place.project, 'read_issues')) return { items: [], total: 0 }
  const params = withScope(asked.params, place)
  const context = await contextOf(platform, actor, place)
  const { order_by: order = 'created_at', sort = 'desc', labels: ignoredLabels = [] } = params
  const selection = selectionOf(platform, context, place, params)
  const found = await pageOfIssuables<IssueRow>(context, selection, { order, sort, ignoredLabels }, page)
  const options = { relativeTo: relation(place), withLabelDetails: params.with_labels_details ?? false }
  return { ...found, items: await presentIssues(platform, found.items, actor, options) }
}

/** A page of the issues of a milestone that the caller can see, by the priority of their labels (contract 17, x.milestone_issues). */
export async function listIssuesOfMilestone(
  platform: Platform,
  actor: Actor,
  { place, milestoneId }: { place: ListPlace; milestoneId: number },
  page: PageRequest,
): Promise<Page<PresentedIssue>> {
  if (place.project && !may(actor, place.project, 'read_issues')) return { items: [], total: 0 }
  const context = await contextOf(platform, actor, place)
  const seen = seenIn(context, place, { nonArchived: true })
  const selection = { ...seen, filters: [...seen.filters, ofMilestone(milestoneId)] }
  const found = await pageOfIssuables<IssueRow>(
    context,
    selection,
    { order: 'label_priority', sort: 'asc', ignoredLabels: [] },
    page,
  )
  return { ...found, items: await presentIssues(platform, found.items, actor, { relativeTo: relation(place) }) }
}

/** How many issues there are in each state (contract 16, x.issue_stats). @throws ApiError 400, 401, 429 */
export async function countIssues(asked: Asked<Partial<IssueFilters>>) {
  const { platform, actor, place } = asked
  await requireAllowed(asked)
  const counts = await countsByState(asked)
  const [opened, closed] = [counts.get('opened') ?? 0, counts.get('closed') ?? 0]
  return { statistics: { counts: { all: opened + closed, closed, opened } } }

  async function countsByState({ params }: typeof asked): Promise<ReadonlyMap<string, number>> {
    if (place.project && !may(actor, place.project, 'read_issues')) return new Map()
    const context = await contextOf(platform, actor, place)
    return countsOfIssuables(context, selectionOf(platform, context, place, withScope(params, place)), stateKey)
  }
}

/** How many open issues are assigned to the caller, in projects that are not archived (contract 20, x.user_counts). */
export async function countAssignedIssues(platform: Platform, actor: Actor): Promise<number> {
  const context = await contextOf(platform, actor, {})
  const selection = selectionOf(platform, context, {}, { scope: 'assigned_to_me', state: 'opened' })
  return (await countsOfIssuables(context, selection, stateKey)).get('opened') ?? 0
}
