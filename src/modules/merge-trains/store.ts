import { type RawBuilder, sql } from 'kysely'
import { type Page, type PageRequest, pageOfRows } from '../../api/index.ts'
import { locked, type Reader, rows, type Tx, unindexed } from '../../infra/database/index.ts'
import { anyWaitsForTrain } from '../merge-requests/index.ts'
import { type CarRow, type Train, trainCars } from './tables.ts'

export const { insert: insertCar, update: updateCar, remove: deleteCar } = rows(trainCars)

/** As the index of trains has it. */
const isOnTrain = sql<boolean>`merge_train_cars.status in ('idle', 'fresh', 'stale', 'merging')`

const ofTrain = (db: Reader, { project_id, target_branch }: Train) =>
  db
    .selectFrom('merge_train_cars')
    .where('project_id', '=', project_id)
    .where('target_branch', '=', target_branch)
    .where(isOnTrain)
    .orderBy('id')

/** The cars of a train, the first ones first. @param limit at most so many */
export function carsOf(db: Reader, train: Train, limit?: number): Promise<CarRow[]> {
  const all = ofTrain(db, train).selectAll()
  return (limit === undefined ? all : all.limit(limit)).execute()
}

/** Locks a car and those behind it until the transaction ends, in their order. */
export function holdCarsFrom(tx: Tx, car: Train & Pick<CarRow, 'id'>): Promise<CarRow[]> {
  return locked(tx, ofTrain(tx, car).selectAll().where('id', '>=', car.id)).execute()
}

/** The car of a merge request. */
export async function carOf(db: Reader, mergeRequestId: number): Promise<CarRow | null> {
  const query = db.selectFrom('merge_train_cars').selectAll().where('merge_request_id', '=', mergeRequestId)
  return (await query.executeTakeFirst()) ?? null
}

/** The car that a pipeline tests. */
export async function carOfPipeline(db: Reader, pipelineId: number): Promise<CarRow | null> {
  const query = db.selectFrom('merge_train_cars').selectAll().where('pipeline_id', '=', pipelineId)
  return (await query.limit(1).executeTakeFirst()) ?? null
}

/** The trains of a project, or of all. */
export function trains(db: Reader, projectId?: number): Promise<Train[]> {
  const all = db.selectFrom('merge_train_cars').select(['project_id', 'target_branch']).distinct().where(isOnTrain)
  return (projectId === undefined ? all : all.where('project_id', '=', projectId)).execute()
}

export type CarFilter = { scope?: 'active' | 'complete'; sort?: 'asc' | 'desc' }

/** A page of the cars of a project, or of one of its target branches, by id. */
export function pageOfCars(
  db: Reader,
  { projectId, targetBranch }: { projectId: number; targetBranch?: string | undefined },
  { scope, sort = 'desc' }: CarFilter,
  page: PageRequest,
): Promise<Page<CarRow>> {
  let query = db.selectFrom('merge_train_cars').selectAll().where('project_id', '=', projectId)
  if (targetBranch !== undefined) query = query.where('target_branch', '=', targetBranch)
  if (scope === 'active') query = query.where(isOnTrain).where('status', '<>', 'merging')
  if (scope === 'complete') {
    query = query.where(sql<boolean>`${unindexed(db, 'status')} in ('merging', 'merged', 'skip_merged')`)
  }
  return pageOfRows(db, query.orderBy('id', sort), page)
}

type Commits = Pick<CarRow, 'base_sha' | 'commit_sha' | 'merge_commit_sha' | 'squash_commit_sha'>

/** Stores the commit of a car that has none. @returns false when it has one, or has left */
export async function setCommit(tx: Tx, id: number, commits: Commits, at: string): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('merge_train_cars')
    .set({ ...commits, built_at: at, updated_at: at })
    .where('id', '=', id)
    .where('status', 'in', ['idle', 'stale'])
    .where('commit_sha', 'is', null)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Makes a car fresh whose commit has its pipeline, or needs none. @returns false when it has left, or has another commit or pipeline */
export async function setPipeline(
  tx: Tx,
  { id, commit_sha }: Pick<CarRow, 'id' | 'commit_sha'>,
  pipelineId: number | null,
  at: string,
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('merge_train_cars')
    .set({ status: 'fresh', pipeline_id: pipelineId, has_jobs: pipelineId !== null, updated_at: at })
    .where('id', '=', id)
    .where('commit_sha', '=', commit_sha)
    .where('status', 'in', ['idle', 'stale'])
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Begins the merge of a car that is fresh with the same commit. @returns false when it is not */
export async function setMerging(tx: Tx, { id, commit_sha }: Pick<CarRow, 'id' | 'commit_sha'>, at: string) {
  const { numUpdatedRows } = await tx
    .updateTable('merge_train_cars')
    .set({ status: 'merging', updated_at: at })
    .where('id', '=', id)
    .where('commit_sha', '=', commit_sha)
    .where('status', '=', 'fresh')
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Takes the commits of cars away, which have to be tested anew. A car that was never tested stays idle. */
export async function makeStale(tx: Tx, cars: readonly CarRow[], at: string): Promise<void> {
  for (const { id, status } of cars) {
    await updateCar(tx, id, {
      ...{ status: status === 'idle' ? 'idle' : 'stale', pipeline_id: null, has_jobs: true },
      ...{ base_sha: null, commit_sha: null, merge_commit_sha: null, squash_commit_sha: null },
      ...{ built_at: null, updated_at: at },
    })
  }
}

/** As a condition: whether there is a train, or something that waits to enter one. */
export const anyTrain = (): RawBuilder<boolean> =>
  sql<boolean>`(exists (select 1 from merge_train_cars where ${isOnTrain}) or ${anyWaitsForTrain()})`

/** Deletes cars that were merged before a time. */
export async function deleteMerged(tx: Tx, before: string): Promise<void> {
  await tx.deleteFrom('merge_train_cars').where('merged_at', '<', before).execute()
}

/** As a condition: whether a car was merged before a time. */
export const anyMergedBefore = (before: string): RawBuilder<boolean> =>
  sql<boolean>`exists (select 1 from merge_train_cars where merged_at < ${before})`

export async function hasCars(db: Reader, userId: number): Promise<boolean> {
  const query = db.selectFrom('merge_train_cars').select('id').where('user_id', '=', userId).limit(1)
  return (await query.executeTakeFirst()) !== undefined
}

export async function giveCarsTo(tx: Tx, from: number, to: number): Promise<void> {
  await tx.updateTable('merge_train_cars').set({ user_id: to }).where('user_id', '=', from).execute()
}
