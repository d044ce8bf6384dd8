import { sql } from 'kysely'
import {
  type Condition,
  isFound,
  type ListQuery,
  lookUp,
  type Predicate,
  type Sample,
  type TestUse,
} from '../../../../infra/database/index.ts'
import { largestProjects } from '../../../../platform/internal-ids/index.ts'
import { subtreeOf } from '../../../namespaces/index.ts'
import { visibleIds, visibleProjects } from '../../../projects/index.ts'
import type { IssuableContext } from '../context.ts'

/** The projects whose issuables a list has. */
export type ListedProjects = {
  /** They are below this group; anywhere without one. */
  groupId?: number
  nonArchived: boolean
  /** Features that have to be available to the caller. */
  features: Parameters<typeof visibleProjects>[2]
  /** What else a project has to meet. */
  readable?: (use: TestUse) => readonly Condition[]
}

const isActive: Condition = sql<boolean>`projects.archived = ${false}`

/** Whether a project is in a group or below it; looked up for each of few. */
function isBelow({ db }: IssuableContext, groupId: number, use: TestUse): Condition {
  if (use !== 'tests') return sql<boolean>`projects.namespace_id in ${subtreeOf(groupId)}`
  return isFound(
    db,
    sql`namespace_ancestors above where above.namespace_id = projects.namespace_id and above.ancestor_id = ${groupId}`,
  )
}

/** What is in a group or below it. */
function below(context: IssuableContext, groupId: number): Predicate {
  const parents = {
    named: 'parent',
    table: sql`(select project.id from namespace_ancestors below cross join projects project
      where below.ancestor_id = ${groupId} and project.namespace_id = below.namespace_id) parent`,
    on: sql<boolean>`${sql.ref(`${context.table}.project_id`)} = parent.id`,
  }
  return {
    holds: isBelow(context, groupId, 'tests'),
    holdsForMany: isBelow(context, groupId, 'counts'),
    ...(context.hasFewParents && { parents }),
  }
}

/** Whether a list has what belongs to a project that is in the group of the list. */
function isOpen({ db, caller }: IssuableContext, projects: ListedProjects, use: TestUse): Condition {
  const { nonArchived, features, readable = () => [] } = projects
  const conditions = [
    ...visibleProjects(db, caller, features, use),
    ...(nonArchived ? [isActive] : []),
    ...readable(use),
  ]
  return sql<boolean>`(${sql.join(conditions, sql` and `)})`
}

/** What finds the issuables of the projects that the caller can see. */
function foundByProjects(context: IssuableContext, projects: ListedProjects): Pick<Predicate, 'driver' | 'parents'> {
  const { db, caller, table } = context
  const counted = visibleIds(db, caller)
  const seen = sql`(${sql.join(counted, sql` union `)}) seen`
  const project = lookUp(db, 'projects', sql`projects.id = seen.id`)
  const rows = lookUp(db, `${table} as found`, sql`found.project_id = projects.id`, sql`found.id`)
  const isOfOpen = isOpen(context, projects, 'counts')
  return {
    driver: {
      ids: sql`select found.id from ${seen} ${project} ${rows} where ${isOfOpen}`,
      isSufficient: true,
      isScoped: true,
    },
    parents: { counted, table: seen, on: sql<boolean>`${sql.ref(`${table}.project_id`)} = seen.id` },
  }
}

/** The issuables of several projects that the caller can see. */
export function ofProjects(context: IssuableContext, projects: ListedProjects): ListQuery {
  const { groupId } = projects
  const open: Predicate = {
    holds: isOpen(context, projects, 'tests'),
    holdsForMany: isOpen(context, projects, 'counts'),
    ...(groupId === undefined && foundByProjects(context, projects)),
  }
  return {
    lookUps: [{ table: 'projects', on: sql<boolean>`projects.id = ${sql.ref(`${context.table}.project_id`)}` }],
    predicates: [...(groupId === undefined ? [] : [below(context, groupId)]), open],
    scope: null,
  }
}

/** So many of the largest projects of the instance are tried. */
const mostTried = 100

/**
 * The issuables of the largest project of a list, by which it is decided whether the list has many.
 * @param predicatesIn those of the list, for the issuables of one project; they may leave some out
 */
export function sampleOf(
  context: IssuableContext,
  projects: ListedProjects,
  predicatesIn: (context: IssuableContext) => readonly Predicate[],
): () => Promise<Sample | null> {
  const { db, table } = context
  const { groupId } = projects
  const isListed = [
    isOpen(context, projects, 'tests'),
    ...(groupId === undefined ? [] : [isBelow(context, groupId, 'tests')]),
  ]
  return async () => {
    const largest = sql`${largestProjects(table as 'issues', mostTried)} largest`
    const query = sql<{ id: number }>`select projects.id
      from ${largest} ${lookUp(db, 'projects', sql`projects.id = largest.project_id`)}
      where ${sql.join(isListed, sql` and `)} order by largest.last_value desc limit 1`
    const [found] = (await db.executeQuery(query.compile(db as never))).rows
    if (!found) return null
    const within = { ...context, parent: { column: 'project_id', id: found.id } }
    const scope = sql<boolean>`${sql.ref(`${table}.project_id`)} = ${found.id}`
    return { context: within, query: { lookUps: [], predicates: predicatesIn(within), scope } }
  }
}
