import { type Actor, dayOf, failure, forbidden, type ParamValues, t, type Unmodified } from '../../../api/index.ts'
import { now, type Tx } from '../../../infra/database/index.ts'
import type { Act, Platform } from '../../../platform/index.ts'
import {
  ancestorsOf,
  freeDeletionSuffix,
  holdTree,
  isPathTaken,
  moveNamespace,
  type NamespaceRow,
  namespaceById,
  refreshMarks,
  updateNamespace,
  withoutDeletionSuffix,
} from '../../namespaces/index.ts'
import { type Group, heldGroup } from '../access.ts'
import { groupDetailOf } from '../core/detail.ts'
import type { PresentedGroupDetail } from '../core/present.ts'
import { isNameTaken } from '../core/store.ts'
import { removeSoon } from './removal.ts'

export const groupDeletion = {
  permanently_remove: t.boolean({ description: 'Remove a marked subgroup at once' }),
  full_path: t.string({ description: 'Full path of the subgroup; needed to remove it at once' }),
}
type GroupDeletion = ParamValues<typeof groupDeletion>

async function parentOf(tx: Tx, row: NamespaceRow): Promise<NamespaceRow | null> {
  return row.parent_id === null ? null : namespaceById(tx, row.parent_id)
}

/** Appends a suffix to path and name, and marks everything below. */
async function mark(platform: Platform, tx: Tx, row: NamespaceRow): Promise<void> {
  const parent = await parentOf(tx, row)
  const suffix = await freeDeletionSuffix(row.id, async (suffix) => {
    const pathTaken = await isPathTaken(tx, `${row.full_path}${suffix}`)
    return !pathTaken && !(await isNameTaken(tx, row.parent_id, `${row.name}${suffix}`))
  })
  await moveNamespace(platform, tx, row, { name: `${row.name}${suffix}`, path: `${row.path}${suffix}`, parent })
  const marks = { original_path: row.path, marked_for_deletion_on: dayOf(platform.clock.now()) }
  await updateNamespace(tx, row.id, marks, now(platform.clock))
  await refreshMarks(platform, tx, row.id)
}

/** Gives a group its former name and path back, each unless it is taken. */
async function unmark(platform: Platform, tx: Tx, row: NamespaceRow): Promise<NamespaceRow> {
  const parent = await parentOf(tx, row)
  const path = row.original_path ?? row.path
  const name = withoutDeletionSuffix(row.name, row.id)
  const pathTaken = await isPathTaken(tx, parent ? `${parent.full_path}/${path}` : path)
  const nameTaken = await isNameTaken(tx, row.parent_id, name, row.id)
  const restored = { path: pathTaken ? row.path : path, name: nameTaken ? row.name : name, parent }
  await moveNamespace(platform, tx, row, restored)
  const unmarked = { original_path: null, marked_for_deletion_on: null }
  await updateNamespace(tx, row.id, unmarked, now(platform.clock))
  await refreshMarks(platform, tx, row.id)
  return (await namespaceById(tx, row.id)) as NamespaceRow
}

/** Marks a group for deletion, or removes a marked one (contract 21 R6, x.groups_delete). @throws ApiError 400; 412 by `unmodified` */
export async function deleteGroup(
  platform: Platform,
  group: Group,
  params: GroupDeletion,
  { unmodified, act }: { unmodified: Unmodified; act: Act },
): Promise<void> {
  const { deletion_adjourned_period: days } = await platform.settings.current()
  await platform.database.write(async (tx) => {
    const row = await heldGroup(tx, group.id)
    unmodified(row.updated_at)
    if (params.permanently_remove) {
      await requireRemovable(tx, row, params.full_path)
      await act(tx)
      await removeSoon(platform, tx, row.id)
      return
    }
    if (row.original_path !== null) throw failure(400, 'Group has been already marked for deletion')
    await act(tx)
    await mark(platform, tx, row)
    if (days === 0) await removeSoon(platform, tx, row.id)
  })
}

/** Removes a group without a delay, marked or not; does nothing when it is gone. */
export async function removeGroup(platform: Platform, groupId: number): Promise<void> {
  await platform.database.write(async (tx) => {
    const row = await holdTree(tx, groupId)
    if (row?.kind !== 'group' || row.pending_delete) return
    if (row.original_path === null) await mark(platform, tx, row)
    await removeSoon(platform, tx, groupId)
  })
}

/** Undoes the marking of a group (x.groups_restore). @throws ApiError 400 when the group itself was not marked */
export async function restoreGroup(platform: Platform, actor: Actor, group: Group): Promise<PresentedGroupDetail> {
  if (actor.kind !== 'user') throw forbidden()
  const row = await platform.database.write(async (tx) => {
    const current = await heldGroup(tx, group.id)
    if (current.original_path === null) throw failure(400, 'Group has not been marked for deletion')
    return unmark(platform, tx, current)
  })
  return groupDetailOf(platform, actor, row)
}

/**
 * Checks that a group can be removed without a delay. The request confirms it by its full path, the current one or the one
 * before it was marked.
 * @throws ApiError 400
 */
async function requireRemovable(tx: Tx, row: NamespaceRow, fullPath: string | undefined): Promise<void> {
  if (row.parent_id === null) throw failure(400, '`permanently_remove` option is only available for subgroups.')
  if (row.original_path === null) throw failure(400, 'Subgroup must be marked for deletion first.')
  const above = (await ancestorsOf(tx, row.parent_id)).reverse()
  const current = `${above.at(-1)?.full_path}/${row.original_path}`
  const original = [...above, row].map((group) => group.original_path ?? group.path).join('/')
  if (fullPath === undefined || ![row.full_path, current, original].includes(fullPath)) {
    throw failure(400, '`full_path` is incorrect. You must enter the complete path for the subgroup.')
  }
}
