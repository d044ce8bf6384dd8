import { sql } from 'kysely'
import type { Reader } from '../../../infra/database/index.ts'
import type { IssueRow } from '../tables.ts'

/** Each has notes and records with it. */
const rowsAtOnce = 100

/** The place of an issue in the manual order. The index `issues_project_position` is over this expression. */
const position = sql<number>`(coalesce(relative_position, id * 1024.0))`

/** An issue with its place. */
export type PlacedIssue = IssueRow & { position: number }

/** Issues of a project after one, in the manual order. @param after null for the first */
export async function issuesAfter(
  db: Reader,
  projectId: number,
  after: Pick<PlacedIssue, 'position' | 'id'> | null,
): Promise<PlacedIssue[]> {
  let query = db.selectFrom('issues').selectAll().select(position.as('position')).where('project_id', '=', projectId)
  if (after !== null) query = query.where(sql<boolean>`(${position}, id) > (${after.position}, ${after.id})`)
  return query.orderBy(position).orderBy('id').limit(rowsAtOnce).execute()
}
