import { sql } from 'kysely'
import type { Reader } from '../../../../infra/database/index.ts'
import { isSelected } from '../../../access/index.ts'
import { subtreeOf } from '../../../namespaces/index.ts'
import type { GroupListParams } from '../params.ts'
import type { Condition } from './conditions.ts'

const id = sql.ref('projects.id')
const namespaceId = sql.ref('projects.namespace_id')

/** Projects in the personal namespace of a user. */
export function ownedByUser(userId: number): Condition {
  return sql<boolean>`projects.namespace_id = (
          select id from namespaces where kind = 'user' and owner_id = ${userId})`
}

/** Projects directly in a group. */
export function ownedByGroup(groupId: number): Condition {
  return sql<boolean>`projects.namespace_id = ${groupId}`
}

/** Projects that are shared with a group, until the invitation expires. */
export function sharedWith(db: Reader, today: string, groupId: number, withSubgroups = false): Condition {
  const groups = withSubgroups ? sql`l.group_id in ${subtreeOf(groupId)}` : sql`l.group_id = ${groupId}`
  const shared = sql`select l.project_id from group_links l where l.project_id is not null and ${groups}
    and (l.expires_at is null or l.expires_at > ${today})`
  return isSelected(db, id, shared)
}

type GroupScope = Pick<GroupListParams, 'with_shared' | 'include_subgroups' | 'include_ancestor_groups'>

/** The projects of a group (contract 21, x.groups_projects): its own, and those that the scope adds. */
export function inGroup(db: Reader, today: string, groupId: number, scope: GroupScope): Condition {
  const below = sql`select namespace_id from namespace_ancestors where ancestor_id = ${groupId}`
  const above = sql`select ancestor_id from namespace_ancestors where namespace_id = ${groupId}`
  const scopes = [scope.include_subgroups ? isSelected(db, namespaceId, below) : ownedByGroup(groupId)]
  if (scope.include_ancestor_groups) scopes.push(isSelected(db, namespaceId, above))
  if (scope.with_shared !== false) scopes.push(sharedWith(db, today, groupId, scope.include_subgroups))
  return sql<boolean>`(${sql.join(scopes, sql` or `)})`
}

/** Forks of a project. */
export function forkedFrom(projectId: number): Condition {
  return sql<boolean>`projects.forked_from_id = ${projectId}`
}
