import {
  type ItemOf,
  mergeTrainsAdd,
  mergeTrainsGet,
  mergeTrainsList,
  mergeTrainsOfBranch,
} from '../../../../operations.ts'
import type { Visit } from '../../../../page.ts'
import type { ReadRequest } from '../read.ts'

export type Car = ItemOf<typeof mergeTrainsList>

/** The merge train of a merge request. */
export type ReadTrain = {
  /** Null for one that is on none. */
  car: Car | null
  /** Whether it is on its train now. */
  isOn: boolean
  /** Which of how many it is; null where that is not known. */
  place: { position: number; of: number } | null
  mayAdd: boolean
}

const noTrain: ReadTrain = { car: null, isOn: false, place: null, mayAdd: false }

/** What is on a train as it is shown here; longer ones are cut. */
const mostShown = 100

/** Which number of a train a car is. */
async function placeOf(visit: Visit, { id, target_branch }: Car): Promise<ReadTrain['place']> {
  const call = { id: visit.project.id, target_branch, scope: 'active', sort: 'asc', per_page: mostShown } as const
  const items = (await visit.find(mergeTrainsOfBranch, call))?.items ?? []
  const index = items.findIndex((one) => one.id === id)
  return index < 0 ? null : { position: index + 1, of: items.length }
}

/** Reads the train of a merge request, in projects that have trains. */
export async function readTrain(visit: Visit, { request, call }: ReadRequest): Promise<ReadTrain> {
  if (request.state === 'closed' || !(await visit.may(mergeTrainsList, { id: call.id }))) return noTrain
  const [car, mayAdd] = await Promise.all([visit.find(mergeTrainsGet, call), visit.may(mergeTrainsAdd, call)])
  const isOn = car !== null && ['idle', 'fresh', 'stale', 'merging'].includes(car.status)
  return { car, isOn, place: car && isOn ? await placeOf(visit, car) : null, mayAdd }
}
