import {
  type Actor,
  badRequest,
  cursorFor,
  dayOf,
  isAdministrator,
  type KeysetRequest,
  keysetUnavailable,
  type Page,
  type PageRequest,
} from '../../../api/index.ts'
import type { PredicateUse, Reader } from '../../../infra/database/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { namespacesAboveProjects, role } from '../../access/index.ts'
import { areCommon } from '../../custom-attributes/index.ts'
import {
  isReached,
  type NamespaceChoice,
  type NamespaceQuery,
  type PresentedPublicGroup,
  pageOfNamespaces,
  presentPublicGroup,
} from '../../namespaces/index.ts'
import type { Group } from '../access.ts'
import { presentGroups } from '../core/detail.ts'
import type { PresentedGroup } from '../core/present.ts'
import type { GroupFilter, InvitedFilter } from './params.ts'
import {
  ancestorDepths,
  childrenOf,
  descendantsOf,
  groupsByName,
  groupsElsewhere,
  groupsInvitedTo,
  groupsThatInvited,
  hasManyDescendants,
  type Position,
  takingSubgroups,
} from './store/lists.ts'
import { filtered, type GroupOrder, groupsMatching, inOrder, isOneOf, isVisibleTo } from './store/selection.ts'
import { type Viewer, viewerOf } from './viewer.ts'

type Groups = Page<PresentedGroup>

/** What is known about the groups among which a list chooses. */
type Known = {
  /** The role that the caller has in all of them. Default: none. */
  level?: number
  /** Whether they are found by an index, and few. */
  areFew?: boolean
  /** The same groups, to be read in the order of the list. Default: as they are found. */
  walked?: NamespaceQuery
  /** Whether many groups have the attributes of the filter. */
  hasCommonAttributes?: boolean
  /** Groups that are shown besides, unless a role is asked for: those above the projects of the caller. */
  above?: readonly number[]
}

/** The groups that a list shows; `owned` and `min_access_level` have precedence over `all_available`. */
function shown(
  db: Reader,
  groups: NamespaceQuery,
  filter: GroupFilter,
  viewer: Viewer,
  { level = 0, areFew = false, walked = groups, hasCommonAttributes = false, above = [] }: Known,
): NamespaceChoice {
  const { actor, roles } = viewer
  const wantsAll = actor.kind === 'anonymous' || (filter.all_available ?? isAdministrator(actor))
  const asked = Math.max(filter.owned ? role.owner : 0, filter.min_access_level ?? 0)
  const least = Math.max(asked, wantsAll ? 0 : 1)
  const condition = (use: PredicateUse) => {
    const found = least > 0 ? isReached(db, roles, least, use) : isVisibleTo(db, viewer, use)
    return asked > 0 || above.length === 0 ? found : isOneOf(db, found, above, use)
  }
  const { repository_storage: _storage, custom_attributes: _attributes, ...plain } = filter
  const conditions = isAdministrator(actor) ? { ...filter, hasCommonAttributes } : plain
  const wanted = filtered(db, groups, conditions)
  if (level >= Math.max(least, 1)) return () => wanted
  if (areFew) return () => wanted.where(condition('tests'))
  return (use) => (use === 'tests' ? filtered(db, walked, conditions) : wanted).where(condition(use))
}

/** A page of those of the groups that the list shows. */
async function pageOf(
  platform: Platform,
  actor: Actor,
  groups: NamespaceQuery,
  filter: GroupFilter,
  page: PageRequest,
  known: Known = {},
): Promise<Groups> {
  const db = platform.database.read
  const viewer = await viewerOf(platform, actor)
  const above = isAdministrator(actor) ? [] : await namespacesAboveProjects(db, viewer.roles)
  const wanted = shown(db, groups, filter, viewer, { ...known, above })
  if (page.kind === 'keyset') return pageByName(platform, wanted('tests'), filter, page, actor)
  const found = await pageOfNamespaces(db, wanted, inOrder(filter), page)
  return { ...found, items: await presentGroups(platform, actor, found.items, filter) }
}

/** A keyset page by name; only for requests without credentials. */
async function pageByName(
  platform: Platform,
  groups: NamespaceQuery,
  filter: GroupFilter,
  page: KeysetRequest,
  actor: Actor,
): Promise<Groups> {
  if (actor.kind !== 'anonymous') throw keysetUnavailable()
  const rows = await groupsByName(groups, positionOf(page.after), page.limit + 1)
  const taken = rows.slice(0, page.limit)
  const last = taken.at(-1)
  const next = rows.length > page.limit && last ? { cursor: cursorFor([last.name, last.id]) } : undefined
  return { items: await presentGroups(platform, actor, taken, filter), next }
}

/** Lists groups (x.groups_list). */
export async function listGroups(platform: Platform, actor: Actor, filter: GroupFilter, page: PageRequest) {
  const db = platform.database.read
  const { search, order_by, custom_attributes: attributes = {} } = filter
  const { groups, byId } = await groupsMatching(db, search)
  const isById = page.kind === 'offset' && order_by === 'id'
  const isTested = isAdministrator(actor) && !search && (await areCommon(db, 'group', attributes))
  const known = { ...(isById && { walked: byId }), hasCommonAttributes: isTested }
  return pageOf(platform, actor, groups, filter, page, known)
}

/** Lists the subgroups of a group: its children (x.groups_subgroups), or all below it (x.groups_descendants). */
export async function listSubgroups(
  platform: Platform,
  actor: Actor,
  group: Group,
  reach: 'children' | 'all',
  filter: GroupFilter,
  page: PageRequest,
): Promise<Groups> {
  const db = platform.database.read
  const below =
    reach === 'children'
      ? childrenOf(db, group.id)
      : descendantsOf(db, group.id, await hasManyDescendants(db, group.id))
  return pageOf(platform, actor, below, filter, page, { level: group.level })
}

/** Lists the groups to which a group was invited (x.groups_shared). */
export async function listInvitingGroups(
  platform: Platform,
  actor: Actor,
  group: Group,
  filter: GroupFilter,
  page: PageRequest,
): Promise<Groups> {
  const inviting = groupsThatInvited(platform.database.read, group.id, dayOf(platform.clock.now()))
  return pageOf(platform, actor, inviting, { all_available: true, ...filter }, page, { areFew: true })
}

/** Lists the groups that were invited to a group or to its ancestors (x.groups_invited). */
export async function listInvitedGroups(
  platform: Platform,
  actor: Actor,
  group: Group,
  { relation = [], ...filter }: InvitedFilter,
  page: PageRequest,
): Promise<Groups> {
  const db = platform.database.read
  const wants = (word: 'direct' | 'inherited') => relation.length === 0 || relation.includes(word)
  const hosts = (await ancestorDepths(db, group.id)).filter(({ depth }) => wants(depth === 0 ? 'direct' : 'inherited'))
  const ids = hosts.map(({ ancestor_id }) => ancestor_id)
  const invited = groupsInvitedTo(db, ids, dayOf(platform.clock.now()))
  return pageOf(platform, actor, invited, { all_available: true, ...filter }, page, { areFew: true })
}

/** A page of these groups in the short form. */
export async function pageOfPublicGroups(
  { database, externalUrl }: Platform,
  groups: NamespaceChoice,
  order: GroupOrder,
  page: PageRequest,
): Promise<Page<PresentedPublicGroup>> {
  const found = await pageOfNamespaces(database.read, groups, inOrder(order), page)
  return { ...found, items: found.items.map((row) => presentPublicGroup(row, externalUrl)) }
}

/** Lists the groups below which a group can be moved (x.groups_transfer_locations). */
export async function listTransferLocations(
  platform: Platform,
  actor: Actor,
  group: Group,
  { search }: { search?: string },
  page: PageRequest,
): Promise<Page<PresentedPublicGroup>> {
  const db = platform.database.read
  const { groups, byId } = await groupsMatching(db, search)
  const viewer = isAdministrator(actor) ? null : await viewerOf(platform, actor)
  const allowed: NamespaceChoice = (use) => {
    const elsewhere = groupsElsewhere(use === 'tests' ? byId : groups, group)
    return viewer ? takingSubgroups(db, elsewhere, viewer, use) : elsewhere
  }
  return pageOfPublicGroups(platform, allowed, { order_by: 'id' }, page)
}

/**
 * The position of a cursor; null at the start.
 * @throws ApiError 400 for an invalid cursor
 */
function positionOf(after: readonly unknown[] | undefined): Position | null {
  if (after === undefined) return null
  const [name, id] = after
  if (typeof name !== 'string' || name.includes('\u0000') || typeof id !== 'number' || !Number.isSafeInteger(id))
    throw badRequest('invalid cursor')
  return { name, id }
}
