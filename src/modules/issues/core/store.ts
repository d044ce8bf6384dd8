import type { Updateable } from 'kysely'
import {
  insertSearched,
  locked,
  prepareQuery,
  type Reader,
  rows,
  type Tx,
  updateSearched,
  within,
} from '../../../infra/database/index.ts'
import { type IssueRow, type IssuesTable, issues, type NewIssueRow } from '../tables.ts'

export const { byId: issueById, remove: deleteIssueRow } = rows(issues)

const byIid = prepareQuery((db, { projectId, iid }: { projectId: number; iid: number }) =>
  db.selectFrom('issues').selectAll().where('project_id', '=', projectId).where('iid', '=', iid),
)

export async function issueByIid(db: Reader, projectId: number, iid: number): Promise<IssueRow | null> {
  const [row] = await byIid(db, { projectId, iid })
  return row ?? null
}

/** These issues, in any order. */
export async function issuesByIds(db: Reader, ids: readonly number[]): Promise<IssueRow[]> {
  if (ids.length === 0) return []
  return db
    .selectFrom('issues')
    .selectAll()
    .where(within(db, 'id', [...new Set(ids)]))
    .execute()
}

/** The row of an issue, locked until the transaction ends. */
export async function holdIssue(tx: Tx, id: number): Promise<IssueRow | null> {
  const query = tx.selectFrom('issues').selectAll().where('id', '=', id)
  return (await locked(tx, query).executeTakeFirst()) ?? null
}

/** @throws UniqueViolation when the project has the iid already */
export async function insertIssue(tx: Tx, issue: NewIssueRow): Promise<IssueRow> {
  const row = await tx.insertInto('issues').values(issue).returningAll().executeTakeFirstOrThrow()
  await insertSearched(tx, 'issues', row)
  return row
}

/** Changes the row of an issue. */
export async function updateIssueRow(tx: Tx, id: number, changes: Updateable<IssuesTable>): Promise<IssueRow> {
  const query = tx.updateTable('issues').set(changes).where('id', '=', id).returningAll()
  const row = await query.executeTakeFirstOrThrow()
  if (changes.title !== undefined || changes.description !== undefined) await updateSearched(tx, 'issues', id, row)
  return row
}
