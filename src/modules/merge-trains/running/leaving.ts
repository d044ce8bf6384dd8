import { now, type Tx } from '../../../infra/database/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { holdMergeRequest, issuableOf, updateMergeRequest } from '../../merge-requests/index.ts'
import { addSystemNote } from '../../notes/index.ts'
import { cancelPipeline } from '../../pipelines/index.ts'
import { carOf, deleteCar, holdCarsFrom, makeStale } from '../store.ts'
import type { CarRow } from '../tables.ts'
import { runTrain } from './queue.ts'

/** Why a car leaves, in the middle of a sentence; and who takes it off, unless that is the server. */
type Leaving = { reason?: string; userId?: number | null }

async function cancelTests(platform: Platform, tx: Tx, cars: readonly CarRow[]): Promise<void> {
  for (const { pipeline_id } of cars) if (pipeline_id !== null) await cancelPipeline(platform, tx, pipeline_id)
}

/** Has locked cars tested anew: what they were tested with is not merged, or not as it was. */
async function renew(platform: Platform, tx: Tx, cars: readonly CarRow[]): Promise<void> {
  const tested = cars.filter(({ commit_sha, status }) => commit_sha !== null && status !== 'merging')
  await makeStale(tx, tested, now(platform.clock))
  await cancelTests(platform, tx, tested)
}

/** Has a car and those behind it tested anew (contract 26 R3). */
export async function renewFrom(platform: Platform, car: CarRow): Promise<void> {
  await platform.database.write(async (tx) => renew(platform, tx, await holdCarsFrom(tx, car)))
}

/**
 * Takes a merge request off its train, with a system note; those behind it are tested anew (contract 26 R3). One that is being merged
 * stays.
 * @returns whether it has left
 */
export async function leave(
  platform: Platform,
  tx: Tx,
  mergeRequestId: number,
  { reason, userId }: Leaving,
): Promise<boolean> {
  const row = await holdMergeRequest(tx, mergeRequestId)
  const found = await carOf(tx, mergeRequestId)
  if (!row || row.state === 'locked' || !found) return false
  const [car, ...behind] = await holdCarsFrom(tx, found)
  if (car?.id !== found.id) return false
  await deleteCar(tx, car.id)
  if (row.auto_merge?.train) await updateMergeRequest(tx, row.id, { auto_merge: null })
  const body = `removed this merge request from the merge train of \`${car.target_branch}\``
  const origin = { userId: userId ?? car.user_id, at: now(platform.clock) }
  await addSystemNote(tx, issuableOf(row), reason === undefined ? body : `${body}: ${reason}`, origin)
  await renew(platform, tx, behind)
  await cancelTests(platform, tx, [car])
  await runTrain(platform, tx, car)
  return true
}
