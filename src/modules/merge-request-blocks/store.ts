import { type PageRequest, pageOfRows } from '../../api/index.ts'
import { type Reader, rows, within } from '../../infra/database/index.ts'
import { type BlockRow, mergeRequestBlocks } from './tables.ts'

export const { insert: insertBlock, remove: removeBlock } = rows(mergeRequestBlocks)

/** An end of a block. */
export type End = 'blocking_id' | 'blocked_id'

/** A page of the blocks that have a merge request at an end, oldest first. */
export function pageOfBlocks(db: Reader, end: End, mergeRequestId: number, page: PageRequest) {
  const query = db.selectFrom('merge_request_blocks').selectAll().where(end, '=', mergeRequestId)
  return pageOfRows(db, query.orderBy('id'), page)
}

/** A block of a merge request. */
export async function blockOf(db: Reader, blockedId: number, id: number): Promise<BlockRow | null> {
  const query = db.selectFrom('merge_request_blocks').selectAll().where('blocked_id', '=', blockedId)
  return (await query.where('id', '=', id).executeTakeFirst()) ?? null
}

/** The merge requests at the other end of the blocks that have one of these at an end. */
export async function neighboursOf(db: Reader, end: End, ids: readonly number[]): Promise<number[]> {
  if (ids.length === 0) return []
  const other = end === 'blocking_id' ? 'blocked_id' : 'blocking_id'
  const query = db.selectFrom('merge_request_blocks').select(`${other} as id`).distinct()
  const found = await query.where(within(db, end, ids)).execute()
  return found.map(({ id }) => id)
}

/** Those of these merge requests that wait for another one to be merged. */
export async function blockedAmong(db: Reader, ids: readonly number[]): Promise<number[]> {
  if (ids.length === 0) return []
  const found = await db
    .selectFrom('merge_request_blocks as blocks')
    .innerJoin('merge_requests as blocking', 'blocking.id', 'blocks.blocking_id')
    .select('blocks.blocked_id as id')
    .distinct()
    .where(within(db, 'blocks.blocked_id', ids))
    .where('blocking.state', '<>', 'merged')
    .execute()
  return found.map(({ id }) => id)
}

const waiting = (db: Reader) =>
  db
    .selectFrom('merge_request_blocks as blocks')
    .innerJoin('merge_requests as blocked', 'blocked.id', 'blocks.blocked_id')
    .where('blocked.auto_merge', 'is not', null)
    .select('blocked.id')
    .distinct()

/** The merge requests that are marked to be merged, and that one blocks. */
export async function waitingFor(db: Reader, blockingId: number): Promise<number[]> {
  return (await waiting(db).where('blocks.blocking_id', '=', blockingId).execute()).map(({ id }) => id)
}

/** The same, of which one in a project blocks. */
export async function waitingForProject(db: Reader, projectId: number): Promise<number[]> {
  const query = waiting(db).innerJoin('merge_requests as blocking', 'blocking.id', 'blocks.blocking_id')
  return (await query.where('blocking.project_id', '=', projectId).execute()).map(({ id }) => id)
}
