import { sql } from 'kysely'
import { isFound, type Reader } from '../../../../infra/database/index.ts'
import { largestProjects } from '../../../../platform/internal-ids/index.ts'
import { subtreeOf } from '../../../namespaces/index.ts'
import { hasFewProjects, type TestingUse, visibleIds, visibleProjects } from '../../../projects/index.ts'
import type { Condition, Filter, First, ListContext } from './filter.ts'
import type { Sample, Selection } from './selection.ts'
import { lookedUp } from './ways.ts'

/** The projects whose issuables a list has. */
export type Places = {
  /** They are below this group; anywhere without one. */
  groupId?: number
  nonArchived: boolean
  /** Features that have to be available to the caller. */
  features: Parameters<typeof visibleProjects>[2]
  /** What else a project has to meet. */
  readable?: (use: TestingUse) => readonly Condition[]
}

const isActive: Condition = sql<boolean>`projects.archived = ${false}`

/** Reading so many rows of the instance in the order of a list takes longer than reading the first ones of a project. */
const rowsForProject = 16

/**
 * Whether the projects of a group and below it are so few, beside the rows of the instance, that they find the rows of a list. Else
 * the rows of the instance are read, and the project of each is looked up.
 */
export function isSmallGroup(db: Reader, table: 'issues' | 'merge_requests', groupId: number): Promise<boolean> {
  return hasFewProjects(db, groupId, table, rowsForProject)
}

/** Whether a project is in a group or below it; looked up for each of few. */
function isBelow({ db }: ListContext, groupId: number, use: TestingUse): Condition {
  if (use !== 'filters') return sql<boolean>`projects.namespace_id in ${subtreeOf(groupId)}`
  return isFound(
    db,
    sql`namespace_ancestors above where above.namespace_id = projects.namespace_id and above.ancestor_id = ${groupId}`,
  )
}

/** What is in a group or below it. */
function below(context: ListContext, groupId: number): Filter {
  const projects = sql`(select project.id from namespace_ancestors below cross join projects project
    where below.ancestor_id = ${groupId} and project.namespace_id = below.namespace_id) place`
  const places: First = {
    table: projects,
    on: sql<boolean>`${sql.ref(`${context.target.table}.project_id`)} = place.id`,
  }
  return {
    matches: isBelow(context, groupId, 'filters'),
    counts: isBelow(context, groupId, 'counts'),
    ...(context.isSmallGroup && { places }),
  }
}

/** Whether a list has what belongs to a project that is in the group of the list. */
function isOpen({ db, caller }: ListContext, places: Places, use: TestingUse): Condition {
  const { nonArchived, features, readable = () => [] } = places
  const conditions = [
    ...visibleProjects(db, caller, features, use),
    ...(nonArchived ? [isActive] : []),
    ...readable(use),
  ]
  return sql<boolean>`(${sql.join(conditions, sql` and `)})`
}

/** What finds the issuables of the projects that the caller can see. */
function foundByProjects(context: ListContext, places: Places): Partial<Filter> {
  const { db, caller, target } = context
  const projects = visibleIds(db, caller)
  const table = sql.table(target.table)
  const seen = sql`(${sql.join(projects, sql` union `)}) seen`
  const isSeen = sql<boolean>`projects.id = seen.id`
  const isIn = sql<boolean>`found.project_id = projects.id`
  // PostgreSQL would read all rows, and join them.
  const from =
    db.engine === 'postgres'
      ? sql`${seen} cross join lateral (select * from projects where ${isSeen} offset 0) projects
          cross join lateral (select found.id from ${table} found where ${isIn} offset 0) found`
      : sql`${seen} cross join projects on ${isSeen} cross join ${table} found on ${isIn}`
  return {
    ids: sql`select found.id from ${from} where ${isOpen(context, places, 'counts')}`,
    isSound: true,
    isExact: true,
    projects,
    candidates: { table: seen, on: sql<boolean>`${sql.ref(`${target.table}.project_id`)} = seen.id` },
  }
}

/** The issuables of several projects that the caller can see. */
export function ofProjects(context: ListContext, places: Places): Selection {
  const { target } = context
  const { groupId } = places
  const open: Filter = {
    matches: isOpen(context, places, 'filters'),
    counts: isOpen(context, places, 'counts'),
    ...(groupId === undefined && foundByProjects(context, places)),
  }
  return {
    joins: [{ table: 'projects', on: sql<boolean>`projects.id = ${sql.ref(`${target.table}.project_id`)}` }],
    filters: [...(groupId === undefined ? [] : [below(context, groupId)]), open],
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
  const { groupId } = places
  const isPlace = [
    isOpen(context, places, 'filters'),
    ...(groupId === undefined ? [] : [isBelow(context, groupId, 'filters')]),
  ]
  return async () => {
    const project = lookedUp(db, { table: 'projects', on: sql<boolean>`projects.id = largest.project_id` })
    const query = sql<{
      id: number
    }>`select projects.id from ${largestProjects(target.table, mostTried)} largest${project}
      where ${sql.join(isPlace, sql` and `)} order by largest.last_value desc limit 1`
    const [found] = (await db.executeQuery(query.compile(db as never))).rows
    if (!found) return null
    const within = { ...context, projectId: found.id }
    const scope = sql<boolean>`${sql.ref(`${target.table}.project_id`)} = ${found.id}`
    return { context: within, selection: { joins: [], filters: filtersIn(within), scope } }
  }
}
