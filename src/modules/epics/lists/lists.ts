import { type Actor, dayOf, type Page, type PageRequest } from '../../../api/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { type Group, viewerOf } from '../../groups/index.ts'
import * as by from '../../issuables/index.ts'
import { callerOf } from '../../projects/index.ts'
import { presentEpics } from '../core/load.ts'
import type { PresentedEpic } from '../core/present.ts'
import { epicsByIds } from '../core/store.ts'
import type { EpicRow } from '../tables.ts'
import type { EpicFilter } from './params.ts'
import { epicsInReach } from './store.ts'

/** The filters of x.epic_list, which mean what they mean for issues (contract 16, Filters). */
const positive: readonly by.FilterOf<EpicFilter>[] = [
  by.byAuthor,
  by.byConfidentiality,
  by.byLabels,
  by.byOwnReaction,
  by.bySearch,
  by.byState,
  by.byTimes,
]

const negative: readonly by.FilterOf<NonNullable<EpicFilter['not']>>[] = [by.byOtherAuthor, by.byOtherLabels]

/** Lists the epics of a group and of the groups around it (contract 17, x.epic_list). @throws ApiError 400 */
export async function listEpics(
  platform: Platform,
  group: Group,
  actor: Actor,
  params: EpicFilter,
  page: PageRequest,
): Promise<Page<PresentedEpic>> {
  by.requireCompatible(params)
  const { read: db } = platform.database
  const today = dayOf(platform.clock.now())
  const target = { table: 'epics', type: 'Epic' } as const
  const context = { db, target, actor, caller: await callerOf(db, actor, today), today }
  const { include_ancestor_groups: above = false, include_descendant_groups: below = true, not = {} } = params
  // A role is inherited by the groups below, but does not hold above.
  const level = above ? 0 : group.level
  const reach = { groupId: group.id, includesAncestors: above, includesDescendants: below, level }
  const seen = await epicsInReach(db, await viewerOf(platform, actor), reach)
  const filters = [
    ...seen.filters,
    ...positive.flatMap((filter) => filter(context, params)),
    ...negative.flatMap((filter) => filter(context, not)),
  ]
  const { order_by: order = 'created_at', sort = 'desc' } = params
  const ordering = { order, sort, ignoredLabels: [] }
  const found = await by.pageOfIssuables<EpicRow>(context, { ...seen, filters }, ordering, page)
  const rows = await epicsByIds(
    db,
    found.items.map(({ id }) => id),
  )
  const epics = found.items.flatMap(({ id }) => rows.get(id) ?? [])
  const options = { from: group.full_path, withLabels: params.with_labels_details }
  return { ...found, items: await presentEpics(platform, epics, actor, options) }
}
