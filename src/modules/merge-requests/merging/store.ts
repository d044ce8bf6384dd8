import { type RawBuilder, sql } from 'kysely'
import { jsonText, type Reader, type Tx } from '../../../infra/database/index.ts'
import type { MergeRequestRow, Merging } from '../tables.ts'

/**
 * Locks a merge request for its merge, if it is still open, not a draft, and its branches are those that were looked at.
 * @returns false when it is not: another merge, a push or a change was faster
 */
export async function startMerge(
  tx: Tx,
  row: Pick<MergeRequestRow, 'id' | 'sha' | 'target_branch'>,
  merging: Merging,
  shouldRemove: boolean | null,
): Promise<boolean> {
  const started = await tx
    .updateTable('merge_requests')
    .set({
      ...{ state: 'locked', merging: jsonText(merging), merge_error: null },
      ...(shouldRemove === null ? {} : { should_remove_source_branch: shouldRemove }),
    })
    .where('id', '=', row.id)
    .where('state', '=', 'opened')
    .where('draft', '=', false)
    .where('sha', '=', row.sha)
    .where('target_branch', '=', row.target_branch)
    .returning('id')
    .executeTakeFirst()
  return started !== undefined
}

/** Opens a merge request again whose merge has failed. */
export async function abandonMerge(tx: Tx, id: number, error: string): Promise<void> {
  await tx
    .updateTable('merge_requests')
    .set({ state: 'opened', merging: null, merge_error: error })
    .where('id', '=', id)
    .where('state', '=', 'locked')
    .execute()
}

/** Forgets the work that was left after a merge. */
export async function endMerge(tx: Tx, id: number): Promise<void> {
  await tx
    .updateTable('merge_requests')
    .set({ merging: null })
    .where('id', '=', id)
    .where('state', '=', 'merged')
    .execute()
}

/** Merge requests whose merge has begun and is not over, by id. */
export async function unfinishedMerges(db: Reader): Promise<MergeRequestRow[]> {
  return db.selectFrom('merge_requests').selectAll().where('merging', 'is not', null).orderBy('id').execute()
}

/** As a condition: whether merges have begun that are not over. */
export const anyIsMerging = () => sql<boolean>`exists (select 1 from merge_requests where merging is not null)`

/** As a condition, on PostgreSQL: whether processes other than this one have begun merges that are not over. */
export function othersAreMerging(process: string): RawBuilder<boolean> {
  return sql<boolean>`exists (
    select 1 from merge_requests where merging is not null and merging ->> 'process' is distinct from ${process})`
}

/** The oldest open requests into a branch. */
export async function openRequestsInto(
  db: Reader,
  projectId: number,
  branch: string,
  limit: number,
): Promise<MergeRequestRow[]> {
  return db
    .selectFrom('merge_requests')
    .selectAll()
    .where('project_id', '=', projectId)
    .where('target_branch', '=', branch)
    .where('state', '=', 'opened')
    .orderBy('id')
    .limit(limit)
    .execute()
}

/** The open requests with a head that are to be merged when its pipeline has succeeded. */
export async function autoMergesOf(db: Reader, projectId: number, sha: string): Promise<{ id: number }[]> {
  return db
    .selectFrom('merge_requests')
    .select('id')
    .where('project_id', '=', projectId)
    .where('sha', '=', sha)
    .where('state', '=', 'opened')
    .where('auto_merge', 'is not', null)
    .execute()
}

const isWaitingForTrain = sql<boolean>`auto_merge is not null and auto_merge ->> 'train' = 'waiting'`

/** The ids of the requests that wait to enter a merge train. */
export async function requestsWaitingForTrain(db: Reader): Promise<number[]> {
  const query = db.selectFrom('merge_requests').select('id').where(isWaitingForTrain).orderBy('id')
  return (await query.execute()).map(({ id }) => id)
}

/** As a condition: whether a request waits to enter a merge train. */
export const anyWaitsForTrain = () => sql<boolean>`exists (select 1 from merge_requests where ${isWaitingForTrain})`
