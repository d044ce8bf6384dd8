import { type RawBuilder, sql } from 'kysely'
import {
  type Condition,
  compare,
  type ListContext,
  oneOf,
  type Predicate,
  semiJoin,
} from '../../../../infra/database/index.ts'
import { isSelected, live } from '../../../access/index.ts'
import { subtreeOf } from '../../../namespaces/index.ts'
import type { GroupListParams } from '../params.ts'

/** The projects to which a list is restricted. */
export type ProjectScope = {
  /** Those of one namespace or source, by whose column an index has them in the order of their creation. */
  parent?: Condition
  /** Those that meet a predicate. */
  predicates?: (context: ListContext) => readonly Predicate[]
  /** Whether the caller has a role in all of them. */
  isReached?: boolean
}

/** Projects in the personal namespace of a user. @param isOwn whether the user asks */
export function ownedByUser(userId: number, isOwn: boolean): ProjectScope {
  const parent = sql<boolean>`projects.namespace_id = (
    select id from namespaces where kind = 'user' and owner_id = ${userId})`
  return { parent, isReached: isOwn }
}

/** A group with the level of the caller in it. */
type LeveledGroup = { id: number; level: number }

/** Projects directly in a group. */
export function ownedByGroup({ id, level }: LeveledGroup): ProjectScope {
  return { parent: sql<boolean>`projects.namespace_id = ${id}`, isReached: level > 0 }
}

/** Forks of a project. */
export const forkedFrom = (projectId: number): ProjectScope => ({
  parent: sql<boolean>`projects.forked_from_id = ${projectId}`,
})

/** The invitations of groups to projects, until these expire: the text after `from`. @param groups a condition on `found.group_id` */
const invitations = (today: string, groups: RawBuilder<unknown>) =>
  sql`group_links found where found.project_id is not null and ${groups} and ${live('found', today)}`

/** Projects that are shared with a group, until the invitation expires. */
export const sharedWith = (today: string, groupId: number): ProjectScope => ({
  predicates: (context) => [semiJoin(context, invitations(today, sql`found.group_id = ${groupId}`), 'project_id')],
})

type GroupScope = Pick<GroupListParams, 'with_shared' | 'include_subgroups' | 'include_ancestor_groups'>

/** Selects the namespaces whose projects a list of a group has. */
function namespacesOf({ id }: LeveledGroup, { include_subgroups: below, include_ancestor_groups: above }: GroupScope) {
  const own = below
    ? sql`select namespace_id as id from namespace_ancestors where ancestor_id = ${id}`
    : sql`select id from namespaces where id = ${id}`
  return above
    ? sql`${own} union all select ancestor_id from namespace_ancestors where namespace_id = ${id} and depth > 0`
    : own
}

/** The projects of a group (contract 21, x.groups_projects): its own, and those that the scope adds. */
export function inGroup(today: string, group: LeveledGroup, scope: GroupScope): ProjectScope {
  const isWithShared = scope.with_shared !== false
  const isAlone = !isWithShared && !scope.include_subgroups && !scope.include_ancestor_groups
  if (isAlone) return ownedByGroup(group)
  const namespaces = namespacesOf(group, scope)
  const groups = scope.include_subgroups
    ? sql`found.group_id in ${subtreeOf(group.id)}`
    : sql`found.group_id = ${group.id}`
  const ownIds = sql`select projects.id from (${namespaces}) listed
    cross join projects where projects.namespace_id = listed.id`
  return {
    predicates(context) {
      const isOwn = isSelected(context.db, compare(context, 'namespace_id'), namespaces, 'tests')
      const own = { holds: isOwn, driver: { ids: ownIds, isSufficient: true } }
      if (!isWithShared) return [own]
      const { holds, driver } = semiJoin(context, invitations(today, groups), 'project_id', { isRepeated: true })
      const others = sql`select projects.id from (${driver?.ids}) given
        cross join projects where projects.id = given.id and not ${isOwn}`
      return [oneOf([own, { holds, driver: { ids: others, isSufficient: true } }])]
    },
  }
}
