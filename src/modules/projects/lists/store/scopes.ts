import { sql } from 'kysely'
import type { Reader } from '../../../../infra/database/index.ts'
import { type Condition, isSelected } from './conditions.ts'

export type PlaceNeeds = { db: Reader; today: string }

const id = sql.ref('projects.id')
const namespaceId = sql.ref('projects.namespace_id')

/** Projects in the personal namespace of a user. */
export function ownedByUser(userId: number): Condition {
  return sql<boolean>`projects.namespace_id = (
          select id from namespaces where kind = 'user' and owner_id = ${userId})`
}

/** Projects of nothing but the group itself. */
export function ownedByGroup(groupId: number): Condition {
  return sql<boolean>`projects.namespace_id = ${groupId}`
}

/** Projects that are shared with a group, while the invitation holds. */
export function sharedWith({ db, today }: PlaceNeeds, groupId: number, withSubgroups = false): Condition {
  const groups = withSubgroups
    ? sql`l.group_id in (select namespace_id from namespace_ancestors where ancestor_id = ${groupId})`
    : sql`l.group_id = ${groupId}`
  const shared = sql`select l.project_id from group_links l where l.project_id is not null and ${groups}
    and (l.expires_at is null or l.expires_at > ${today})`
  return isSelected(db, id, shared)
}

export type GroupScope = { with_shared?: boolean; include_subgroups?: boolean; include_ancestor_groups?: boolean }

/** The projects of a group (contract 21, x.groups_projects): its own, and what else is asked for. */
export function inGroup(needs: PlaceNeeds, groupId: number, scope: GroupScope): Condition {
  const below = sql`select namespace_id from namespace_ancestors where ancestor_id = ${groupId}`
  const above = sql`select ancestor_id from namespace_ancestors where namespace_id = ${groupId}`
  const places = [scope.include_subgroups ? isSelected(needs.db, namespaceId, below) : ownedByGroup(groupId)]
  if (scope.include_ancestor_groups) places.push(isSelected(needs.db, namespaceId, above))
  if (scope.with_shared !== false) places.push(sharedWith(needs, groupId, scope.include_subgroups))
  return sql<boolean>`(${sql.join(places, sql` or `)})`
}

/** Forks of a project. */
export function forkedFrom(projectId: number): Condition {
  return sql<boolean>`projects.forked_from_id = ${projectId}`
}
