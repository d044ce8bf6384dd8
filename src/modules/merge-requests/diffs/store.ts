import { type PageRequest, pageOfRows } from '../../../api/index.ts'
import type { Reader } from '../../../infra/database/index.ts'
import type { VersionRow } from '../tables.ts'

/** A page of the versions of a merge request, newest first. */
export async function pageOfVersions(db: Reader, mergeRequestId: number, page: PageRequest) {
  const query = db.selectFrom('merge_request_versions').selectAll().where('merge_request_id', '=', mergeRequestId)
  return pageOfRows(db, query.orderBy('id', 'desc'), page)
}

export async function versionOf(db: Reader, mergeRequestId: number, id: number): Promise<VersionRow | null> {
  const query = db.selectFrom('merge_request_versions').selectAll().where('merge_request_id', '=', mergeRequestId)
  return (await query.where('id', '=', id).executeTakeFirst()) ?? null
}

/** The version of a merge request between these commits. */
export async function versionWith(
  db: Reader,
  mergeRequestId: number,
  { base, start, head }: { base: string; start: string; head: string },
): Promise<VersionRow | null> {
  const query = db
    .selectFrom('merge_request_versions')
    .selectAll()
    .where('merge_request_id', '=', mergeRequestId)
    .where('base_sha', '=', base)
    .where('start_sha', '=', start)
    .where('head_sha', '=', head)
  return (await query.orderBy('id', 'desc').limit(1).executeTakeFirst()) ?? null
}
