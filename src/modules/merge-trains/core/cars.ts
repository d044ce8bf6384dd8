import { type Actor, notFound, type PageRequest, recordNotFound } from '../../../api/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { mergeRequestByIid } from '../../merge-requests/index.ts'
import type { Project } from '../../projects/index.ts'
import * as store from '../store.ts'
import { Car } from './present.ts'

/** A page of the cars of a project, or of one of its target branches (contract 26, x.merge_train_list, x.merge_train_branch). */
export async function listCars(
  platform: Platform,
  project: Project,
  reader: Actor,
  { target_branch, ...filter }: store.CarFilter & { target_branch?: string },
  page: PageRequest,
) {
  const place = { projectId: project.id, targetBranch: target_branch }
  const found = await store.pageOfCars(platform.database.read, place, filter, page)
  return { ...found, items: await Car.presentAll(found.items, { platform, project, reader }) }
}

/** The car of a merge request (contract 26, x.merge_train_get). @throws ApiError 404 */
export async function getCar(platform: Platform, project: Project, reader: Actor, iid: number) {
  const db = platform.database.read
  const row = await mergeRequestByIid(db, project.id, iid)
  if (!row) throw recordNotFound()
  const car = await store.carOf(db, row.id)
  if (!car) throw notFound('Merge Train Merge Request')
  return Car.presentOne(car, { platform, project, reader })
}

/** The cars of a train as they are shown, the first one first. */
export async function presentTrain(platform: Platform, project: Project, reader: Actor, target_branch: string) {
  const cars = await store.carsOf(platform.database.read, { project_id: project.id, target_branch })
  return Car.presentAll(cars, { platform, project, reader })
}
