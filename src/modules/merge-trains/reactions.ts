import { now, type Tx } from '../../infra/database/index.ts'
import type { Events, Platform, Reaction } from '../../platform/index.ts'
import { repositoryById } from '../../platform/repositories/index.ts'
import { isUnfinished, mergeIfMarked, mergeRequestById } from '../merge-requests/index.ts'
import { cancelPipeline, pipelineById } from '../pipelines/index.ts'
import { ghostUserId } from '../users/index.ts'
import { leave } from './running/leaving.ts'
import { runTrain } from './running/queue.ts'
import * as store from './store.ts'

/** Has a merge request looked at that is on a merge train, or waits to enter one. */
async function lookAgain(platform: Platform, tx: Tx, mergeRequestId: number): Promise<void> {
  const row = await mergeRequestById(tx, mergeRequestId)
  if (row?.auto_merge?.train) await mergeIfMarked(platform, tx, mergeRequestId)
}

type Approved = Events['merge_request.approved'] | Events['merge_request.unapproved']

/** Approvals were given or taken back. */
export const followApprovals: Reaction<Approved> = (platform, tx, { mergeRequestId }) =>
  lookAgain(platform, tx, mergeRequestId)

/** A merge request was changed: a closed one leaves its train. */
export const followSaved: Reaction<Events['merge_request.saved']> = async (platform, tx, saved) => {
  const { mergeRequestId, userId, action } = saved
  if (action === 'close') await leave(platform, tx, mergeRequestId, { reason: 'it was closed', userId })
  else await lookAgain(platform, tx, mergeRequestId)
}

/** A merge request with other commits or another target branch leaves its train. */
export const leaveTrainOfChanged: Reaction<Events['merge_request.changed']> = async (platform, tx, changed) => {
  const { mergeRequestId, userId, sha, previousSha } = changed
  if (previousSha === null) return
  const reason = sha === previousSha ? 'its target branch was changed' : 'its source branch was pushed to'
  await leave(platform, tx, mergeRequestId, { reason, userId })
}

/** A user has taken a merge request off its train. */
export const leaveTrainOfCanceled: Reaction<Events['merge_request.auto_merge_canceled']> = async (
  platform,
  tx,
  { mergeRequestId, userId },
) => {
  await leave(platform, tx, mergeRequestId, { userId })
}

/** A merge request is deleted. */
export const leaveTrainOfRemoved: Reaction<Events['merge_request.removing']> = async (
  platform,
  tx,
  { mergeRequestId },
) => {
  await leave(platform, tx, mergeRequestId, { reason: 'it was deleted' })
}

/** Ends the car of a merged request: by its train, or outside its turn. */
export const endCar: Reaction<Events['merge_request.merged']> = async (platform, tx, merged) => {
  const { mergeRequestId } = merged
  const car = await store.carOf(tx, mergeRequestId)
  if (!car) return
  const row = await mergeRequestById(tx, mergeRequestId)
  const isByTrain = car.commit_sha !== null && row?.merging?.target === car.commit_sha
  const at = now(platform.clock)
  const status = isByTrain ? 'merged' : 'skip_merged'
  await store.updateCar(tx, car.id, { status, merged_at: at, updated_at: at })
  if (!isByTrain && car.pipeline_id !== null) await cancelPipeline(platform, tx, car.pipeline_id)
  await runTrain(platform, tx, car)
}

/** The pipeline of a car has ended. */
export const followPipelinesOfTrains: Reaction<Events['pipeline.changed']> = async (platform, tx, { pipelineId }) => {
  const car = await store.carOfPipeline(tx, pipelineId)
  if (!car || car.merged_at !== null) return
  const pipeline = await pipelineById(tx, pipelineId)
  if (pipeline && !isUnfinished(pipeline)) await runTrain(platform, tx, car)
}

/** Branches of a project have moved, of which trains may depend. */
export const followPushesToTrains: Reaction<Events['refs.pushed']> = async (platform, tx, { repositoryId }) => {
  const repository = await repositoryById(tx, repositoryId)
  if (repository?.kind !== 'project' || repository.project_id === null) return
  for (const train of await store.trains(tx, repository.project_id)) await runTrain(platform, tx, train)
}

/** Gives the cars of a removed user to the ghost user. */
export const moveCars: Reaction<Events['user.removed']> = async (platform, tx, { userId }) => {
  if (await store.hasCars(tx, userId)) await store.giveCarsTo(tx, userId, await ghostUserId(platform, tx))
}
