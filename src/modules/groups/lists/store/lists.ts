import { sql } from 'kysely'
import { type PredicateUse, type Reader, within } from '../../../../infra/database/index.ts'
import { live, role } from '../../../access/index.ts'
import {
  hasManyBelow,
  isReached,
  type NamespaceQuery,
  type NamespaceRow,
  subtreeOf,
} from '../../../namespaces/index.ts'
import type { Viewer } from '../viewer.ts'
import { allGroups, groupsAmong, inOrder } from './selection.ts'

/** The last row of a keyset page by name. */
export type Position = { name: string; id: number }

/** The next of these groups by name, after a position. */
export async function groupsByName(chosen: NamespaceQuery, after: Position | null, limit: number) {
  const rest = after === null ? chosen : chosen.where(isAfter(after))
  const query = inOrder({ order_by: 'name', sort: 'asc' })(rest).selectAll('namespaces').limit(limit)
  return (await query.execute()) as NamespaceRow[]
}

function isAfter({ name, id }: Position) {
  return sql<boolean>`(namespaces.name > ${name} or (namespaces.name = ${name} and namespaces.id > ${id}))`
}

/** The groups directly in a group. */
export function childrenOf(db: Reader, id: number): NamespaceQuery {
  return allGroups(db).where('parent_id', '=', id)
}

/** So many namespaces are read from the index of a list while a group is looked up. */
const namespacesPerGroup = 64

/** Whether the groups below a group are found by reading all groups in the order of the list. */
export const hasManyDescendants = (db: Reader, id: number): Promise<boolean> =>
  hasManyBelow(db, id, 'namespaces', namespacesPerGroup)

/** All groups below a group. @param areMany `hasManyDescendants` */
export function descendantsOf(db: Reader, id: number, areMany: boolean): NamespaceQuery {
  // In an expression the engines test each group by the set, and do not look up each of the set.
  const isBelow = sql<boolean>`namespaces.id in ${subtreeOf(id)}`
  if (areMany) return allGroups(db).where('id', '<>', id).where(sql<boolean>`(${isBelow}) is true`)
  if (db.engine === 'sqlite') return allGroups(db).where('id', '<>', id).where(isBelow)
  // All below a group are groups. By the kind, PostgreSQL would merge them with the index of all groups.
  return db.selectFrom('namespaces').where('id', '<>', id).where(isBelow).where('pending_delete', '=', false)
}

/** The groups that have invited a group. */
export function groupsThatInvited(db: Reader, id: number, today: string): NamespaceQuery {
  const inviting = sql<boolean>`namespaces.id in (select link.namespace_id from group_links link
    where link.group_id = ${id} and ${live('link', today)})`
  return groupsAmong(db, inviting)
}

/** The groups that were invited to any of these. */
export function groupsInvitedTo(db: Reader, ids: readonly number[], today: string): NamespaceQuery {
  const invited = sql<boolean>`namespaces.id in (select link.group_id from group_links link
    where ${within(db, 'link.namespace_id', ids)} and ${live('link', today)})`
  return groupsAmong(db, invited)
}

/** Those of the groups that could become the parent of a group: not itself, not below it, not its parent, not marked for deletion. */
export function groupsElsewhere(groups: NamespaceQuery, group: Pick<NamespaceRow, 'id' | 'parent_id'>): NamespaceQuery {
  const others = groups
    .where(sql<boolean>`namespaces.id not in ${subtreeOf(group.id)}`)
    .where('marked_for_deletion_on', 'is', null)
  return group.parent_id === null ? others : others.where('id', '<>', group.parent_id)
}

/** Of these groups those in which the caller may create subgroups: `mayCreateSubgroup` for sets. */
export function takingSubgroups(
  db: Reader,
  chosen: NamespaceQuery,
  { roles }: Viewer,
  use: PredicateUse,
): NamespaceQuery {
  const forOwners = sql`coalesce(settings ->> 'subgroup_creation_level', 'maintainer') = 'owner'`
  // Owners are maintainers, too: one set finds the groups.
  return chosen
    .where(isReached(db, roles, role.maintainer, use))
    .where(sql<boolean>`(not ${forOwners} or ${isReached(db, roles, role.owner, 'tests')})`)
}

/** The ids of a group and its ancestors, each with its distance. */
export async function ancestorDepths(db: Reader, id: number): Promise<{ ancestor_id: number; depth: number }[]> {
  return db.selectFrom('namespace_ancestors').select(['ancestor_id', 'depth']).where('namespace_id', '=', id).execute()
}
