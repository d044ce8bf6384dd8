import {
  type Actor,
  dayOf,
  failure,
  isAdministrator,
  lengthProblems,
  notFound,
  type PageRequest,
  type Problems,
  refuse,
  type Unmodified,
} from '../../../api/index.ts'
import { now, type Tx } from '../../../infra/database/index.ts'
import { type Platform, react } from '../../../platform/index.ts'
import { role } from '../../access/index.ts'
import type { Group } from '../../groups/index.ts'
import type { ProjectOrGroup } from '../../projects/index.ts'
import { requireCadence } from '../cadences/cadences.ts'
import { cadenceById, insertCadence, oldestManualCadence } from '../cadences/store.ts'
import type { CadenceRow, IterationRow } from '../tables.ts'
import type { IterationChanges, IterationFilter, NewIteration } from './params.ts'
import { Iteration, type PresentedIteration } from './present.ts'
import * as store from './store.ts'

const longestTitle = 255
const isReversed = 'must be greater than start date'
const overlapping = 'Dates cannot overlap with other existing Iterations within this iterations cadence'
const notManual = 'Iterations cannot be manually added to cadences that use automatic scheduling'
const fixedDates = 'Dates cannot be changed in cadences that use automatic scheduling'
const stays = "upcoming/current iterations can't be deleted unless they are the last one in the cadence"

/** Whether the caller has a role in the group of a project, and so in the groups below it. */
function hasGroupRole(parent: ProjectOrGroup, actor: Actor): boolean {
  const level = parent.project ? (parent.project.role.groupLevel ?? 0) : parent.level
  return isAdministrator(actor) || level >= role.guest
}

/** A page of the iterations of a group, or of the group of a project (contract 17, x.iteration_list, x.group_iteration_list). */
export async function listIterations(
  platform: Platform,
  parent: ProjectOrGroup,
  actor: Actor,
  filter: IterationFilter,
  page: PageRequest,
) {
  const { database, clock } = platform
  const include_descendants = filter.include_descendants === true && hasGroupRole(parent, actor)
  const wanted = { ...filter, include_descendants }
  const found = await store.pageOfIterations(database.read, parent.namespaceId, wanted, dayOf(clock.now()), page)
  return { ...found, items: found.items.map((row) => Iteration.present(row, platform)) }
}

const iterationNotFound = () => notFound('Iteration')

/** An iteration of a group or of a group above it (contract 17, x.iteration_get). @throws ApiError 404 */
export async function getIteration(platform: Platform, group: Group, id: number): Promise<PresentedIteration> {
  const row = await store.usableIteration(platform.database.read, group.id, id)
  if (!row) throw iterationNotFound()
  return Iteration.present(row, platform)
}

async function requireOwn(tx: Tx, group: Group, id: number): Promise<IterationRow> {
  const row = await store.ownIteration(tx, group.id, id)
  if (!row) throw iterationNotFound()
  return row
}

/** What is wrong with the title and the dates of an iteration, by field. */
async function problemsOf(
  tx: Tx,
  cadence: CadenceRow,
  draft: Pick<IterationRow, 'title' | 'start_date' | 'due_date'>,
  exceptId?: number,
): Promise<Problems> {
  const reversed = draft.due_date < draft.start_date
  const taken = !reversed && (await store.overlaps(tx, cadence.id, draft, exceptId))
  return {
    title: lengthProblems(draft.title ?? '', longestTitle),
    due_date: reversed ? [isReversed] : [],
    base: taken ? [overlapping] : [],
  }
}

/** The cadence that a request names, or the oldest manual one of the group, which is created when there is none. */
async function cadenceFor(tx: Tx, group: Group, id: number | undefined, at: string): Promise<CadenceRow> {
  if (id !== undefined) return requireCadence(tx, group, id)
  const existing = await oldestManualCadence(tx, group.id)
  const times = { created_at: at, updated_at: at }
  const manual = { automatic: false, roll_over: false, active: true }
  return (
    existing ?? insertCadence(tx, { namespace_id: group.id, title: `${group.name} Iterations`, ...manual, ...times })
  )
}

const titleOf = (text: string | null | undefined) => text?.trim() || null

/** Creates an iteration in a manual cadence (contract 17, x.iteration_create). @throws ApiError 400, 404 */
export async function createIteration(platform: Platform, group: Group, given: NewIteration) {
  const { database, clock } = platform
  const { start_date, due_date, description = null, iteration_cadence_id: cadenceId } = given
  const draft = { title: titleOf(given.title), start_date, due_date }
  return database.write(async (tx) => {
    await store.lockIterationsOf(tx, group.id)
    const at = now(clock)
    const cadence = await cadenceFor(tx, group, cadenceId, at)
    const problems = await problemsOf(tx, cadence, draft)
    refuse(cadence.automatic ? { ...problems, base: [], iterations_cadence: [notManual] } : problems)
    const belonging = { namespace_id: group.id, cadence_id: cadence.id }
    const times = { closed: due_date < dayOf(clock.now()), created_at: at, updated_at: at }
    const id = await store.insertIteration(tx, { ...belonging, ...draft, description, ...times })
    await store.numberSequence(tx, cadence.id)
    return Iteration.present(await requireOwn(tx, group, id), platform)
  })
}

/** Changes an iteration (contract 17, x.iteration_update). @throws ApiError 400, 404 */
export async function updateIteration(platform: Platform, group: Group, id: number, given: IterationChanges) {
  const { database, clock } = platform
  return database.write(async (tx) => {
    await store.lockIterationsOf(tx, group.id)
    const row = await requireOwn(tx, group, id)
    const cadence = await requireCadence(tx, group, row.cadence_id)
    const draft = {
      title: given.title === undefined ? row.title : titleOf(given.title),
      description: given.description === undefined ? row.description : given.description,
      start_date: given.start_date ?? row.start_date,
      due_date: given.due_date ?? row.due_date,
    }
    const moves = draft.start_date !== row.start_date || draft.due_date !== row.due_date
    const problems = await problemsOf(tx, cadence, draft, id)
    refuse(cadence.automatic && moves ? { ...problems, base: [], iterations_cadence: [fixedDates] } : problems)
    // The end of an iteration that is open again has not been handled yet.
    const closed = row.closed && draft.due_date < dayOf(clock.now())
    await store.updateIteration(tx, id, { ...draft, closed, updated_at: now(clock) })
    if (moves) await store.numberSequence(tx, cadence.id)
    return Iteration.present(await requireOwn(tx, group, id), platform)
  })
}

/** @throws ApiError 400 for all but the last upcoming iteration of an automatic cadence */
async function requireDeletable(tx: Tx, row: IterationRow, today: string): Promise<void> {
  const cadence = await cadenceById(tx, row.namespace_id, row.cadence_id)
  if (!cadence?.automatic) return
  const isUpcoming = row.start_date > today
  if (!isUpcoming || (await store.hasLater(tx, row.cadence_id, row.start_date))) throw failure(400, stays)
}

/** Deletes an iteration (contract 17, x.iteration_delete). @throws ApiError 400, 404; 412 by `unmodified` */
export async function deleteIteration(platform: Platform, group: Group, id: number, unmodified: Unmodified) {
  const { database, clock } = platform
  await database.write(async (tx) => {
    await store.lockIterationsOf(tx, group.id)
    const row = await requireOwn(tx, group, id)
    unmodified(row.updated_at)
    await requireDeletable(tx, row, dayOf(clock.now()))
    await store.holdIterations(tx, [id])
    await react(platform, tx, 'iterations.removed', { iterationIds: [id] })
    await store.deleteIteration(tx, id)
    await store.numberSequence(tx, row.cadence_id)
  })
}
