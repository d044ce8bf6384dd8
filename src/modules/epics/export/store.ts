import type { Selectable } from 'kysely'
import { type Reader, within } from '../../../infra/database/index.ts'
import { valuesByKey } from '../../../infra/grouping/index.ts'
import type { EpicIssueRow, EpicLinkRow, EpicsTable } from '../tables.ts'

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

/** The links of these epics in either direction, by epic, oldest first. */
export async function linksOfEpics(db: Reader, ids: readonly number[]): Promise<ReadonlyMap<number, EpicLinkRow[]>> {
  if (ids.length === 0) return new Map()
  const linked = (end: 'source_id' | 'target_id') =>
    db
      .selectFrom('epic_links')
      .selectAll()
      .where(within(db, end, ids))
  const rows = await linked('source_id').union(linked('target_id')).orderBy('id').execute()
  const wanted = new Set(ids)
  const seen = rows.flatMap((row) =>
    [row.source_id, row.target_id].filter((id) => wanted.has(id)).map((id) => ({ id, row })),
  )
  return valuesByKey(
    seen,
    ({ id }) => id,
    ({ row }) => row,
  )
}
