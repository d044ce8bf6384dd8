import { type RawBuilder, sql } from 'kysely'
import { type Page, type PageRequest, pageOfIds } from '../../../api/index.ts'
import {
  type Condition,
  escapeLike,
  isFound,
  jsonHasAll,
  jsonText,
  type PredicateUse,
  type Reader,
  typeOf,
  unindexed,
} from '../../../infra/database/index.ts'
import { type OwnRoles, reachesNamespace, role } from '../../access/index.ts'
import { onlineMs, type RunnerStatus, staleMs } from '../core/status.ts'
import { runnersByIds } from '../core/store.ts'
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

/** Runners of one type. A list unites such parts, and no runner is in two of them. */
export type Part = {
  type: RunnerType
  /** The text after `from`, with the conditions after `where`. */
  rows: (use: PredicateUse) => { from: RawBuilder<unknown>; where: Condition }
  /** The id of the runner; where it is that of a row of runners, an index has also whether it is paused. */
  id: RawBuilder<number>
}

const runners = sql`runners r`
const runnerId = sql<number>`r.id`

/** Runners of the instance. */
export const ofInstance: Part = {
  type: 'instance_type',
  rows: () => ({ from: runners, where: sql`r.runner_type = 'instance_type'` }),
  id: runnerId,
}

/** Runners of a group. */
export const ofGroup = (groupId: number): Part => ({
  type: 'group_type',
  rows: () => ({ from: runners, where: sql`r.namespace_id = ${groupId}` }),
  id: runnerId,
})

/** Runners of the groups that a user owns. */
export const ofOwnedGroups = (db: Reader, roles: OwnRoles): Part => ({
  type: 'group_type',
  rows: (use) => {
    const column = use === 'drives' ? sql.ref('r.namespace_id') : unindexed(db, 'r.namespace_id')
    const isOwned = reachesNamespace(db, roles, column, role.owner, use)
    // Rows are tested in the order of their ids; the other index has all that is counted.
    const all = use === 'tests' ? sql`r.runner_type = 'group_type'` : sql`r.namespace_id is not null`
    return { from: runners, where: use === 'drives' ? isOwned : sql`${all} and ${isOwned}` }
  },
  id: runnerId,
})

/** Runners that are assigned to a project. */
export const ofProject = (projectId: number): Part => ({
  type: 'project_type',
  rows: () => ({ from: sql`runner_projects a`, where: sql`a.project_id = ${projectId}` }),
  id: sql`a.runner_id`,
})

/** Runners that are assigned to a project that meets the condition. */
export const ofProjects = (db: Reader, condition: (use: PredicateUse) => Condition): Part => ({
  type: 'project_type',
  rows: (use) => {
    const assigned = sql`select a.runner_id from runner_projects a join projects on projects.id = a.project_id`
    if (use === 'drives') return { from: runners, where: sql`r.id in (${assigned} where ${condition(use)})` }
    const isAssigned = isFound(
      db,
      sql`runner_projects a cross join projects
        where a.runner_id = r.id and projects.id = a.project_id and ${condition(use)}`,
    )
    return { from: runners, where: sql`r.runner_type = 'project_type' and ${isAssigned}` }
  },
  id: runnerId,
})

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

const isTagged = (db: Reader, tag: string): Condition =>
  jsonHasAll(db, sql.ref('runners.tag_list'), sql`cast(${jsonText([tag])} as ${typeOf(db, 'json')})`)

/** The conditions of the filters for which the rows are read. */
function filters(db: Reader, { statuses, tags, versionPrefix, now }: Selection): Condition[] {
  return [
    ...statuses.map((status) => hasStatus(status, now)),
    ...tags.map((tag) => isTagged(db, tag)),
    ...(versionPrefix === ''
      ? []
      : [sql<boolean>`runners.version like ${`${escapeLike(versionPrefix)}%`} escape '\\'`]),
  ]
}

const arePaused = (table: 'r' | 'runners', { paused }: Selection): Condition[] =>
  paused.map((value) => sql<boolean>`${sql.ref(`${table}.paused`)} = ${value}`)

/**
 * The ids of a part that the filters select. The rows of runners, which are wide, are looked up only where there are filters:
 * PostgreSQL would read all runners in the order of their ids.
 */
function idsOfPart(db: Reader, { rows, id }: Part, selection: Selection, use: PredicateUse) {
  const { from, where } = rows(use)
  const isRunner = id === runnerId
  const tested = [...(isRunner ? [] : arePaused('runners', selection)), ...filters(db, selection)]
  const all = [
    where,
    ...(isRunner ? arePaused('r', selection) : []),
    ...(tested.length > 0
      ? [isFound(db, sql`runners where runners.id = ${id} and ${sql.join(tested, sql` and `)}`)]
      : []),
  ]
  return sql`select ${id} as id from ${from} where ${sql.join(all, sql` and `)}`
}

/** The first ids of a part. PostgreSQL would read the whole part, in which each row may be tested for long, to sort the parts together. */
function firstOfPart(db: Reader, part: Part, selection: Selection, page: PageRequest) {
  const end = (page.kind === 'offset' ? page.offset : 0) + page.limit + 1
  return sql`select part.id from (${idsOfPart(db, part, selection, 'tests')} order by ${part.id} desc limit ${end}) part`
}

/** A page of runners, the newest first. @param parts the parts of the list; null for all runners */
export async function pageOfRunners(
  db: Reader,
  parts: readonly Part[] | null,
  selection: Selection,
  page: PageRequest,
): Promise<Page<RunnerRow>> {
  const { types } = selection
  const chosen = parts?.filter(({ type }) => types.every((wanted) => wanted === type))
  if (chosen?.length === 0) return { items: [], total: 0, hasNext: false }
  const ofTypes = types.map((type) => sql<boolean>`runners.runner_type = ${type}`)
  const conditions = [sql`1 = 1`, ...ofTypes, ...arePaused('runners', selection), ...filters(db, selection)]
  const all = sql`select runners.id from runners where ${sql.join(conditions, sql` and `)}`
  const idsOf = (ids: (part: Part) => RawBuilder<unknown>) => {
    const united = chosen && sql.join(chosen.map(ids), sql` union all `)
    const found = sql<{ id: number }>`(${united ?? all})`.as('found')
    return db.selectFrom(found).select('found.id').orderBy('found.id', 'desc')
  }
  const read = idsOf((part) => firstOfPart(db, part, selection, page))
  const found = idsOf((part) => idsOfPart(db, part, selection, 'counts'))
  const rowsOf = async (ids: readonly number[]) => new Map((await runnersByIds(db, ids)).map((row) => [row.id, row]))
  return pageOfIds(db, read, page, rowsOf, found)
}
