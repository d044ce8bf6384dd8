import { sql } from 'kysely'
import { type Page, type PageRequest, pageOfRows } from '../../../api/index.ts'
import { type Condition, type Reader, type Tx, within } from '../../../infra/database/index.ts'
import type { Ports } from '../../../platform/index.ts'
import { manualOrder } from '../positions/store.ts'
import type { EpicIssueRow } from '../tables.ts'

/** The order of the issues of epics. */
export const issueOrder = manualOrder('epic_issues', 'epic_id')

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
  const next = await issueOrder.last(tx, epicId)
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
