import { type RawBuilder, type SelectQueryBuilder, sql } from 'kysely'
import {
  type Condition,
  fewBeside,
  isFound,
  type Reader,
  type Tables,
  type TestUse,
  thresholds,
} from '../../../../infra/database/index.ts'
import { isSelected, type OwnRoles, reachesNamespace } from '../../../access/index.ts'
import { visibleAmong } from '../../../groups/index.ts'
import { countedProjects, countedProjectsIn, openVisibilities } from '../../../namespaces/index.ts'
import type { ProjectOrGroupRef } from '../../core/twins.ts'
import { type Caller, plansAreReadable } from './access.ts'

// Conditions on rows that belong to a project (`project_id`) or a group (`namespace_id`), as labels and milestones do.

/** Rows of this project or group. */
export function belongsTo(table: string, { kind, id }: Pick<ProjectOrGroupRef, 'kind' | 'id'>): Condition {
  return sql<boolean>`${sql.ref(`${table}.${kind === 'project' ? 'project_id' : 'namespace_id'}`)} = ${id}`
}

/** Rows of a group and of the groups above it. */
export function belongsToGroupOrAbove(db: Reader, table: string, groupId: number): Condition {
  const groups = sql`select ancestor_id from namespace_ancestors where namespace_id = ${groupId}`
  return isSelected(db, sql.ref(`${table}.namespace_id`), groups)
}

/** Rows that a project or group has or inherits: its own, and those of the groups above it. */
export function belongsToOrAbove(db: Reader, table: string, parent: ProjectOrGroupRef): Condition {
  const above = belongsToGroupOrAbove(db, table, parent.namespaceId)
  return parent.kind === 'group' ? above : sql<boolean>`(${belongsTo(table, parent)} or ${above})`
}

/** Rows of a group and of the groups below it that the caller may see. */
export function belongsToGroupOrBelow(db: Reader, table: string, groupId: number, caller: Caller): Condition {
  const { actor, roles } = caller
  const viewer = { actor, roles, open: openVisibilities(actor) }
  const below = sql`select namespace_id as id from namespace_ancestors where ancestor_id = ${groupId}`
  return isSelected(db, sql.ref(`${table}.namespace_id`), visibleAmong(db, viewer, below))
}

/** Labels, milestones and the like of the projects at any depth below a group, as far as the caller may read them. @param isFew `hasFewProjects` */
export function belongsToProjectBelow(
  db: Reader,
  table: string,
  { groupId, isFew }: { groupId: number; isFew: boolean },
  caller: Caller,
  use: TestUse,
): Condition {
  return isOfProjectBelow(db, `${table}.project_id`, groupId, [plansAreReadable(db, caller, use)], isFew)
}

/** Whether the project of a row meets conditions; looked up for each row. @param column with the id of the project */
export function hasProject(db: Reader, column: string, conditions: readonly Condition[]): Condition {
  return isFound(db, sql`projects where projects.id = ${sql.ref(column)} and ${sql.join(conditions, sql` and `)}`)
}

/** A project is found in half the time of a row that is tested. */
const asLongAsProject = 2

/**
 * Whether projects are few.
 * @param count their number, which need not be exact
 * @param table of which rows are listed: beside many rows in all projects, more projects are few
 * @param perProject as `rowsForOne` of `fewBeside`
 */
async function areFew(
  db: Reader,
  count: RawBuilder<number>,
  table?: TableOfProjects,
  perProject = asLongAsProject,
): Promise<boolean> {
  const most = table ? fewBeside(table, perProject) : sql.lit(thresholds.fewParents)
  const query = sql<{ most: number; count: number }>`select ${most} as most, ${count} as count`
  const [row] = (await db.executeQuery(query.compile(db as never))).rows
  return Number(row?.count ?? 0) <= Number(row?.most ?? 0)
}

/** Whether the projects at any depth below a group are few; the other parameters as those of `areFew`. */
export function hasFewProjects(
  db: Reader,
  groupId: number,
  table?: TableOfProjects,
  perProject?: number,
): Promise<boolean> {
  return areFew(db, countedProjects(groupId), table, perProject)
}

/** Whether a user has at least this role in few projects through namespaces. */
export function reachesFewProjects(db: Reader, roles: OwnRoles, least: number, table: TableOfProjects) {
  const count = countedProjectsIn((id) => reachesNamespace(db, roles, id, least))
  return areFew(db, count, table)
}

/**
 * The projects at any depth below a group that have rows in a table and meet conditions, as `id`. Those that have none are left out by
 * indexes alone.
 */
function projectsBelow(db: Reader, table: string, groupId: number, conditions: readonly Condition[]) {
  const hasRows = isFound(db, sql`${sql.table(table)} held where held.project_id = p.id`)
  return sql`select own.id from (select p.id from namespace_ancestors below cross join projects p
      where below.ancestor_id = ${groupId} and p.namespace_id = below.namespace_id and ${hasRows}) own
    where ${hasProject(db, 'own.id', conditions)}`
}

/**
 * Whether the project of a row is below a group and meets conditions.
 * @param column of the row, with its table
 * @param isFew whether it has few projects (`hasFewProjects`): these find the rows, of many the project of each row is looked up
 */
export function isOfProjectBelow(
  db: Reader,
  column: `${string}.project_id`,
  groupId: number,
  conditions: readonly Condition[],
  isFew: boolean,
): Condition {
  if (!isFew) {
    const isBelow = sql<boolean>`exists (select 1 from namespace_ancestors above
      where above.namespace_id = projects.namespace_id and above.ancestor_id = ${groupId})`
    return hasProject(db, column, [isBelow, ...conditions])
  }
  const [table = ''] = column.split('.')
  return isSelected(db, sql.ref(column), projectsBelow(db, table, groupId, conditions))
}

/** Tables of which each row belongs to a project. */
type TableOfProjects =
  | 'deploy_key_projects'
  | 'issues'
  | 'labels'
  | 'merge_requests'
  | 'packages'
  | 'registry_repositories'
  | 'releases'
  | 'runners'

/**
 * The rows of a table by their projects, to count those of many: a condition on `of.project_id` is tested once for each project, however
 * many rows it has.
 */
export function rowsByProject<Table extends Exclude<TableOfProjects, 'runners'>>(
  db: Reader,
  table: Table,
): SelectQueryBuilder<Tables, Table, object> {
  const projects = sql<{ project_id: number }>`(select distinct project_id from ${sql.table(table)})`
  const rows = db.selectFrom(projects.as('of')).crossJoin(table as 'releases')
  return rows.where(sql<boolean>`${sql.ref(`${table}.project_id`)} = of.project_id`) as never
}
