import { sql } from 'kysely'
import { type Reader, within } from '../../../infra/database/index.ts'
import { role } from '../../access/index.ts'
import { isAtOrBelow, type NamespaceQuery, type NamespaceRow } from '../../namespaces/index.ts'
import { idsFrom, type Sight } from '../sight.ts'
import { allGroups, inOrder, matchesSearch } from './choose.ts'
import { isLive } from './links.ts'

/** Where a walk by name has arrived. */
export type Position = { name: string; id: number }

/** The next of these groups by name, behind a position. */
export async function groupsByName(
  chosen: NamespaceQuery,
  after: Position | null,
  limit: number,
): Promise<NamespaceRow[]> {
  const rest = after === null ? chosen : chosen.where(behind(after))
  const query = inOrder({ order_by: 'name', sort: 'asc' })(rest).selectAll('namespaces').limit(limit)
  return (await query.execute()) as NamespaceRow[]
}

function behind({ name, id }: Position) {
  return sql<boolean>`(namespaces.name > ${name} or (namespaces.name = ${name} and namespaces.id > ${id}))`
}

/** The groups directly in a group. */
export function childrenOf(db: Reader, id: number): NamespaceQuery {
  return allGroups(db).where('parent_id', '=', id)
}

/** All groups below a group. */
export function descendantsOf(db: Reader, id: number): NamespaceQuery {
  return allGroups(db)
    .where('id', '<>', id)
    .where(isAtOrBelow(db, [id]))
}

/** The groups that have invited a group. */
export function groupsThatInvited(db: Reader, id: number, today: string): NamespaceQuery {
  return allGroups(db).where(
    sql<boolean>`exists (select 1 from group_links link
          where link.group_id = ${id} and link.namespace_id = namespaces.id and ${isLive(today)})`,
  )
}

/** The groups that were invited to any of these. */
export function groupsInvitedTo(db: Reader, ids: readonly number[], today: string): NamespaceQuery {
  return allGroups(db).where(
    sql<boolean>`exists (select 1 from group_links link where link.group_id = namespaces.id
          and ${within(db, 'link.namespace_id', ids)} and ${isLive(today)})`,
  )
}

/** The groups in which a group is not and could be: not itself or below it, and none that is about to be deleted. */
export function groupsElsewhere(
  db: Reader,
  group: Pick<NamespaceRow, 'id' | 'parent_id'>,
  search: string | undefined,
): NamespaceQuery {
  let chosen = allGroups(db)
    .where(sql<boolean>`not ${isAtOrBelow(db, [group.id])}`)
    .where('marked_for_deletion_on', 'is', null)
  if (group.parent_id !== null) chosen = chosen.where('id', '<>', group.parent_id)
  return search ? chosen.where(matchesSearch(search)) : chosen
}

/** Of these groups those in which the actor may create subgroups; the same rule as `mayCreateSubgroup`, for sets. */
export function takingSubgroups(db: Reader, chosen: NamespaceQuery, { roles }: Sight): NamespaceQuery {
  const owned = isAtOrBelow(db, idsFrom(roles, role.owner))
  const maintained = isAtOrBelow(db, idsFrom(roles, role.maintainer))
  const forOwners = sql`coalesce(settings ->> 'subgroup_creation_level', 'maintainer') = 'owner'`
  return chosen.where(sql<boolean>`(${owned} or (not ${forOwners} and ${maintained}))`)
}
