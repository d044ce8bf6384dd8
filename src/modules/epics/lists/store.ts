import { type RawBuilder, sql } from 'kysely'
import { isAdministrator } from '../../../api/index.ts'
import {
  type Condition,
  isFound,
  type ListQuery,
  lookUp,
  type Predicate,
  type Reader,
} from '../../../infra/database/index.ts'
import { reachesNamespace, role } from '../../access/index.ts'
import { isVisibleGroup, type Viewer, visibleAmong } from '../../groups/index.ts'
import { hasManyBelow } from '../../namespaces/index.ts'

/** Groups around one, whose epics a list shows. */
export type Reach = {
  groupId: number
  includesAncestors: boolean
  includesDescendants: boolean
  /** The role that the viewer has in all of them. */
  level: number
}

/** The ids of the groups in reach. What is above and what is below a group has the group itself. */
function idsInReach({ groupId, includesAncestors, includesDescendants }: Reach): RawBuilder<unknown> {
  const parts = [
    ...(includesAncestors
      ? [sql`select ancestor_id as id from namespace_ancestors where namespace_id = ${groupId}`]
      : []),
    ...(includesDescendants
      ? [sql`select namespace_id as id from namespace_ancestors where ancestor_id = ${groupId}`]
      : []),
  ]
  return parts.length === 0 ? sql`select cast(${groupId} as bigint) as id` : sql.join(parts, sql` union `)
}

/** The epics of groups. */
function epicsOf(db: Reader, groups: RawBuilder<unknown>): RawBuilder<unknown> {
  const epics = lookUp(db, 'epics as found', sql`found.group_id = seen.id`, sql`found.id`)
  return sql`select found.id from (${groups}) seen ${epics}`
}

/** So many epics are read in the order of a list while a group finds its own. */
const epicsPerGroup = 16

/** Whether the viewer can see the group of an epic, which is looked up unless all in reach can be seen. */
function isOfVisibleGroup(db: Reader, viewer: Viewer, level: number): Condition {
  if (level > 0 || isAdministrator(viewer.actor)) {
    return sql<boolean>`epics.group_id not in (select id from namespaces where pending_delete = ${sql.lit(true)})`
  }
  return isVisibleGroup(db, viewer, sql.ref('epics.group_id'))
}

/** The epics of many groups in reach that the viewer can see. */
function ofMany(db: Reader, viewer: Viewer, reach: Reach): Predicate {
  const { groupId, level } = reach
  const isVisible = isOfVisibleGroup(db, viewer, level)
  const isBelow = isFound(
    db,
    sql`namespace_ancestors above where above.namespace_id = epics.group_id and above.ancestor_id = ${groupId}`,
  )
  const isAround = reach.includesAncestors
    ? sql`(${isBelow} or epics.group_id in (select ancestor_id from namespace_ancestors where namespace_id = ${groupId}))`
    : isBelow
  return {
    holds: sql<boolean>`(${isAround} and ${isVisible})`,
    holdsForMany: sql<boolean>`(epics.group_id in (${idsInReach(reach)}) and ${isVisible})`,
  }
}

/** The epics of few groups in reach that the viewer can see. */
function ofFew(db: Reader, viewer: Viewer, reach: Reach): Predicate {
  const groups = visibleAmong(db, viewer, idsInReach(reach))
  const holds = sql<boolean>`epics.group_id in (${groups})`
  return { holds, driver: { ids: epicsOf(db, groups), isSufficient: true, isScoped: true } }
}

/** Epics that are not confidential, or in a group in which the viewer is a planner (contract 17, Roles). */
function readable(db: Reader, { actor, roles }: Viewer, { level }: Reach): Predicate[] {
  if (level >= role.planner || isAdministrator(actor)) return []
  const isPlanner = reachesNamespace(db, roles, sql.ref('epics.group_id'), role.planner, 'tests')
  return [{ holds: sql<boolean>`(epics.confidential = ${sql.lit(false)} or ${isPlanner})` }]
}

/** The epics that a viewer can see in a group and around it. */
export async function epicsInReach(db: Reader, viewer: Viewer, reach: Reach): Promise<ListQuery> {
  const hasMany = reach.includesDescendants && (await hasManyBelow(db, reach.groupId, 'epics', epicsPerGroup))
  const seen = hasMany ? ofMany : ofFew
  return { lookUps: [], predicates: [seen(db, viewer, reach), ...readable(db, viewer, reach)], scope: null }
}
