import {
  type Actor,
  ApiError,
  badRequest,
  cursorFor,
  isAdministrator,
  type Page,
  type PageRequest,
} from '../../api/index.ts'
import type { Clock } from '../../infra/clock/index.ts'
import type { Database } from '../../infra/database/index.ts'
import { role } from '../access/index.ts'
import {
  type NamespaceQuery,
  type PresentedPublicGroup,
  pageOfNamespaces,
  presentPublicGroup,
} from '../namespaces/index.ts'
import type { Group } from './access.ts'
import type { PresentedGroup } from './present.ts'
import type { Extras, GroupPresenting } from './presenting.ts'
import { type Sight, sightOf } from './sight.ts'
import { allGroups, filtered, type GroupFilter, type GroupOrder, inOrder, seen, withRoleFrom } from './store/choose.ts'
import { ancestorDepths } from './store/groups.ts'
import {
  childrenOf,
  descendantsOf,
  groupsByName,
  groupsElsewhere,
  groupsInvitedTo,
  groupsThatInvited,
  type Position,
  takingSubgroups,
} from './store/listing.ts'

export type GroupListFilter = GroupFilter &
  GroupOrder &
  Extras & { all_available?: boolean; owned?: boolean; min_access_level?: number }

export type InvitedFilter = { relation?: ('direct' | 'inherited')[]; search?: string; min_access_level?: number }

export type ListingNeeds = { database: Database; clock: Clock; externalUrl: string; presenting: GroupPresenting }

/** The lists of groups (contract 21, R8): each a filter over all groups, a count and a page. */
export type GroupListing = ReturnType<typeof createGroupListing>

export function createGroupListing({ database, clock, externalUrl, presenting }: ListingNeeds) {
  const db = database.read
  const today = () => clock.now().toISOString().slice(0, 10)

  /** Which of these groups a list shows to somebody; `owned` and `min_access_level` win over `all_available`. */
  function shown(chosen: NamespaceQuery, filter: GroupListFilter, sight: Sight): NamespaceQuery {
    const { actor } = sight
    const wantsAll = actor.kind === 'anonymous' || (filter.all_available ?? isAdministrator(actor))
    const least = Math.max(filter.owned ? role.owner : 0, filter.min_access_level ?? (wantsAll ? 0 : 1))
    const mayBe = least > 0 ? withRoleFrom(db, chosen, sight, least) : seen(db, chosen, sight)
    const { repository_storage: storage, ...plain } = filter
    return filtered(db, mayBe, isAdministrator(actor) ? { ...plain, repository_storage: storage } : plain)
  }

  async function pageOf(chosen: NamespaceQuery, actor: Actor, filter: GroupListFilter, page: PageRequest) {
    const found = await pageOfNamespaces(db, chosen, inOrder(filter), page)
    return { ...found, items: await presenting.list(actor, found.items, filter) }
  }

  /** A walk by name; only for callers without credentials. */
  async function walk(chosen: NamespaceQuery, filter: GroupListFilter, page: PageRequest, sight: Sight) {
    if (page.kind !== 'keyset' || sight.actor.kind !== 'anonymous') throw keysetUnavailable()
    const rows = await groupsByName(chosen, positionOf(page.after), page.limit + 1)
    const taken = rows.slice(0, page.limit)
    const last = taken.at(-1)
    const next = rows.length > page.limit && last ? { cursor: cursorFor([last.name, last.id]) } : undefined
    return { items: await presenting.list(sight.actor, taken, filter), next }
  }

  return {
    /** x.groups_list */
    async list(actor: Actor, filter: GroupListFilter, page: PageRequest): Promise<Page<PresentedGroup>> {
      const sight = await sightOf(db, actor, clock.now())
      const chosen = shown(allGroups(db), filter, sight)
      return page.kind === 'keyset' ? walk(chosen, filter, page, sight) : pageOf(chosen, actor, filter, page)
    },

    /** x.groups_subgroups and x.groups_descendants */
    async below(
      actor: Actor,
      group: Group,
      reach: 'children' | 'all',
      filter: GroupListFilter,
      page: PageRequest,
    ): Promise<Page<PresentedGroup>> {
      const sight = await sightOf(db, actor, clock.now())
      const within = reach === 'children' ? childrenOf(db, group.id) : descendantsOf(db, group.id)
      return pageOf(shown(within, filter, sight), actor, filter, page)
    },

    /** The groups that this one was invited to (x.groups_shared). */
    async sharedWith(
      actor: Actor,
      group: Group,
      filter: GroupListFilter,
      page: PageRequest,
    ): Promise<Page<PresentedGroup>> {
      const sight = await sightOf(db, actor, clock.now())
      const inviting = groupsThatInvited(db, group.id, today())
      return pageOf(shown(inviting, { all_available: true, ...filter }, sight), actor, filter, page)
    },

    /** The groups that were invited to this one, or to those above it (x.groups_invited). */
    async invited(actor: Actor, group: Group, filter: InvitedFilter, page: PageRequest): Promise<Page<PresentedGroup>> {
      const sight = await sightOf(db, actor, clock.now())
      const { relation = [], ...rest } = filter
      const chosen = groupsInvitedTo(db, await placesOf(group.id, relation), today())
      return pageOf(shown(chosen, { all_available: true, ...rest }, sight), actor, {}, page)
    },

    /** The groups that a group could be moved to (x.groups_transfer_locations). */
    async transferLocations(
      actor: Actor,
      group: Group,
      filter: { search?: string },
      page: PageRequest,
    ): Promise<Page<PresentedPublicGroup>> {
      const sight = await sightOf(db, actor, clock.now())
      const elsewhere = groupsElsewhere(db, group, filter.search)
      const chosen = isAdministrator(actor) ? elsewhere : takingSubgroups(db, elsewhere, sight)
      const found = await pageOfNamespaces(db, chosen, inOrder({ order_by: 'id' }), page)
      return { ...found, items: found.items.map((row) => presentPublicGroup(row, externalUrl)) }
    },
  }

  async function placesOf(id: number, relation: readonly string[]): Promise<number[]> {
    const above = await ancestorDepths(db, id)
    const wants = (word: string) => relation.length === 0 || relation.includes(word)
    return above.filter(({ depth }) => wants(depth === 0 ? 'direct' : 'inherited')).map((row) => row.ancestor_id)
  }
}

/**
 * The position that a cursor names; null where the walk begins.
 * @throws ApiError 400 for one that is none
 */
function positionOf(after: readonly unknown[] | undefined): Position | null {
  if (after === undefined) return null
  const [name, id] = after
  if (typeof name !== 'string' || name.includes('\u0000') || typeof id !== 'number' || !Number.isSafeInteger(id))
    throw badRequest('invalid cursor')
  return { name, id }
}

function keysetUnavailable(): ApiError {
  const error = 'Keyset pagination is not yet available for this type of request'
  return new ApiError('keyset_unavailable', 405, { error, message: '405 Method Not Allowed' })
}
