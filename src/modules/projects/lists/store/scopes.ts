import { type RawBuilder, sql } from 'kysely'
import { type Reader, unindexed } from '../../../../infra/database/index.ts'
import { isSelected } from '../../../access/index.ts'
import { subtreeOf } from '../../../namespaces/index.ts'
import type { GroupListParams } from '../params.ts'
import type { Condition } from './conditions.ts'

const id = sql.ref('projects.id')
const namespaceId = sql.ref('projects.namespace_id')

/** Some of the projects to which a list is restricted. */
export type ScopePart = {
  condition: Condition
  /** Whether they are few, or an index has them by their time of creation. */
  isOrdered?: boolean
  /** The condition for projects that are read in the order of a list. */
  test?: Condition
  /** Whether the caller has a role in all of them. */
  isReached?: boolean
}

/** The projects to which a list is restricted: parts that no project is in two of. */
export type Scope = readonly ScopePart[]

/** Projects in the personal namespace of a user. @param isOwn whether the user asks */
export function ownedByUser(userId: number, isOwn: boolean): Scope {
  const condition = sql<boolean>`projects.namespace_id = (
          select id from namespaces where kind = 'user' and owner_id = ${userId})`
  return [{ condition, isOrdered: true, isReached: isOwn }]
}

const isIn = (groupId: number): Condition => sql<boolean>`projects.namespace_id = ${groupId}`

/** A group with the level of the caller in it. */
type LeveledGroup = { id: number; level: number }

/** Projects directly in a group. */
export function ownedByGroup({ id, level }: LeveledGroup): Scope {
  return [{ condition: isIn(id), isOrdered: true, isReached: level > 0 }]
}

/** Projects that are shared with these groups, until the invitation expires. */
function areShared(db: Reader, today: string, groups: RawBuilder<unknown>): Condition {
  const shared = sql`select l.project_id from group_links l where l.project_id is not null and ${groups}
    and (l.expires_at is null or l.expires_at > ${today})`
  return isSelected(db, id, shared)
}

/** Projects that are shared with a group, until the invitation expires. */
export function sharedWith(db: Reader, today: string, groupId: number): Scope {
  return [{ condition: areShared(db, today, sql`l.group_id = ${groupId}`) }]
}

type GroupScope = Pick<GroupListParams, 'with_shared' | 'include_subgroups' | 'include_ancestor_groups'>

/** The projects of a group (contract 21, x.groups_projects): its own, and those that the scope adds. */
export function inGroup(db: Reader, today: string, group: LeveledGroup, scope: GroupScope): Scope {
  const below = isSelected(
    db,
    namespaceId,
    sql`select namespace_id from namespace_ancestors where ancestor_id = ${group.id}`,
  )
  const above = isSelected(
    db,
    namespaceId,
    sql`select ancestor_id from namespace_ancestors where namespace_id = ${group.id} and depth > 0`,
  )
  const own = scope.include_subgroups ? below : isIn(group.id)
  const parts: ScopePart[] = [{ condition: own, isOrdered: !scope.include_subgroups, isReached: group.level > 0 }]
  if (scope.include_ancestor_groups) parts.push({ condition: above })
  if (scope.with_shared === false) return parts
  const groups = scope.include_subgroups ? sql`l.group_id in ${subtreeOf(group.id)}` : sql`l.group_id = ${group.id}`
  const others = parts.map(({ condition }) => sql`not ${condition}`)
  const shared = sql<boolean>`(${areShared(db, today, groups)} and ${sql.join(others, sql` and `)})`
  return [...parts, { condition: shared, isOrdered: true }]
}

/** Forks of a project. */
export function forkedFrom(db: Reader, projectId: number): Scope {
  const isFork = (column: RawBuilder<unknown>) => sql<boolean>`${column} = ${projectId}`
  const condition = isFork(sql.ref('projects.forked_from_id'))
  return [{ condition, isOrdered: true, test: isFork(unindexed(db, 'projects.forked_from_id')) }]
}
