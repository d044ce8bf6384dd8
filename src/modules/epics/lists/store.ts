import { type RawBuilder, sql } from 'kysely'
import { isAdministrator } from '../../../api/index.ts'
import type { Reader } from '../../../infra/database/index.ts'
import { role } from '../../access/index.ts'
import { type Viewer, visibleAmong } from '../../groups/index.ts'
import type { Filter, Selection } from '../../issuables/index.ts'
import { isReached } from '../../namespaces/index.ts'

/** Groups around one, whose epics a list shows. */
export type Reach = { groupId: number; includesAncestors: boolean; includesDescendants: boolean }

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

/** The epics that a viewer can see in a group and around it; confidential ones are for planners (contract 17, Roles). */
export function epicsInReach(db: Reader, viewer: Viewer, reach: Reach): Selection {
  const groups = visibleAmong(db, viewer, idsInReach(reach))
  const seen: Filter = {
    matches: sql<boolean>`epics.group_id in (${groups})`,
    ids: epicsOf(db, groups),
    isSound: true,
    isExact: true,
  }
  const planned = sql`select namespaces.id from namespaces where ${isReached(db, viewer.roles, role.planner)}`
  const isReadable = sql<boolean>`(epics.confidential = ${sql.lit(false)} or epics.group_id in (${planned}))`
  return {
    joins: [],
    filters: [seen, ...(isAdministrator(viewer.actor) ? [] : [{ matches: isReadable }])],
    scope: null,
  }
}
