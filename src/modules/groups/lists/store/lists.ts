import { sql } from 'kysely'
import { isAdministrator } from '../../../../api/index.ts'
import {
  allOf,
  type Condition,
  type ListQuery,
  not,
  type Predicate,
  semiJoin,
} from '../../../../infra/database/index.ts'
import { live, role } from '../../../access/index.ts'
import { isReached, kindRank, type NamespaceRow } from '../../../namespaces/index.ts'
import { type GroupContext, reachedBy } from './access.ts'
import type { GroupOrder } from './orders.ts'
import { isListed, lookUpGroups } from './selection.ts'

/** All groups, as the index begins that has them by id. */
const allById = sql<boolean>`${kindRank} = 1 and namespaces.pending_delete = false`

/** Groups in which writes are not refused: `refusesWritesIn` for sets. */
export const takesWrites: Condition = sql<boolean>`(namespaces.marked_for_deletion_on is null and namespaces.archived = false)`

/** A predicate whose driver finds nothing but groups of a list of all, so that it also counts them. */
function scoped({ db }: GroupContext, predicate: Predicate): Predicate {
  const { driver } = predicate
  return driver ? { ...predicate, driver: { ...driver, ids: lookUpGroups(db, driver.ids), isScoped: true } } : predicate
}

/** What a list of groups selects: of all, or of those directly in the parent of the context. */
export function groupsWith(
  context: GroupContext,
  predicates: readonly Predicate[],
  { order_by: by }: GroupOrder,
): ListQuery {
  const { parent } = context
  if (parent) {
    const scope = allOf([sql`namespaces.parent_id = ${parent.id}`, isListed])
    return { scope, predicates, lookUps: [] }
  }
  const scope = by === 'id' ? allById : isListed
  return { scope, predicates: predicates.map((predicate) => scoped(context, predicate)), lookUps: [] }
}

/** The rows after those of a keyset page by name, which ends with this one. */
export const isAfter = ({ name, id }: { name: string; id: number }): Condition =>
  sql<boolean>`(namespaces.name, namespaces.id) > (${name}, ${id})`

/** All groups below a group. */
export const below = (context: GroupContext, id: number): Predicate =>
  semiJoin(
    context,
    sql`namespace_ancestors found where found.ancestor_id = ${id} and found.namespace_id <> ${id}`,
    'namespace_id',
  )

/** The groups that have invited a group. */
export const invitingGroup = (context: GroupContext, id: number, today: string): Predicate =>
  semiJoin(context, sql`group_links found where found.group_id = ${id} and ${live('found', today)}`, 'namespace_id')

/** Which invitations a list of invited groups is about: those to the subject itself, and those to the groups above it. */
export type Relations = { isDirect: boolean; isInherited: boolean }

/** What the words of a filter name; both by default. */
export function relationsOf(words: readonly ('direct' | 'inherited')[] = []): Relations {
  const wants = (word: 'direct' | 'inherited') => words.length === 0 || words.includes(word)
  return { isDirect: wants('direct'), isInherited: wants('inherited') }
}

/** The groups that were invited to a group itself, or to one above it. */
export function invitedTo(
  context: GroupContext,
  id: number,
  { isDirect, isInherited }: Relations,
  today: string,
): Predicate {
  const depths = [...(isDirect ? [] : [sql`above.depth > 0`]), ...(isInherited ? [] : [sql`above.depth = 0`])]
  const places = allOf([sql`above.namespace_id = ${id}`, ...depths])
  const links = sql`namespace_ancestors above cross join group_links found
    where ${places} and found.namespace_id = above.ancestor_id and ${live('found', today)}`
  return semiJoin(context, links, 'group_id', { isRepeated: true })
}

/** The groups that could become the parent of a group: not itself, not below it, not its parent, and taking writes. */
export function elsewhere(
  context: GroupContext,
  { id, parent_id: parentId }: Pick<NamespaceRow, 'id' | 'parent_id'>,
): Predicate[] {
  const isBelow = semiJoin(context, sql`namespace_ancestors found where found.ancestor_id = ${id}`, 'namespace_id')
  const conditions = [takesWrites, ...(parentId === null ? [] : [sql<boolean>`namespaces.id <> ${parentId}`])]
  return [...conditions.map((holds) => ({ holds })), not(isBelow)]
}

/** The groups in which the viewer may create subgroups: `mayCreateSubgroup` for sets. */
export function takingSubgroups(context: GroupContext): Predicate[] {
  const { db, viewer } = context
  if (isAdministrator(viewer.actor)) return []
  const forOwners = sql`coalesce(namespaces.settings ->> 'subgroup_creation_level', 'maintainer') = 'owner'`
  const isOwned = isReached(db, viewer.roles, role.owner, 'tests')
  return [reachedBy(context, role.maintainer), { holds: sql<boolean>`(not ${forOwners} or ${isOwned})` }]
}
