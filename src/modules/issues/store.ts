import { sql } from 'kysely'
import { type Reader, type Tx, within } from '../../infra/database/index.ts'
import type { IssueRow } from './tables.ts'

/** Sets the milestone or the iteration of all issues that have one of several. @param projectId only in this project */
export async function replacePlan(
  tx: Tx,
  column: 'milestone_id' | 'iteration_id',
  ids: readonly number[],
  id: number | null,
  projectId?: number,
): Promise<void> {
  await tx
    .updateTable('issues')
    .set({ [column]: id })
    .where(within(tx, column, ids))
    .$if(projectId !== undefined, (all) => all.where('project_id', '=', projectId as number))
    .execute()
}

/** The milestones or iterations that issues of a project have. */
export async function plansInUse(
  db: Reader,
  projectId: number,
  column: 'milestone_id' | 'iteration_id',
): Promise<number[]> {
  const rows = await db
    .selectFrom('issues')
    .select(column)
    .distinct()
    .where('project_id', '=', projectId)
    .where(column, 'is not', null)
    .execute()
  return rows.map((row) => row[column] as number)
}

/** The milestones of the issues of a project. */
export const milestonesOfIssues = (db: Reader, projectId: number) => plansInUse(db, projectId, 'milestone_id')

/** Takes iterations off the issues of a project. */
export async function dropIterations(tx: Tx, projectId: number, ids: readonly number[]): Promise<void> {
  if (ids.length > 0) await replacePlan(tx, 'iteration_id', ids, null, projectId)
}

/** Moves the open issues of an iteration to another one. @returns their ids and projects */
export async function rollOver(tx: Tx, fromId: number, toId: number): Promise<Pick<IssueRow, 'id' | 'project_id'>[]> {
  return tx
    .updateTable('issues')
    .set({ iteration_id: toId })
    .where('iteration_id', '=', fromId)
    .where('state', '=', 'opened')
    .returning(['id', 'project_id'])
    .execute()
}

/** Whether a user wrote or closed an issue. */
export async function hasIssues(db: Reader, userId: number): Promise<boolean> {
  const query = sql`select 1 from issues where author_id = ${userId} or closed_by_id = ${userId} limit 1`
  return (await db.executeQuery(query.compile(db as never))).rows.length > 0
}

/** Gives the issues that a user wrote or closed to another one. */
export async function giveIssuesTo(tx: Tx, userId: number, otherId: number): Promise<void> {
  await tx.updateTable('issues').set({ author_id: otherId }).where('author_id', '=', userId).execute()
  await tx.updateTable('issues').set({ closed_by_id: otherId }).where('closed_by_id', '=', userId).execute()
}

/** The ids of issues that a user wrote, a portion at a time. */
export async function issuesWrittenBy(db: Reader, userId: number): Promise<IssueRow[]> {
  return db.selectFrom('issues').selectAll().where('author_id', '=', userId).limit(500).execute()
}

/** Records that an issue has changed at a time, unless it has changed later. */
export async function touchIssue(tx: Tx, id: number, at: string): Promise<void> {
  await tx.updateTable('issues').set({ updated_at: at }).where('id', '=', id).where('updated_at', '<', at).execute()
}

/** The number of open issues of each of these projects that are not confidential; projects without any are absent. */
export async function openCounts(db: Reader, projectIds: readonly number[]): Promise<ReadonlyMap<number, number>> {
  if (projectIds.length === 0) return new Map()
  const rows = await db
    .selectFrom('issues')
    .select((eb) => ['project_id', eb.fn.countAll<number>().as('count')])
    .where(within(db, 'project_id', projectIds))
    .where('state', '=', 'opened')
    .where('confidential', '=', false)
    .groupBy('project_id')
    .execute()
  return new Map(rows.map(({ project_id, count }) => [project_id, Number(count)]))
}
