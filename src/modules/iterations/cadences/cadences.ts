import {
  blank,
  dayOf,
  notFound,
  type PageRequest,
  type Problems,
  refuse,
  textProblems,
  type Unmodified,
} from '../../../api/index.ts'
import { now, type Reader } from '../../../infra/database/index.ts'
import { type Platform, react } from '../../../platform/index.ts'
import type { Group } from '../../groups/index.ts'
import { holdIterations, lockIterationsOf } from '../core/store.ts'
import { extend, reschedule } from '../scheduling/schedule.ts'
import type { CadenceRow } from '../tables.ts'
import type { CadenceChanges, NewCadence } from './params.ts'
import { presentCadence } from './present.ts'
import * as store from './store.ts'
import { cadenceById } from './store.ts'

const longestTitle = 255

type Draft = Pick<CadenceRow, 'title' | 'automatic' | 'start_date' | 'duration_in_weeks' | 'iterations_in_advance'>

/** @throws ApiError 400, form C */
function requireValid(draft: Draft): void {
  const needed = ['start_date', 'duration_in_weeks', 'iterations_in_advance'] as const
  const schedule: Problems = Object.fromEntries(
    needed.map((name) => [name, draft.automatic && draft[name] === null ? [blank] : []]),
  )
  refuse({ title: textProblems(draft.title, longestTitle), ...schedule })
}

/** A page of the cadences of a group (contract 17, x.cadence_list). */
export async function listCadences({ database }: Platform, group: Group, page: PageRequest) {
  const found = await store.pageOfCadences(database.read, group.id, page)
  return { ...found, items: found.items.map(presentCadence) }
}

/** One cadence (contract 17, x.cadence_get). @throws ApiError 404 */
export async function getCadence({ database }: Platform, group: Group, id: number) {
  return presentCadence(await requireCadence(database.read, group, id))
}

/** Creates a cadence, and the iterations that its schedule demands (contract 17, x.cadence_create). @throws ApiError 400 */
export async function createCadence(platform: Platform, group: Group, given: NewCadence) {
  const { database, clock } = platform
  const draft = {
    ...{ title: given.title.trim(), description: given.description ?? null, automatic: given.automatic ?? true },
    start_date: given.start_date ?? null,
    duration_in_weeks: given.duration_in_weeks ?? null,
    iterations_in_advance: given.iterations_in_advance ?? null,
    ...{ roll_over: given.roll_over ?? false, active: given.active ?? true },
  }
  requireValid(draft)
  return database.write(async (tx) => {
    const at = now(clock)
    await lockIterationsOf(tx, group.id)
    const times = { created_at: at, updated_at: at }
    const row = await store.insertCadence(tx, { namespace_id: group.id, ...draft, ...times })
    await extend(tx, row, dayOf(clock.now()), at)
    return presentCadence(row)
  })
}

/** The members of a cadence that decide about the dates of its upcoming iterations. */
const plans = ({ automatic, start_date, duration_in_weeks }: CadenceRow) =>
  [automatic, start_date, duration_in_weeks].join()

/**
 * Changes a cadence. When the schedule changes, the upcoming iterations of an automatic cadence get new dates (contract 17,
 * x.cadence_update).
 * @throws ApiError 400, 404
 */
export async function updateCadence(platform: Platform, group: Group, id: number, given: CadenceChanges) {
  const { database, clock } = platform
  return database.write(async (tx) => {
    const [at, today] = [now(clock), dayOf(clock.now())]
    await lockIterationsOf(tx, group.id)
    const before = await requireCadence(tx, group, id)
    const title = given.title?.trim()
    const changes = Object.fromEntries(Object.entries({ ...given, title }).filter(([, value]) => value !== undefined))
    requireValid({ ...before, ...changes })
    const row = await store.updateCadence(tx, id, { ...changes, updated_at: at })
    if (plans(row) !== plans(before)) await reschedule(tx, row, today, at)
    await extend(tx, row, today, at)
    return presentCadence(row)
  })
}

/** Deletes a cadence with its iterations (contract 17, x.cadence_delete). @throws ApiError 404; 412 by `unmodified` */
export async function deleteCadence(platform: Platform, group: Group, id: number, unmodified: Unmodified) {
  await platform.database.write(async (tx) => {
    await lockIterationsOf(tx, group.id)
    const row = await requireCadence(tx, group, id)
    unmodified(row.updated_at)
    const iterationIds = await store.iterationIdsOf(tx, id)
    await holdIterations(tx, iterationIds)
    if (iterationIds.length > 0) await react(platform, tx, 'iterations.removed', { iterationIds })
    await store.deleteCadence(tx, id)
  })
}

/** A cadence of a group. @throws ApiError 404 */
export async function requireCadence(db: Reader, group: { id: number }, id: number): Promise<CadenceRow> {
  const row = await cadenceById(db, group.id, id)
  if (!row) throw notFound('Iteration Cadence')
  return row
}
