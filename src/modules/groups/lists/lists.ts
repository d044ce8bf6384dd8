import {
  type Actor,
  badRequest,
  cursorFor,
  dayOf,
  isAdministrator,
  keysetUnavailable,
  type Page,
  type PageRequest,
} from '../../../api/index.ts'
import { type Condition, type Predicate, predicatesOf, readPage, type Slice } from '../../../infra/database/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { namespacesAboveProjects, role } from '../../access/index.ts'
import { type NamespaceRow, type PresentedPublicGroup, presentPublicGroup } from '../../namespaces/index.ts'
import type { Group } from '../access.ts'
import { presentGroups } from '../core/detail.ts'
import type { PresentedGroup } from '../core/present.ts'
import type { GroupFilter, InvitedFilter } from './params.ts'
import { type GroupContext, reachedBy, seenBy } from './store/access.ts'
import { groupFilters } from './store/filters.ts'
import {
  below,
  elsewhere,
  groupsWith,
  invitedTo,
  invitingGroup,
  isAfter,
  relationsOf,
  takingSubgroups,
} from './store/lists.ts'
import { type GroupOrder, orderOf } from './store/orders.ts'
import { viewerOf } from './viewer.ts'

type Groups = Page<PresentedGroup>

/** What a list of groups for a caller is about. */
export async function groupContext(platform: Platform, actor: Actor): Promise<GroupContext> {
  return { db: platform.database.read, table: 'namespaces', viewer: await viewerOf(platform, actor) }
}

/** The rows after the last one of the previous page. @throws ApiError 400 for an invalid cursor */
function behind([name, id]: readonly unknown[]): Condition {
  if (typeof name !== 'string' || name.includes('\u0000') || typeof id !== 'number' || !Number.isSafeInteger(id))
    throw badRequest('invalid cursor')
  return isAfter({ name, id })
}

/** The order and the bounds of a page. Keyset pages are by name, and only for requests without credentials. */
function sliceOf(context: GroupContext, order: GroupOrder, page: PageRequest): Slice {
  const { limit } = page
  if (page.kind === 'offset') return { order: orderOf(context, order), limit, offset: page.offset, after: null }
  if (context.viewer.actor.kind !== 'anonymous') throw keysetUnavailable()
  return { order: orderOf(context, {}), limit, offset: 0, after: page.after ? behind(page.after) : null }
}

/** A page of the groups that meet predicates. */
async function pageOfRows(
  context: GroupContext,
  predicates: readonly Predicate[],
  order: GroupOrder,
  page: PageRequest,
): Promise<Page<NamespaceRow>> {
  const slice = sliceOf(context, order, page)
  const { rows, hasNext, total } = await readPage<NamespaceRow>(context, groupsWith(context, predicates, order), slice)
  if (page.kind === 'offset') return { items: rows, hasNext, total }
  const last = rows.at(-1)
  return { items: rows, next: hasNext && last ? { cursor: cursorFor([last.name, last.id]) } : undefined }
}

/**
 * The groups that a list shows; `owned` and `min_access_level` have precedence over `all_available`. Unless a role is asked for, those
 * above the projects of the caller are among them.
 * @param level the role that the caller has in all of them
 */
async function accessOf(context: GroupContext, filter: GroupFilter, level: number): Promise<Predicate[]> {
  const { db, viewer } = context
  const { actor, roles } = viewer
  const wantsAll = actor.kind === 'anonymous' || (filter.all_available ?? isAdministrator(actor))
  const asked = Math.max(filter.owned ? role.owner : 0, filter.min_access_level ?? 0)
  const least = Math.max(asked, wantsAll ? 0 : 1)
  if (level >= Math.max(least, 1)) return []
  const above = asked > 0 || isAdministrator(actor) ? [] : await namespacesAboveProjects(db, roles)
  return least > 0 ? [reachedBy(context, least, above)] : seenBy(context, above)
}

/** A page of the groups that meet predicates and that the list shows. @param level as in `accessOf` */
async function pageOf(
  platform: Platform,
  context: GroupContext,
  predicates: readonly Predicate[],
  filter: GroupFilter,
  page: PageRequest,
  level = 0,
): Promise<Groups> {
  const access = await accessOf(context, filter, level)
  const all = [...predicates, ...access, ...predicatesOf(groupFilters, context, filter)]
  const found = await pageOfRows(context, all, filter, page)
  return { ...found, items: await presentGroups(platform, context.viewer.actor, found.items, filter) }
}

/** Lists groups (x.groups_list). */
export async function listGroups(platform: Platform, actor: Actor, filter: GroupFilter, page: PageRequest) {
  return pageOf(platform, await groupContext(platform, actor), [], filter, page)
}

/** Lists the subgroups of a group: its children (x.groups_subgroups), or all below it (x.groups_descendants). */
export async function listSubgroups(
  platform: Platform,
  actor: Actor,
  { id, level }: Group,
  reach: 'children' | 'all',
  filter: GroupFilter,
  page: PageRequest,
): Promise<Groups> {
  const context = await groupContext(platform, actor)
  if (reach === 'all') return pageOf(platform, context, [below(context, id)], filter, page, level)
  return pageOf(platform, { ...context, parent: { column: 'parent_id', id } }, [], filter, page, level)
}

/** Lists the groups to which a group was invited (x.groups_shared). */
export async function listInvitingGroups(
  platform: Platform,
  actor: Actor,
  group: Group,
  filter: GroupFilter,
  page: PageRequest,
): Promise<Groups> {
  const context = await groupContext(platform, actor)
  const inviting = invitingGroup(context, group.id, dayOf(platform.clock.now()))
  return pageOf(platform, context, [inviting], { all_available: true, ...filter }, page)
}

/** Lists the groups that were invited to a group or to its ancestors (x.groups_invited). */
export async function listInvitedGroups(
  platform: Platform,
  actor: Actor,
  group: Group,
  { relation, ...filter }: InvitedFilter,
  page: PageRequest,
): Promise<Groups> {
  const context = await groupContext(platform, actor)
  const invited = invitedTo(context, group.id, relationsOf(relation), dayOf(platform.clock.now()))
  return pageOf(platform, context, [invited], { all_available: true, ...filter }, page)
}

/** A page of the groups that meet predicates, in the short form. */
export async function pageOfPublicGroups(
  { externalUrl }: Platform,
  context: GroupContext,
  predicates: readonly Predicate[],
  order: GroupOrder,
  page: PageRequest,
): Promise<Page<PresentedPublicGroup>> {
  const found = await pageOfRows(context, predicates, order, page)
  return { ...found, items: found.items.map((row) => presentPublicGroup(row, externalUrl)) }
}

/** Lists the groups below which a group can be moved (x.groups_transfer_locations). */
export async function listTransferLocations(
  platform: Platform,
  actor: Actor,
  group: Group,
  filter: { search?: string },
  page: PageRequest,
): Promise<Page<PresentedPublicGroup>> {
  const context = await groupContext(platform, actor)
  const wanted = [
    ...elsewhere(context, group),
    ...takingSubgroups(context),
    ...predicatesOf(groupFilters, context, filter),
  ]
  return pageOfPublicGroups(platform, context, wanted, { order_by: 'id' }, page)
}
