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
import { may } from '../../projects/index.ts'
import { presentIssues, type RelativeTo } from '../present/present.ts'
import type { PresentedIssue } from '../present/schema.ts'
import type { IssueRow } from '../tables.ts'
import { issuePredicates } from './filters.ts'
import type { IssueFilters, IssueListParams } from './params.ts'
import { issuesOfLargest, issuesOfProject, issuesOfProjects, ofMilestone, stateKey } from './store/visibility.ts'

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
export const contextOf = (platform: Platform, actor: Actor, parent: ListParent): Promise<IssuableContext> =>
  listContext(platform, actor, { table: 'issues', type: 'Issue' }, parent)

/** The issues in a project, in a group and below it, or anywhere, that the caller can see. */
export function seenIn(
  context: IssuableContext,
  { project, group }: ListParent,
  options: { nonArchived: boolean },
): ListQuery {
  if (project) return issuesOfProject(context, project)
  return issuesOfProjects(context, { ...options, ...(group && { groupId: group.id }) })
}

function selectionOf(
  platform: Platform,
  context: IssuableContext,
  parent: ListParent,
  params: Partial<IssueListParams>,
): ListQuery {
  const { non_archived: nonArchived = true } = params
  const seen = seenIn(context, parent, { nonArchived })
  const selection = { ...seen, predicates: [...seen.predicates, ...issuePredicates(platform, context, params)] }
  if (parent.project) return selection
  const projects = { nonArchived, ...(parent.group && { groupId: parent.group.id }) }
  return {
    ...selection,
    sample: issuesOfLargest(context, projects, (within) => issuePredicates(platform, within, params)),
  }
}

const relation = ({ project, group }: ListParent): RelativeTo =>
  project ? 'project' : group ? { groupPath: group.full_path } : 'instance'

type Asked<Params> = { platform: Platform; actor: Actor; params: Params; request: RequestInfo; parent: ListParent }

/** Checks what does not depend on the rows. @throws ApiError 400, 401, 429 */
async function requireAllowed({ platform, actor, params, request, parent }: Asked<Partial<IssueFilters>>) {
  const isAnywhere = !parent.project && !parent.group
  if (isAnywhere && actor.kind !== 'user' && params.scope !== 'all') throw unauthorized()
  requireCompatible(params)
  if (params.search?.trim()) await limitSearch(platform, actor, request)
}

/** The instance lists what the caller wrote, unless the parameters say otherwise. */
function withScope<Params extends Partial<IssueFilters>>(params: Params, { project, group }: ListParent): Params {
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
  const { platform, actor, parent } = asked
  await requireAllowed(asked)
  if (parent.project && !may(actor, parent.project, 'read_issues')) return { items: [], total: 0 }
  const params = withScope(asked.params, parent)
  const context = await contextOf(platform, actor, parent)
  const { order_by: order = 'created_at', sort = 'desc', labels: ignoredLabels = [] } = params
  const selection = selectionOf(platform, context, parent, params)
  const found = await pageOfIssuables<IssueRow>(context, selection, { order, sort, ignoredLabels }, page)
  const options = { relativeTo: relation(parent), withLabelDetails: params.with_labels_details ?? false }
  return { ...found, items: await presentIssues(platform, found.items, actor, options) }
}

/** What the lists of a milestone select. */
export function selectionOfMilestone(context: IssuableContext, parent: ListParent, milestoneId: number): ListQuery {
  const seen = seenIn(context, parent, { nonArchived: true })
  return { ...seen, predicates: [...seen.predicates, ofMilestone(milestoneId)] }
}

/** A page of the issues of a milestone that the caller can see, by the priority of their labels (contract 17, x.milestone_issues). */
export async function listIssuesOfMilestone(
  platform: Platform,
  actor: Actor,
  { parent, milestoneId }: { parent: ListParent; milestoneId: number },
  page: PageRequest,
): Promise<Page<PresentedIssue>> {
  if (parent.project && !may(actor, parent.project, 'read_issues')) return { items: [], total: 0 }
  const context = await contextOf(platform, actor, parent)
  const found = await pageOfIssuables<IssueRow>(
    context,
    selectionOfMilestone(context, parent, milestoneId),
    { order: 'label_priority', sort: 'asc', ignoredLabels: [] },
    page,
  )
  return { ...found, items: await presentIssues(platform, found.items, actor, { relativeTo: relation(parent) }) }
}

/** How many issues there are in each state (contract 16, x.issue_stats). @throws ApiError 400, 401, 429 */
export async function countIssues(asked: Asked<Partial<IssueFilters>>) {
  const { platform, actor, parent } = asked
  await requireAllowed(asked)
  const counts = await countsByState(asked)
  const [opened, closed] = [counts.get('opened') ?? 0, counts.get('closed') ?? 0]
  return { statistics: { counts: { all: opened + closed, closed, opened } } }

  async function countsByState({ params }: typeof asked): Promise<ReadonlyMap<string, number>> {
    if (parent.project && !may(actor, parent.project, 'read_issues')) return new Map()
    const context = await contextOf(platform, actor, parent)
    return countByKey(context, selectionOf(platform, context, parent, withScope(params, parent)), stateKey)
  }
}

/** How many issues of a group and of the groups below it the caller sees that are not older (contract 26.18). */
export async function countNewIssues(
  platform: Platform,
  actor: Actor,
  { group, since, most }: NewInGroup,
): Promise<number> {
  const context = await contextOf(platform, actor, { group })
  const selection = selectionOf(platform, context, { group }, { created_after: since })
  return countUpTo(context, selection, most)
}

/** How many open issues are assigned to the caller, in projects that are not archived (contract 20, x.user_counts). */
export async function countAssignedIssues(platform: Platform, actor: Actor): Promise<number> {
  const context = await contextOf(platform, actor, {})
  const selection = selectionOf(platform, context, {}, { scope: 'assigned_to_me', state: 'opened' })
  return (await countByKey(context, selection, stateKey)).get('opened') ?? 0
}
