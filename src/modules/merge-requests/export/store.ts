import { sql } from 'kysely'
import { type Reader, within } from '../../../infra/database/index.ts'
import type { MergeRequestRow, VersionRow } from '../tables.ts'

/** Each has notes and records with it. */
const rowsAtOnce = 100

/** Merge requests of a project after an iid, in the order of the iids. */
export function mergeRequestsAfter(db: Reader, projectId: number, afterIid: number): Promise<MergeRequestRow[]> {
  const query = db.selectFrom('merge_requests').selectAll().where('project_id', '=', projectId)
  return query.where('iid', '>', afterIid).orderBy('iid').limit(rowsAtOnce).execute()
}

/** The newest version of each of these merge requests, by merge request. */
export async function newestVersions(db: Reader, ids: readonly number[]): Promise<ReadonlyMap<number, VersionRow>> {
  const isNewest = sql<boolean>`not exists (select 1 from merge_request_versions newer
    where newer.merge_request_id = v.merge_request_id and newer.id > v.id)`
  const query = db.selectFrom('merge_request_versions as v').selectAll('v').where(isNewest)
  const rows = await query.where(within(db, 'v.merge_request_id', ids)).execute()
  return new Map(rows.map((row) => [row.merge_request_id, row]))
}
