import { type Actor, dayOf, type PageRequest, recordNotFound, type Unmodified } from '../../api/index.ts'
import { isUniqueViolation, now, type Reader, type Tx } from '../../infra/database/index.ts'
import { type Platform, react } from '../../platform/index.ts'
import { nextInternalId } from '../../platform/internal-ids/index.ts'
import { heldGroup } from '../groups/index.ts'
import { callerOf, heldInTree, type ProjectOrGroup, type ProjectOrGroupRef } from '../projects/index.ts'
import type { MilestoneChanges, MilestoneFilter, NewMilestone } from './params.ts'
import { Milestone, type PresentedMilestone } from './present.ts'
import { pageOfFoundMilestones, pageOfMilestones, type SearchedMilestones } from './store/lists.ts'
import * as store from './store/milestones.ts'
import type { MilestoneRow } from './tables.ts'
import { dayIn, type MilestoneDraft, milestoneFailure, problemsOf, titleUsed } from './validation.ts'

/** A milestone of the project or group itself. @throws ApiError 404 */
export async function requireMilestone(db: Reader, parent: ProjectOrGroupRef, id: number): Promise<MilestoneRow> {
  const row = await store.ownMilestone(db, parent, id)
  if (!row) throw recordNotFound()
  return row
}

/** A page of the milestones of a project or group (contract 17, x.milestone_list, x.group_milestone_list). */
export async function listMilestones(
  platform: Platform,
  parent: ProjectOrGroup,
  actor: Actor,
  filter: MilestoneFilter,
  page: PageRequest,
) {
  const { database, clock } = platform
  const looksBelow = parent.kind === 'group' && filter.include_descendants
  const caller = looksBelow ? await callerOf(database.read, actor, dayOf(clock.now())) : null
  const found = await pageOfMilestones(database.read, parent, filter, caller, page)
  return { ...found, items: found.items.map((row) => Milestone.present(row, platform)) }
}

/** A page of the milestones with some words that the caller may read (contract 25, x.search). */
export async function searchMilestones(
  platform: Platform,
  actor: Actor,
  place: SearchedMilestones,
  wanted: { terms: readonly string[]; sort: 'asc' | 'desc' },
  page: PageRequest,
) {
  const { read } = platform.database
  const caller = await callerOf(read, actor, dayOf(platform.clock.now()))
  const found = await pageOfFoundMilestones(read, place, wanted, caller, page)
  return { ...found, items: found.items.map((row) => Milestone.present(row, platform)) }
}

/** One milestone (contract 17, x.milestone_get). @throws ApiError 404 */
export async function getMilestone(
  platform: Platform,
  parent: ProjectOrGroup,
  id: number,
): Promise<PresentedMilestone> {
  return Milestone.present(await requireMilestone(platform.database.read, parent, id), platform)
}

async function presentStored(platform: Platform, tx: Tx, parent: ProjectOrGroup, id: number) {
  return Milestone.present(await requireMilestone(tx, parent, id), platform)
}

/**
 * Locks the tree of a project or group: a title is unique in it, which no index can enforce.
 * @returns the project or group with its namespace under the lock
 * @throws ApiError 404 when it was deleted meanwhile
 */
export async function heldTreeOf(tx: Tx, { kind, id, namespaceId }: ProjectOrGroupRef): Promise<ProjectOrGroupRef> {
  if (kind === 'group') return { kind, id, namespaceId: (await heldGroup(tx, id)).id }
  const { row } = await heldInTree(tx, { id, namespace_id: namespaceId })
  return { kind, id, namespaceId: row.namespace_id }
}

type Verb = 'create' | 'update'

/** @throws ApiError 400 when a milestone above, beside or below has the title */
async function requireFreeTitle(tx: Tx, parent: ProjectOrGroup, verb: Verb, title: string, exceptId?: number) {
  const held = await heldTreeOf(tx, parent)
  if (await store.isTitleUsed(tx, held, title, exceptId)) throw milestoneFailure(verb, { title: [titleUsed] })
}

/** @throws ApiError 400 */
function requireValid(verb: Verb, draft: MilestoneDraft): void {
  const problems = problemsOf(draft)
  if (Object.keys(problems).length > 0) throw milestoneFailure(verb, problems)
}

const asTaken = (verb: Verb) => (error: unknown) => {
  throw isUniqueViolation(error) ? milestoneFailure(verb, { title: [titleUsed] }) : error
}

/** Creates a milestone (contract 17, x.milestone_create). @throws ApiError 400 */
export async function createMilestone(platform: Platform, parent: ProjectOrGroup, given: NewMilestone) {
  const { database, clock } = platform
  const draft = {
    title: given.title.trim(),
    start_date: dayIn('start_date', given.start_date) ?? null,
    due_date: dayIn('due_date', given.due_date) ?? null,
  }
  requireValid('create', draft)
  const columns = { project_id: parent.project?.id ?? null, namespace_id: parent.group?.id ?? null }
  const scope = parent.kind === 'project' ? { projectId: parent.id } : { namespaceId: parent.id }
  return database
    .write(async (tx) => {
      await requireFreeTitle(tx, parent, 'create', draft.title)
      const iid = await nextInternalId(tx, scope, 'milestones')
      const moment = now(clock)
      const times = { created_at: moment, updated_at: moment }
      const row = { ...columns, ...draft, iid, description: given.description ?? null, ...times }
      const milestoneId = await store.insertMilestone(tx, row)
      await react(platform, tx, 'milestone.changed', { milestoneId, ...placeOf(parent), action: 'create' })
      return presentStored(platform, tx, parent, milestoneId)
    })
    .catch(asTaken('create'))
}

/** Where the events of a milestone happen. */
const placeOf = ({ project, group }: ProjectOrGroup) => ({
  projectId: project?.id ?? null,
  groupId: group?.id ?? null,
})

const states = { close: 'closed', activate: 'active' } as const

/** The members that a request changes; nothing for those that have the value already. */
function changedMembers(row: MilestoneRow, given: MilestoneChanges): Partial<MilestoneRow> {
  const wanted = {
    title: given.title?.trim(),
    description: given.description,
    start_date: dayIn('start_date', given.start_date),
    due_date: dayIn('due_date', given.due_date),
    state: given.state_event && states[given.state_event],
  }
  const changed = Object.entries(wanted).filter(
    ([name, value]) => value !== undefined && value !== row[name as keyof typeof wanted],
  )
  return Object.fromEntries(changed)
}

/** Changes, closes or activates a milestone (contract 17, x.milestone_update). @throws ApiError 400, 404 */
export async function updateMilestone(platform: Platform, parent: ProjectOrGroup, id: number, given: MilestoneChanges) {
  const { database, clock } = platform
  return database
    .write(async (tx) => {
      const row = await requireMilestone(tx, parent, id)
      const changes = changedMembers(row, given)
      requireValid('update', { ...row, ...changes })
      if (changes.title !== undefined) await requireFreeTitle(tx, parent, 'update', changes.title, id)
      if (Object.keys(changes).length > 0) await store.updateMilestone(tx, id, { ...changes, updated_at: now(clock) })
      const action = changes.state && (changes.state === 'closed' ? 'close' : 'reopen')
      if (action) await react(platform, tx, 'milestone.changed', { milestoneId: id, ...placeOf(parent), action })
      return presentStored(platform, tx, parent, id)
    })
    .catch(asTaken('update'))
}

/** Deletes a milestone (contract 17, x.milestone_delete). @throws ApiError 404; 412 by `unmodified` */
export async function deleteMilestone(platform: Platform, parent: ProjectOrGroup, id: number, unmodified: Unmodified) {
  await platform.database.write(async (tx) => {
    const row = await requireMilestone(tx, parent, id)
    unmodified(row.updated_at)
    if ((await store.holdMilestones(tx, [row.id])).length === 0) throw recordNotFound()
    await react(platform, tx, 'milestone.removed', { milestoneId: row.id, ...placeOf(parent) })
    await store.deleteMilestones(tx, [row.id])
  })
}
