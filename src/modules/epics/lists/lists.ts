import { type Actor, dayOf, type Page, type PageRequest } from '../../../api/index.ts'
import { equalTested, type Filters, predicatesOf } from '../../../infra/database/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { type Group, viewerOf } from '../../groups/index.ts'
import {
  type IssuableContext,
  issuableExclusions,
  issuableFilters,
  pageOfIssuables,
  requireCompatible,
} from '../../issuables/index.ts'
import { callerOf } from '../../projects/index.ts'
import { presentEpics } from '../core/load.ts'
import type { PresentedEpic } from '../core/present.ts'
import { readableEpics } from '../core/readable.ts'
import { epicsByIds } from '../core/store.ts'
import type { EpicRow } from '../tables.ts'
import type { EpicFilter } from './params.ts'
import { epicsInReach } from './store.ts'

/** The filters of x.epic_list, which mean what they mean for issues (contract 16, Filters). */
const filters: Filters<IssuableContext, EpicFilter> = {
  author_id: issuableFilters.author_id,
  author_username: issuableFilters.author_username,
  confidential: issuableFilters.confidential,
  labels: issuableFilters.labels,
  my_reaction_emoji: issuableFilters.my_reaction_emoji,
  parent_id: equalTested('parent_id'),
  search: issuableFilters.search,
  state: issuableFilters.state,
  created_after: issuableFilters.created_after,
  created_before: issuableFilters.created_before,
  updated_after: issuableFilters.updated_after,
  updated_before: issuableFilters.updated_before,
}

const exclusions: Filters<IssuableContext, NonNullable<EpicFilter['not']>> = {
  author_id: issuableExclusions.author_id,
  author_username: issuableExclusions.author_username,
  labels: issuableExclusions.labels,
}

/** A hidden epic is not shown as a parent, and so its children are not found by it (contract 17). */
async function isParentShown(platform: Platform, actor: Actor, { parent_id: id }: EpicFilter): Promise<boolean> {
  if (id === undefined) return true
  const { read: db } = platform.database
  const parents = await epicsByIds(db, [id])
  return (await readableEpics(platform, db, [...parents.values()], actor)).length > 0
}

/** Lists the epics of a group and of the groups around it (contract 17, x.epic_list). @throws ApiError 400 */
export async function listEpics(
  platform: Platform,
  group: Group,
  actor: Actor,
  params: EpicFilter,
  page: PageRequest,
): Promise<Page<PresentedEpic>> {
  requireCompatible(params)
  const { read: db } = platform.database
  if (!(await isParentShown(platform, actor, params))) return { items: [], total: 0, hasNext: false }
  const today = dayOf(platform.clock.now())
  const listed = { table: 'epics', type: 'Epic' } as const
  const context = { ...listed, db, actor, caller: await callerOf(db, actor, today), today }
  const { include_ancestor_groups: above = false, include_descendant_groups: below = true, not = {} } = params
  // A role is inherited by the groups below, but does not hold above.
  const level = above ? 0 : group.level
  const reach = { groupId: group.id, includesAncestors: above, includesDescendants: below, level }
  const seen = await epicsInReach(db, await viewerOf(platform, actor), reach)
  const predicates = [
    ...seen.predicates,
    ...predicatesOf(filters, context, params),
    ...predicatesOf(exclusions, context, not),
  ]
  const { order_by: order = 'created_at', sort = 'desc' } = params
  const ordering = { order, sort, ignoredLabels: [] }
  const found = await pageOfIssuables<EpicRow>(context, { ...seen, predicates }, ordering, page)
  const rows = await epicsByIds(
    db,
    found.items.map(({ id }) => id),
  )
  const epics = found.items.flatMap(({ id }) => rows.get(id) ?? [])
  const options = { from: group.full_path, withLabels: params.with_labels_details }
  return { ...found, items: await presentEpics(platform, epics, actor, options) }
}
