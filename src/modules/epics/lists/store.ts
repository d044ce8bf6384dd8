import { sql } from 'kysely'
import { isAdministrator } from '../../../api/index.ts'
import type { Reader } from '../../../infra/database/index.ts'
import { role } from '../../access/index.ts'
import { allGroups, isVisibleTo, type Viewer } from '../../groups/index.ts'
import type { Condition, Selection } from '../../issuables/index.ts'
import { isReached, subtreeOf } from '../../namespaces/index.ts'

/** Groups around one, whose epics a list shows. */
export type Reach = { groupId: number; includesAncestors: boolean; includesDescendants: boolean }

function isInReach({ groupId, includesAncestors, includesDescendants }: Reach): Condition {
  const parts = [
    sql`namespaces.id = ${groupId}`,
    ...(includesAncestors
      ? [sql`namespaces.id in (select ancestor_id from namespace_ancestors where namespace_id = ${groupId})`]
      : []),
    ...(includesDescendants ? [sql`namespaces.id in ${subtreeOf(groupId)}`] : []),
  ]
  return sql<boolean>`(${sql.join(parts, sql` or `)})`
}

/** The epics that a viewer can see in a group and around it; confidential ones are for planners (contract 17, Roles). */
export function epicsInReach(db: Reader, viewer: Viewer, reach: Reach): Selection {
  const groups = allGroups(db).where(isInReach(reach)).where(isVisibleTo(db, viewer)).select('namespaces.id')
  const planned = sql`select namespaces.id from namespaces where ${isReached(db, viewer.roles, role.planner)}`
  const isReadable = sql<boolean>`(epics.confidential = ${sql.lit(false)} or epics.group_id in (${planned}))`
  return {
    joins: [],
    filters: isAdministrator(viewer.actor) ? [] : [{ matches: isReadable }],
    scope: sql<boolean>`epics.group_id in (${groups})`,
  }
}
