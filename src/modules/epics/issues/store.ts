import { sql } from 'kysely'
import { type Page, type PageRequest, pageOfRows } from '../../../api/index.ts'
import { type Condition, type Reader, type Tx, within } from '../../../infra/database/index.ts'
import type { Ports } from '../../../platform/index.ts'
import type { EpicIssueRow } from '../tables.ts'

/** The distance of issues whose order was never changed, so that others fit between. */
const distance = 1024

const ofEpic = (db: Reader, epicId: number) => db.selectFrom('epic_issues').selectAll().where('epic_id', '=', epicId)

/** The issue with this association in an epic. */
export async function epicIssue(db: Reader, epicId: number, id: number): Promise<EpicIssueRow | null> {
  return (await ofEpic(db, epicId).where('id', '=', id).executeTakeFirst()) ?? null
}

/** A page of the issues of an epic in their manual order. */
export async function pageOfEpicIssues(db: Reader, epicId: number, page: PageRequest): Promise<Page<EpicIssueRow>> {
  return pageOfRows(db, ofEpic(db, epicId).orderBy('relative_position').orderBy('id'), page)
}

/** The issues of an epic in their manual order. @param limit of rows */
export async function epicIssuesOf(db: Reader, epicId: number, limit: number): Promise<EpicIssueRow[]> {
  return ofEpic(db, epicId).orderBy('relative_position').orderBy('id').limit(limit).execute()
}

/** The epics of these issues, by the issue's id. */
export async function epicIdsOf(db: Reader, issueIds: readonly number[]): Promise<Map<number, number>> {
  if (issueIds.length === 0) return new Map()
  const query = db.selectFrom('epic_issues').select(['issue_id', 'epic_id'])
  const rows = await query.where(within(db, 'issue_id', issueIds)).execute()
  return new Map(rows.map(({ issue_id, epic_id }) => [issue_id, epic_id]))
}

/** Assigns an issue to an epic, at its end, and takes it from another one. @returns null when it is there already */
export async function assignIssue(tx: Tx, epicId: number, issueId: number): Promise<EpicIssueRow | null> {
  const last = tx
    .selectFrom('epic_issues')
    .select((eb) => sql<number>`coalesce(${eb.fn.max('relative_position')}, 0) + ${sql.lit(distance)}`.as('next'))
    .where('epic_id', '=', epicId)
  const { next } = await last.executeTakeFirstOrThrow()
  const row = await tx
    .insertInto('epic_issues')
    .values({ epic_id: epicId, issue_id: issueId, relative_position: next })
    .onConflict((conflict) =>
      conflict
        .column('issue_id')
        .doUpdateSet({ epic_id: epicId, relative_position: next })
        .where('epic_issues.epic_id', '<>', epicId),
    )
    .returningAll()
    .executeTakeFirst()
  return row ?? null
}

/** Takes an issue from its epic. @returns whether it had one */
export async function unassignIssue(tx: Tx, issueId: number): Promise<boolean> {
  const query = tx.deleteFrom('epic_issues').where('issue_id', '=', issueId).returning('id')
  return (await query.executeTakeFirst()) !== undefined
}

/** The position next to that of a row: of the row before it, or after it; null at the end. */
async function neighbour(tx: Tx, row: EpicIssueRow, side: 'before' | 'after', moved: number) {
  const isBefore = side === 'before'
  const found = await tx
    .selectFrom('epic_issues')
    .select('relative_position')
    .where('epic_id', '=', row.epic_id)
    .where('id', '<>', moved)
    .where('relative_position', isBefore ? '<' : '>', row.relative_position)
    .orderBy('relative_position', isBefore ? 'desc' : 'asc')
    .limit(1)
    .executeTakeFirst()
  return found?.relative_position ?? null
}

/** Gives the issues of an epic positions with distances again, in their order. */
async function spread(tx: Tx, epicId: number): Promise<void> {
  await sql`update epic_issues set relative_position = ranked.place * ${sql.lit(distance)}
    from (select id as ranked_id, row_number() over (order by relative_position, id) as place
      from epic_issues where epic_id = ${epicId}) ranked
    where epic_issues.id = ranked.ranked_id`.execute(tx)
}

/** The position directly before or after a row, without the moved one; null when there is no number left between. */
async function positionBeside(tx: Tx, row: EpicIssueRow, side: 'before' | 'after', moved: number) {
  const other = await neighbour(tx, row, side, moved)
  const here = row.relative_position
  if (other === null) return side === 'before' ? here - distance : here + distance
  const between = Math.floor((here + other) / 2)
  return between > Math.min(here, other) ? between : null
}

/** Moves an issue of an epic directly before or after another one of it. */
export async function moveBeside(
  tx: Tx,
  moved: EpicIssueRow,
  targetId: number,
  side: 'before' | 'after',
): Promise<boolean> {
  for (const isLast of [false, true]) {
    const target = await epicIssue(tx, moved.epic_id, targetId)
    if (!target) return false
    const position = await positionBeside(tx, target, side, moved.id)
    if (position !== null) {
      const update = tx.updateTable('epic_issues').set({ relative_position: position })
      await update.where('id', '=', moved.id).execute()
      return true
    }
    if (!isLast) await spread(tx, moved.epic_id)
  }
  return false
}

/** Issues of an epic, or of any, as a filter of lists (contract 16, `epic_id`). */
export const issuesInEpic: Ports['issues.in_epic'] = (_platform, { parent }, wanted) => {
  const isWanted: Condition = wanted === 'any' ? sql<boolean>`1 = 1` : sql<boolean>`linked.epic_id = ${wanted}`
  const linked = sql`epic_issues linked where ${isWanted}`
  const ids = parent
    ? sql`select found.id from epic_issues linked cross join issues found
        where ${isWanted} and found.id = linked.issue_id and found.project_id = ${parent.id}`
    : sql`select linked.issue_id as id from ${linked}`
  return {
    holds: sql<boolean>`exists (select 1 from ${linked} and linked.issue_id = issues.id)`,
    driver: { ids, isSufficient: true, isScoped: parent !== undefined },
  }
}
