import type { Selectable } from 'kysely'
import { type Reader, within } from '../../../infra/database/index.ts'
import type { EpicIssueRow, EpicsTable } from '../tables.ts'

const rowsAtOnce = 100

/** Epics of a group after an iid, in the order of the iids. */
export function epicsAfter(db: Reader, groupId: number, afterIid: number): Promise<Selectable<EpicsTable>[]> {
  const query = db.selectFrom('epics').selectAll().where('group_id', '=', groupId).where('iid', '>', afterIid)
  return query.orderBy('iid').limit(rowsAtOnce).execute()
}

/** The associations of these issues with epics. */
export async function epicIssuesOfIssues(db: Reader, issueIds: readonly number[]): Promise<EpicIssueRow[]> {
  if (issueIds.length === 0) return []
  return db
    .selectFrom('epic_issues')
    .selectAll()
    .where(within(db, 'issue_id', issueIds))
    .execute()
}
