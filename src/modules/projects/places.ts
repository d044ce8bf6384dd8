import { sql } from 'kysely'
import { dayOf } from '../../api/index.ts'
import type { Clock } from '../../infra/clock/index.ts'
import type { Condition } from './listing.ts'

/** Projects that are shared with a group, while the invitation holds. */
export function sharedWith(groupId: number, clock: Clock): Condition {
  return sharedWithAny(sql`(${groupId})`, clock)
}

function sharedWithAny(groups: ReturnType<typeof sql>, clock: Clock): Condition {
  return sql<boolean>`projects.id in (select l.project_id from group_links l
    where l.project_id is not null and l.group_id in ${groups}
    and (l.expires_at is null or l.expires_at > ${dayOf(clock.now())}))`
}

export type GroupScope = { with_shared?: boolean; include_subgroups?: boolean; include_ancestor_groups?: boolean }

/** The projects of a group (contract 21, x.groups_projects): its own, and what else is asked for. */
export function inGroup(groupId: number, scope: GroupScope, clock: Clock): Condition {
  const below = sql`(select namespace_id from namespace_ancestors where ancestor_id = ${groupId})`
  const above = sql`(select ancestor_id from namespace_ancestors where namespace_id = ${groupId})`
  const groups = scope.include_subgroups ? below : sql`(${groupId})`
  const places = [sql<boolean>`projects.namespace_id in ${groups}`]
  if (scope.include_ancestor_groups) places.push(sql<boolean>`projects.namespace_id in ${above}`)
  if (scope.with_shared !== false) places.push(sharedWithAny(groups, clock))
  return sql<boolean>`(${sql.join(places, sql` or `)})`
}

/** The forks that were made of a project, not those that were made of them. */
export function forkedFrom(projectId: number): Condition {
  return sql<boolean>`projects.forked_from_id = ${projectId}`
}

/** Projects of nothing but the group itself. */
export function ownedByGroup(groupId: number): Condition {
  return sql<boolean>`projects.namespace_id = ${groupId}`
}
