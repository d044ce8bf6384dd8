import type { Module } from '../../platform/index.ts'
import * as operations from './core/operations.ts'
import { trainJob } from './running/train.ts'
import { forgetMergedJob, watchJob } from './running/watch.ts'

export { followTrain } from './core/adding.ts'
export { mergeTrainsAdd, mergeTrainsGet, mergeTrainsList, mergeTrainsOfBranch } from './core/operations.ts'
export {
  endCar,
  followApprovals,
  followPipelinesOfTrains,
  followPushesToTrains,
  followSaved,
  leaveTrainOfCanceled,
  leaveTrainOfChanged,
  leaveTrainOfRemoved,
  moveCars,
} from './reactions.ts'

/** Merge trains: merge requests that are tested together and merged one after another (contract 26.3). */
export const mergeTrains: Module = {
  name: 'merge-trains',
  tags: { 'Merge trains': 'Merge requests that are tested together and merged one after another.' },
  operations: Object.values(operations),
  jobs: [trainJob, watchJob, forgetMergedJob],
}
