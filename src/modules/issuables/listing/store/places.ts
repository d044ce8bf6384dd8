import { sql } from 'kysely'
import { isFound } from '../../../../infra/database/index.ts'
import { largestProjects } from '../../../../platform/internal-ids/index.ts'
import type { ReachUse } from '../../../access/index.ts'
import { subtreeOf } from '../../../namespaces/index.ts'
import { openProjects, visibleProjects } from '../../../projects/index.ts'
import type { Condition, Filter, ListContext } from './filter.ts'
import { lookedUp } from './pages.ts'
import type { Sample, Selection } from './selection.ts'

/** The projects whose issuables a list has. */
export type Places = {
  /** They are below this group; anywhere without one. */
  groupId?: number
  nonArchived: boolean
  /** Features that have to be available to the caller. */
  features: Parameters<typeof visibleProjects>[2]
  /** What else a project has to meet. */
  readable?: (use: ReachUse) => readonly Condition[]
}

const isActive: Condition = sql<boolean>`projects.archived = ${false}`

/** Whether a project is in a group or below it; looked up for each of few. */
function isBelow({ db }: ListContext, groupId: number, use: ReachUse): Condition {
  if (use !== 'filters') return sql<boolean>`projects.namespace_id in ${subtreeOf(groupId)}`
  return isFound(
    db,
    sql`namespace_ancestors above where above.namespace_id = projects.namespace_id and above.ancestor_id = ${groupId}`,
  )
}

/** Whether a list has what belongs to a project. */
function isPlace(context: ListContext, places: Places, use: ReachUse): Condition {
  const { db, caller } = context
  const { groupId, nonArchived, features, readable = () => [] } = places
  const conditions = [
    ...visibleProjects(db, caller, features, use),
    ...(nonArchived ? [isActive] : []),
    ...(groupId === undefined ? [] : [isBelow(context, groupId, use)]),
    ...readable(use),
  ]
  return sql<boolean>`(${sql.join(conditions, sql` and `)})`
}

/** The issuables of several projects that the caller can see. */
export function ofProjects(context: ListContext, places: Places): Selection {
  const { db, caller, target } = context
  const { groupId } = places
  const table = sql.table(target.table)
  // Within a group its projects are few; elsewhere the caller's access finds them.
  const finding = isPlace(context, places, groupId === undefined ? 'finds' : 'counts')
  const projects =
    groupId === undefined ? openProjects(db, caller) : sql`projects where ${isBelow(context, groupId, 'counts')}`
  const ids = sql`select found.id from projects cross join ${table} found
    where found.project_id = projects.id and ${finding}`
  const [matches, counts] = [isPlace(context, places, 'filters'), isPlace(context, places, 'counts')]
  return {
    joins: [{ table: 'projects', on: sql<boolean>`projects.id = ${sql.ref(`${target.table}.project_id`)}` }],
    filters: [{ matches, counts, ...(projects && { ids, projects }) }],
    scope: null,
  }
}

/** So many of the largest projects of the instance are tried. */
const mostTried = 100

/**
 * The issuables of the largest project of a list, by which it is decided whether the list has many.
 * @param filtersIn the filters of the list, for the issuables of one project; they may leave some out
 */
export function sampleOf(
  context: ListContext,
  places: Places,
  filtersIn: (context: ListContext) => readonly Filter[],
): () => Promise<Sample | null> {
  const { db, target } = context
  return async () => {
    const project = lookedUp(db, { table: 'projects', on: sql<boolean>`projects.id = largest.project_id` })
    const query = sql<{
      id: number
    }>`select projects.id from ${largestProjects(target.table, mostTried)} largest${project}
      where ${isPlace(context, places, 'filters')} order by largest.last_value desc limit 1`
    const [found] = (await db.executeQuery(query.compile(db as never))).rows
    if (!found) return null
    const within = { ...context, projectId: found.id }
    const scope = sql<boolean>`${sql.ref(`${target.table}.project_id`)} = ${found.id}`
    return { context: within, selection: { joins: [], filters: filtersIn(within), scope } }
  }
}
