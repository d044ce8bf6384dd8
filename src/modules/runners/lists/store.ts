import { type RawBuilder, sql } from 'kysely'
import { type Page, type PageRequest, pageOfRows } from '../../../api/index.ts'
import { escapeLike, jsonText, type Reader, within } from '../../../infra/database/index.ts'
import { type OwnRoles, reachesNamespace, role } from '../../access/index.ts'
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

/** Runners of the instance. */
export const ofInstance: Condition = sql<boolean>`runners.runner_type = 'instance_type'`

/** Runners of these groups. */
export const ofGroups = (db: Reader, groupIds: readonly number[]): Condition =>
  within(db, 'runners.namespace_id', groupIds)

/** Runners of the groups that a user owns. */
export const ofOwnedGroups = (db: Reader, roles: OwnRoles): Condition =>
  reachesNamespace(db, roles, sql.ref('runners.namespace_id'), role.owner)

/** Runners that are assigned to a project. */
export const ofProject = (projectId: number): Condition => sql<boolean>`runners.id in (
  select a.runner_id from runner_projects a where a.project_id = ${projectId})`

/** Runners that are assigned to a project that meets the condition. */
export const ofProjects = (condition: ProjectCondition): Condition => sql<boolean>`runners.id in (
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

/** A page of runners, the newest first. @param reach alternatives, of which a runner meets one; none: all runners */
export async function pageOfRunners(
  db: Reader,
  reach: readonly Condition[],
  selection: Selection,
  page: PageRequest,
): Promise<Page<RunnerRow>> {
  const conditions = [...(reach.length > 0 ? [anyOf(reach)] : []), ...filters(db, selection)]
  const all = db.selectFrom('runners').selectAll()
  const chosen = conditions.reduce((query, condition) => query.where(condition), all)
  return pageOfRows(db, chosen.orderBy('runners.id', 'desc'), page)
}
