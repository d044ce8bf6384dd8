import { type RawBuilder, sql } from 'kysely'
import { isAdministrator } from '../../../api/index.ts'
import { isFound, type Reader } from '../../../infra/database/index.ts'
import { reachesNamespace, role } from '../../access/index.ts'
import { groupsAmong, isVisibleTo, type Viewer, visibleAmong } from '../../groups/index.ts'
import type { Condition, Filter, Selection } from '../../issuables/index.ts'
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

/** The epics of groups. PostgreSQL would read all epics where it looks up those of each group. */
function epicsOf({ engine }: Reader, groups: RawBuilder<unknown>): RawBuilder<unknown> {
  return engine === 'postgres'
    ? sql`select found.id from (${groups}) seen
        cross join lateral (select epics.id from epics where epics.group_id = seen.id offset 0) found`
    : sql`select found.id from (${groups}) seen cross join epics found where found.group_id = seen.id`
}

/** So many epics are read in the order of a list while a group finds its own. */
const epicsPerGroup = 16

/** Whether the viewer can see the group of an epic, which is looked up unless all in reach can be seen. */
function isOfVisibleGroup(db: Reader, viewer: Viewer, level: number): Condition {
  if (level > 0 || isAdministrator(viewer.actor)) {
    return sql<boolean>`epics.group_id not in (select id from namespaces where pending_delete = ${sql.lit(true)})`
  }
  const group = sql<boolean>`namespaces.id = epics.group_id and ${isVisibleTo(db, viewer, 'filters')}`
  return isFound(db, sql`(${groupsAmong(db, group).select('namespaces.id')}) one`)
}

/** The epics of many groups in reach that the viewer can see. */
function ofMany(db: Reader, viewer: Viewer, reach: Reach): Filter {
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
    matches: sql<boolean>`(${isAround} and ${isVisible})`,
    counts: sql<boolean>`(epics.group_id in (${idsInReach(reach)}) and ${isVisible})`,
  }
}

/** The epics of few groups in reach that the viewer can see. */
function ofFew(db: Reader, viewer: Viewer, reach: Reach): Filter {
  const groups = visibleAmong(db, viewer, idsInReach(reach))
  const matches = sql<boolean>`epics.group_id in (${groups})`
  return { matches, ids: epicsOf(db, groups), isSound: true, isExact: true }
}

/** Epics that are not confidential, or in a group in which the viewer is a planner (contract 17, Roles). */
function readable(db: Reader, { actor, roles }: Viewer, { level }: Reach): Filter[] {
  if (level >= role.planner || isAdministrator(actor)) return []
  const isPlanner = reachesNamespace(db, roles, sql.ref('epics.group_id'), role.planner, 'filters')
  return [{ matches: sql<boolean>`(epics.confidential = ${sql.lit(false)} or ${isPlanner})` }]
}

/** The epics that a viewer can see in a group and around it. */
export async function epicsInReach(db: Reader, viewer: Viewer, reach: Reach): Promise<Selection> {
  const hasMany = reach.includesDescendants && (await hasManyBelow(db, reach.groupId, 'epics', epicsPerGroup))
  const seen = hasMany ? ofMany : ofFew
  return { joins: [], filters: [seen(db, viewer, reach), ...readable(db, viewer, reach)], scope: null }
}
