import { type Actor, conflict, forms, recordNotFound, type Static, Type } from '../../../api/index.ts'
import { claim, now } from '../../../infra/database/index.ts'
import type { Platform } from '../../../platform/index.ts'
import type { Epic } from '../core/access.ts'
import { createEpic } from '../core/epics.ts'
import { holdTrees, requireChild } from '../core/hierarchy.ts'
import { presentEpics } from '../core/load.ts'
import { epicPath, type PresentedEpic } from '../core/present.ts'
import { joinableEpic, readableEpics } from '../core/readable.ts'
import { childOrder, childrenOf, epicsByIds, takeFromParent, updateEpic } from '../core/store.ts'

/** A child epic as its creation shows it (contract 26.19, LinkedEpic). */
export const LinkedEpic = Type.Object(
  {
    id: forms.id,
    iid: forms.id,
    title: Type.String(),
    group_id: forms.id,
    parent_id: forms.nullableInteger,
    has_children: Type.Boolean(),
    has_issues: Type.Boolean(),
    reference: Type.String(),
    url: Type.String(),
    relation_url: Type.String(),
  },
  { title: 'LinkedEpic' },
)

/** These epics as they are shown in the list of one. */
async function shown(
  platform: Platform,
  { group }: Epic,
  ids: readonly number[],
  actor: Actor,
): Promise<PresentedEpic[]> {
  const rows = await epicsByIds(platform.database.read, ids)
  const found = ids.flatMap((id) => rows.get(id) ?? [])
  return presentEpics(platform, found, actor, { from: group.full_path })
}

/** The child epics that the caller can read, in their manual order (contract 26, x.epic_child_list). */
export async function listChildren(platform: Platform, epic: Epic, actor: Actor): Promise<PresentedEpic[]> {
  const { read: db } = platform.database
  const readable = await readableEpics(platform, db, await childrenOf(db, epic.id), actor)
  return presentEpics(platform, readable, actor, { from: epic.group.full_path })
}

async function one(platform: Platform, epic: Epic, id: number, actor: Actor): Promise<PresentedEpic> {
  const [presented] = await shown(platform, epic, [id], actor)
  if (!presented) throw recordNotFound()
  return presented
}

/** Makes an epic a child of another one; it leaves its former parent (contract 26, x.epic_child_add). @throws ApiError 404, 409, 422 */
export async function addChild(platform: Platform, epic: Epic, childId: number, actor: Actor): Promise<PresentedEpic> {
  await platform.database.write(async (tx) => {
    await holdTrees(tx)
    const found = await claim(tx, 'epics', async () => (await epicsByIds(tx, [childId])).get(childId))
    await joinableEpic(platform, tx, found, actor)
    await requireChild(tx, childId, epic.id)
    if (found?.parent_id === epic.id) throw conflict('Epic(s) already assigned')
    const relative_position = await childOrder.last(tx, epic.id)
    await updateEpic(tx, childId, { parent_id: epic.id, relative_position, updated_at: now(platform.clock) })
  })
  return one(platform, epic, childId, actor)
}

type NewChild = { title: string; confidential?: boolean }

/** Creates a child epic in the group of its parent (contract 26, x.epic_child_create). @throws ApiError 400, 422 */
export async function createChild(
  platform: Platform,
  epic: Epic,
  actor: Actor,
  { title, confidential = epic.confidential }: NewChild,
): Promise<Static<typeof LinkedEpic>> {
  const given = { title, confidential, parent_id: epic.id }
  const made = await createEpic(platform, epic.group, actor, given, async (tx) => {
    await holdTrees(tx)
    await requireChild(tx, null, epic.id)
  })
  const { id, iid, group_id, parent_id, web_url: url, references } = made
  return {
    ...{ id, iid, title, group_id, parent_id, has_children: false, has_issues: false },
    ...{ reference: references.short, url, relation_url: `${platform.externalUrl}${epicPath(epic)}/links/${id}` },
  }
}

/** A child epic that the caller can read. @throws ApiError 404 */
async function requireReadableChild(platform: Platform, epic: Epic, id: number, actor: Actor): Promise<void> {
  const { read: db } = platform.database
  const [found] = await readableEpics(platform, db, [...(await epicsByIds(db, [id])).values()], actor)
  if (found?.parent_id !== epic.id) throw recordNotFound()
}

/** Where a child goes: directly after one of its siblings, or before another one. */
type Places = { move_after_id?: number; move_before_id?: number }

/** Changes the order of the child epics (contract 26, x.epic_child_reorder). @throws ApiError 404 */
export async function moveChild(
  platform: Platform,
  epic: Epic,
  id: number,
  { move_after_id: after, move_before_id: before }: Places,
  actor: Actor,
): Promise<PresentedEpic[]> {
  for (const one of [id, after, before]) {
    if (one !== undefined) await requireReadableChild(platform, epic, one, actor)
  }
  await platform.database.write(async (tx) => {
    const moved = { id, epicId: epic.id }
    const [target, side] = after === undefined ? ([before, 'before'] as const) : ([after, 'after'] as const)
    if (target === undefined || target === id) return
    await holdTrees(tx)
    if (!(await childOrder.moveBeside(tx, moved, target, side))) throw recordNotFound()
  })
  return listChildren(platform, epic, actor)
}

/** Takes a child epic away from its parent (contract 26, x.epic_child_remove). @throws ApiError 404 */
export async function removeChild(platform: Platform, epic: Epic, id: number, actor: Actor): Promise<PresentedEpic> {
  await requireReadableChild(platform, epic, id, actor)
  const isTaken = await platform.database.write((tx) => takeFromParent(tx, id, epic.id, now(platform.clock)))
  if (!isTaken) throw recordNotFound()
  return one(platform, epic, id, actor)
}
