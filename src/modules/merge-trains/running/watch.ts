import type { Job, Platform } from '../../../platform/index.ts'
import { mergeIfMarked, requestsWaitingForTrain } from '../../merge-requests/index.ts'
import * as store from '../store.ts'
import { runTrain } from './queue.ts'

/**
 * Has all trains looked at, and what waits to enter one: what they depend on may change without an event, such as a role that ends or a
 * thread that is resolved.
 */
export const watchJob: Job<null> = {
  kind: 'merge_trains.watch',
  every: { seconds: 60 },
  when: store.anyTrain,
  async run(platform) {
    const { database } = platform
    const [trains, waiting] = await Promise.all([store.trains(database.read), requestsWaitingForTrain(database.read)])
    for (const train of trains) await database.write((tx) => runTrain(platform, tx, train))
    for (const id of waiting) await database.write((tx) => mergeIfMarked(platform, tx, id))
  },
}

/** Cars stay so long after their merge (contract 26 R3). */
const keptMs = 90 * 86_400_000

const keptSince = ({ clock }: Platform) => new Date(clock.now().getTime() - keptMs).toISOString()

/** Deletes the cars of merges that are long past. */
export const forgetMergedJob: Job<null> = {
  kind: 'merge_trains.forget',
  every: { seconds: 3_600 },
  when: (platform) => store.anyMergedBefore(keptSince(platform)),
  run: (platform) => platform.database.write((tx) => store.deleteMerged(tx, keptSince(platform))),
}
