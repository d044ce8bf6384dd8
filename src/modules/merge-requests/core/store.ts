import type { Insertable, Updateable } from 'kysely'
import {
  insertSearched,
  locked,
  type Reader,
  rows,
  type Tx,
  updateSearched,
  within,
  withinPairs,
} from '../../../infra/database/index.ts'
import { type MergeRequestRow, type MergeRequestsTable, mergeRequests } from '../tables.ts'

export const { byId: mergeRequestById, remove: deleteMergeRequest } = rows(mergeRequests)

export async function mergeRequestByIid(db: Reader, projectId: number, iid: number): Promise<MergeRequestRow | null> {
  const query = db.selectFrom('merge_requests').selectAll().where('project_id', '=', projectId).where('iid', '=', iid)
  return (await query.executeTakeFirst()) ?? null
}

export async function mergeRequestsByIds(db: Reader, ids: readonly number[]): Promise<MergeRequestRow[]> {
  if (ids.length === 0) return []
  return db
    .selectFrom('merge_requests')
    .selectAll()
    .where(within(db, 'merge_requests.id', ids))
    .execute()
}

/** Locks the row of a merge request until the transaction ends. */
export async function holdMergeRequest(tx: Tx, id: number): Promise<MergeRequestRow | null> {
  const query = tx.selectFrom('merge_requests').selectAll().where('id', '=', id)
  return (await locked(tx, query).executeTakeFirst()) ?? null
}

/** @throws UniqueViolation of `merge_requests_branches_unique` when another open one has the same branches */
export async function insertMergeRequest(tx: Tx, row: Insertable<MergeRequestsTable>): Promise<MergeRequestRow> {
  const inserted = await tx.insertInto('merge_requests').values(row).returningAll().executeTakeFirstOrThrow()
  await insertSearched(tx, 'merge_requests', inserted)
  return inserted
}

/** Changes a merge request. @throws UniqueViolation as `insertMergeRequest`, when it is opened again or has another target */
export async function updateMergeRequest(
  tx: Tx,
  id: number,
  changes: Updateable<MergeRequestsTable>,
): Promise<MergeRequestRow> {
  const update = tx.updateTable('merge_requests').set(changes).where('id', '=', id)
  const row = await update.returningAll().executeTakeFirstOrThrow()
  const isOther = changes.title !== undefined || changes.description !== undefined
  if (isOther) await updateSearched(tx, 'merge_requests', id, row)
  return row
}

/** The open merge request of two branches. */
export async function openRequestOf(
  db: Reader,
  projectId: number,
  sourceBranch: string,
  targetBranch: string,
): Promise<MergeRequestRow | null> {
  const query = db
    .selectFrom('merge_requests')
    .selectAll()
    .where('project_id', '=', projectId)
    .where('source_branch', '=', sourceBranch)
    .where('target_branch', '=', targetBranch)
    .where('state', 'in', ['opened', 'locked'])
  return (await query.executeTakeFirst()) ?? null
}

/** The open merge requests of these source branches, oldest first. */
export async function openRequestsFrom(
  db: Reader,
  projectId: number,
  sourceBranches: readonly string[],
): Promise<MergeRequestRow[]> {
  if (sourceBranches.length === 0) return []
  return db
    .selectFrom('merge_requests')
    .selectAll()
    .where('project_id', '=', projectId)
    .where(within(db, 'source_branch', sourceBranches))
    .where('state', 'in', ['opened', 'locked'])
    .orderBy('id')
    .execute()
}

/** Whether an author has a merged request in a project. */
export async function hasMerged(db: Reader, projectId: number, authorId: number): Promise<boolean> {
  const query = db.selectFrom('merge_requests').select('id').where('author_id', '=', authorId)
  const merged = query.where('project_id', '=', projectId).where('state', '=', 'merged').limit(1)
  return (await merged.executeTakeFirst()) !== undefined
}

/** The merge requests with these numbers in their projects. */
export async function mergeRequestsByPlaces(
  db: Reader,
  places: readonly { projectId?: number; iid: number }[],
): Promise<MergeRequestRow[]> {
  const pairs = places.flatMap(({ projectId, iid }) => (projectId === undefined ? [] : [[projectId, iid] as const]))
  if (pairs.length === 0) return []
  const query = db.selectFrom('merge_requests').selectAll()
  return query.where(withinPairs(db, ['merge_requests.project_id', 'merge_requests.iid'], pairs)).execute()
}

/** The merged merge requests into a branch of which the merge or squash commit is one of these. */
export async function mergedWithCommits(
  db: Reader,
  { projectId, branch }: { projectId: number; branch: string },
  shas: readonly string[],
): Promise<number[]> {
  if (shas.length === 0) return []
  const merged = db
    .selectFrom('merge_requests')
    .select('id')
    .where('project_id', '=', projectId)
    .where('target_branch', '=', branch)
    .where('state', '=', 'merged')
  const by = async (column: 'merge_commit_sha' | 'squash_commit_sha') =>
    merged
      .where(column, 'is not', null)
      .where(within(db, column, shas))
      .execute()
  const found = [...(await by('merge_commit_sha')), ...(await by('squash_commit_sha'))]
  return [...new Set(found.map(({ id }) => id))]
}

/** Moves `updated_at` forward. */
export async function touchMergeRequest(tx: Tx, id: number, at: string): Promise<void> {
  await tx
    .updateTable('merge_requests')
    .set({ updated_at: at })
    .where('id', '=', id)
    .where('updated_at', '<', at)
    .execute()
}
