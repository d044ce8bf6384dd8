import { type RawBuilder, sql } from 'kysely'
import { type Page, type PageRequest, pageOfRows } from '../../../api/index.ts'
import { escapeLike, isAnyOf, isFound, jsonText, type Reader, unindexed } from '../../../infra/database/index.ts'
import { type OwnRoles, type ReachUse, reachesNamespace, role } from '../../access/index.ts'
import type { ProjectCondition } from '../../projects/index.ts'
import { onlineMs, type RunnerStatus, staleMs } from '../core/status.ts'
import { hasAllOf } from '../core/store.ts'
import type { RunnerRow, RunnerType } from '../tables.ts'

/** What the filters of a list select. */
export type Selection = {
  types: readonly RunnerType[]
  statuses: readonly RunnerStatus[]
  paused: readonly boolean[]
  tags: readonly string[]
  versionPrefix: string
  now: Date
}

type Condition = RawBuilder<boolean>

/** A column of runners, for conditions that are used in this way. */
const column = (db: Reader, name: 'id' | 'namespace_id' | 'runner_type', use: ReachUse) =>
  use === 'finds' ? sql.ref(`runners.${name}`) : unindexed(db, `runners.${name}`)

/** Runners of the instance. */
export const ofInstance = (db: Reader, use: ReachUse): Condition =>
  sql<boolean>`${column(db, 'runner_type', use)} = 'instance_type'`

/** Runners of these groups. */
export const ofGroups = (db: Reader, groupIds: readonly number[], use: ReachUse): Condition =>
  isAnyOf(db, column(db, 'namespace_id', use), groupIds)

/** Runners of the groups that a user owns. */
export const ofOwnedGroups = (db: Reader, roles: OwnRoles, use: ReachUse): Condition =>
  reachesNamespace(db, roles, column(db, 'namespace_id', use), role.owner, use)

/** Runners that are assigned to a project. */
export const ofProject = (db: Reader, projectId: number, use: ReachUse): Condition =>
  sql<boolean>`${column(db, 'id', use)} in (select a.runner_id from runner_projects a where a.project_id = ${projectId})`

/** Runners that are assigned to a project that meets the condition. */
export const ofProjects = (db: Reader, condition: ProjectCondition, use: ReachUse): Condition =>
  use === 'filters'
    ? isFound(
        db,
        sql`runner_projects a cross join projects
        where a.runner_id = runners.id and projects.id = a.project_id and ${condition}`,
      )
    : sql<boolean>`runners.id in (
        select a.runner_id from runner_projects a join projects on projects.id = a.project_id where ${condition})`

const anyOf = (conditions: readonly Condition[]): Condition => sql<boolean>`(${sql.join(conditions, sql` or `)})`

/** `statusAt` as a condition on `runners`. */
function hasStatus(status: RunnerStatus, now: Date): Condition {
  const onlineFrom = new Date(now.getTime() - onlineMs).toISOString()
  const freshFrom = new Date(now.getTime() - staleMs).toISOString()
  switch (status) {
    case 'online':
      return sql<boolean>`runners.contacted_at >= ${onlineFrom}`
    case 'offline':
      return sql<boolean>`(runners.contacted_at < ${onlineFrom} and runners.contacted_at >= ${freshFrom})`
    case 'stale':
      return sql<boolean>`coalesce(runners.contacted_at, runners.created_at) < ${freshFrom}`
    case 'never_contacted':
      return sql<boolean>`(runners.contacted_at is null and runners.created_at >= ${freshFrom})`
  }
}

function filters(db: Reader, { types, statuses, paused, tags, versionPrefix, now }: Selection): Condition[] {
  const tagged = hasAllOf(db, sql.ref('runners.tag_list'), sql`cast(${jsonText(tags)} as ${json(db)})`)
  return [
    ...types.map((type) => sql<boolean>`runners.runner_type = ${type}`),
    ...statuses.map((status) => hasStatus(status, now)),
    ...paused.map((value) => sql<boolean>`runners.paused = ${value}`),
    ...(tags.length > 0 ? [tagged] : []),
    ...(versionPrefix === ''
      ? []
      : [sql<boolean>`runners.version like ${`${escapeLike(versionPrefix)}%`} escape '\\'`]),
  ]
}

const json = (db: Reader) => sql.raw(db.engine === 'postgres' ? 'jsonb' : 'text')

/** Alternatives, of which a runner meets one; none: all runners. */
export type RunnerReach = (use: ReachUse) => readonly Condition[]

/** A page of runners, the newest first. */
export async function pageOfRunners(
  db: Reader,
  reach: RunnerReach,
  selection: Selection,
  page: PageRequest,
): Promise<Page<RunnerRow>> {
  const chosen = (use: ReachUse) => {
    const alternatives = reach(use)
    const conditions = [...(alternatives.length > 0 ? [anyOf(alternatives)] : []), ...filters(db, selection)]
    const all = db.selectFrom('runners').selectAll().orderBy('runners.id', 'desc')
    return conditions.reduce((query, condition) => query.where(condition), all)
  }
  return pageOfRows(db, chosen('filters'), page, chosen('finds'))
}
