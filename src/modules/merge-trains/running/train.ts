import { ApiError } from '../../../api/index.ts'
import { now, type Tx } from '../../../infra/database/index.ts'
import { branchRef, type Oid, parseOid, RefConflict } from '../../../infra/git/index.ts'
import { RunLater } from '../../../infra/jobs/index.ts'
import type { Job, Platform } from '../../../platform/index.ts'
import { type OpenedRepository, openRepositoryForWriting } from '../../../platform/repositories/index.ts'
import { requireWorker } from '../../features/index.ts'
import {
  holdMergeRequest,
  merge,
  partiesOfWish,
  statusOf,
  upToDate,
  withoutPipelines,
} from '../../merge-requests/index.ts'
import { type ProjectRow, projectById } from '../../projects/index.ts'
import { carsOf, setMerging, updateCar } from '../store.ts'
import type { CarRow, Train } from '../tables.ts'
import { build, type OpenCar, startTest } from './building.ts'
import { findHindered, isGreen, type LoadedCar, loadCars, reasonOf } from './hindrances.ts'
import { leave, renewFrom } from './leaving.ts'
import { type TrainPayload, trainKind } from './queue.ts'

/** Cars of a train that are tested at once (contract 26 R3). */
export const mostTested = 20

/** When a merge is tried again that another change of the branch was in the way of, or that git has not finished to look at. */
const retryDelayMs = 1_000

/** The car was taken off, or is to be tested anew, while its merge was prepared. */
class CarChanged extends Error {}

/** A step of a train: whether something was done, after which it is looked at again. */
type Step = Promise<boolean>

async function tipOf({ repository }: OpenedRepository, branch: string): Promise<Oid | null> {
  const ref = branchRef(branch)
  return ref ? ((await repository.tips([ref]))[0] ?? null) : null
}

/** Puts a car back whose merge was interrupted. */
async function resume({ database, clock }: Platform, car: CarRow): Step {
  return database.write(async (tx) => {
    const row = await holdMergeRequest(tx, car.merge_request_id)
    if (row?.state !== 'opened') return false
    await updateCar(tx, car.id, { status: 'fresh', updated_at: now(clock) })
    return true
  })
}

/** What follows a merge that was refused. @throws RunLater when it may succeed soon */
async function afterRefusal(
  platform: Platform,
  opened: OpenedRepository,
  { car, row, wish }: OpenCar,
  error: ApiError,
) {
  if (error.cause instanceof RefConflict) throw new RunLater(retryDelayMs, { cause: error })
  // The branch was pushed to meanwhile: the car becomes stale.
  if ((await tipOf(opened, car.target_branch)) !== car.base_sha) return
  const parties = await partiesOfWish(platform, row, wish)
  const found = parties && {
    project: withoutPipelines(parties.found.project),
    row: await upToDate(platform, parties.found),
  }
  const status = found ? await statusOf(platform, found) : 'not_open'
  if (status === 'checking' || status === 'unchecked') throw new RunLater(retryDelayMs, { cause: error })
  await platform.database.write((tx) => leave(platform, tx, row.id, { reason: reasonOf(status) }))
}

/** Merges the first car: its target branch moves to the commit that was tested. */
async function mergeCar(platform: Platform, opened: OpenedRepository, one: OpenCar, base: Oid): Step {
  const { car, row, wish } = one
  const parties = await partiesOfWish(platform, row, wish)
  const commit = parseOid(car.commit_sha ?? '')
  if (!parties || !commit) return false
  const commits = {
    target: commit,
    mergeCommit: parseOid(car.merge_commit_sha ?? ''),
    squashCommit: parseOid(car.squash_commit_sha ?? ''),
  }
  const prepared = {
    ...{ base, commits },
    async claim(tx: Tx) {
      if (!(await setMerging(tx, car, now(platform.clock)))) throw new CarChanged()
    },
  }
  await merge(platform, parties.found, parties.actor, { sha: wish.sha }, prepared).catch(async (error: unknown) => {
    if (error instanceof CarChanged) return
    if (!(error instanceof ApiError)) throw error
    await afterRefusal(platform, opened, one, error)
  })
  return true
}

/** Does the next thing that a car needs which is to be merged into `base`. @returns null when it needs nothing */
async function stepOfCar(
  platform: Platform,
  project: ProjectRow,
  opened: OpenedRepository,
  one: LoadedCar,
  { base, isFirst }: { base: Oid; isFirst: boolean },
): Promise<boolean | null> {
  const { car, row } = one
  if (car.status === 'merging') return resume(platform, car)
  // It is being merged outside its turn.
  if (row.state !== 'opened' || !row.auto_merge) return false
  const open = { car, row, wish: row.auto_merge }
  const commit = parseOid(car.commit_sha ?? '')
  const isGone = car.status === 'fresh' && car.has_jobs && car.pipeline_id === null
  if (commit && (car.base_sha !== base || isGone)) await renewFrom(platform, car)
  else if (!commit) await build(platform, opened, open, base)
  else if (car.status !== 'fresh') await startTest(platform, opened, open, commit)
  else return isFirst && isGreen(one, project) ? mergeCar(platform, opened, open, base) : null
  return true
}

/** Does the next thing that a train needs. @returns false when it has to wait for something, or is empty */
async function step(platform: Platform, train: Train): Step {
  const { database } = platform
  const rows = await carsOf(database.read, train, mostTested)
  const project = rows.length === 0 ? null : await projectById(database.read, train.project_id)
  if (!project || project.pending_delete) return false
  const cars = await loadCars(platform, rows)
  const opened = await openRepositoryForWriting(platform, project)
  let base = await tipOf(opened, train.target_branch)
  const first = cars[0]?.car
  const hindered =
    base === null && first
      ? { car: first, reason: 'its target branch does not exist' }
      : await findHindered(platform, project, cars)
  if (hindered) {
    const { car, reason } = hindered
    return database.write((tx) => leave(platform, tx, car.merge_request_id, { reason }))
  }
  for (const one of cars) {
    if (!base) return false
    const done = await stepOfCar(platform, project, opened, one, { base, isFirst: one.car === first })
    if (done !== null) return done
    base = parseOid(one.car.commit_sha ?? '')
  }
  return false
}

/**
 * Moves a train on as far as it can go (contract 26 R3). Each step is decided by what is stored, and stored if nothing has changed
 * meanwhile, so the job may end at any point and run in several processes.
 */
export const trainJob: Job<TrainPayload> = {
  kind: trainKind,
  queue: 'merges',
  async run(platform, { projectId, targetBranch }, { signal }) {
    await requireWorker(platform, 'auto_merge_worker', { projectId })
    while (await step(platform, { project_id: projectId, target_branch: targetBranch })) signal.throwIfAborted()
  },
}
