import { type Actor, failure, forbidden } from '../../../api/index.ts'
import { now, type Tx } from '../../../infra/database/index.ts'
import type { Act, Platform } from '../../../platform/index.ts'
import { type NamespaceRow, namespaceById, refreshArchived, updateNamespace } from '../../namespaces/index.ts'
import { type Group, heldGroup } from '../access.ts'
import { groupDetailOf } from '../core/detail.ts'

const refused = (reason: string) => failure(422, reason)

async function isBelowArchived(tx: Tx, { parent_id: parentId }: NamespaceRow): Promise<boolean> {
  return parentId !== null && (await namespaceById(tx, parentId))?.archived === true
}

/** @throws ApiError 403 while it is marked for deletion; 422 when it, or a group above it, is archived */
async function requireArchivable(tx: Tx, row: NamespaceRow): Promise<void> {
  if (row.marked_for_deletion_on !== null) throw forbidden()
  if (row.archived && !row.archived_by_group) throw refused('Group is already archived!')
  if (await isBelowArchived(tx, row)) {
    throw refused('Cannot archive group since one of the ancestors is already archived!')
  }
}

const causedAbove = () => refused('Cannot unarchive group since one of the ancestors is archived!')

/** @throws ApiError 422 while it is archived because a group above it is */
export async function requireOwnArchive({ archived_by_group: isInherited }: NamespaceRow): Promise<void> {
  if (isInherited) throw causedAbove()
}

/** @throws ApiError 403 while it is marked for deletion; 422 when it is not archived, or a group above it is */
async function requireArchived(tx: Tx, row: NamespaceRow): Promise<void> {
  if (row.marked_for_deletion_on !== null) throw forbidden()
  if (await isBelowArchived(tx, row)) throw causedAbove()
  if (!row.archived) throw refused('Group is not archived!')
}

/**
 * Archives a group with everything below it, or ends that (contract 26.18, x.groups_archive). Groups and projects below it that
 * were archived themselves stay so.
 * @throws ApiError 403, 422
 */
export async function setGroupArchived(
  platform: Platform,
  group: Group,
  archived: boolean,
  { actor, act }: { actor: Actor; act: Act },
) {
  const row = await platform.database.write(async (tx) => {
    const held = await heldGroup(tx, group.id)
    await (archived ? requireArchivable : requireArchived)(tx, held)
    await act(tx)
    const changed = await updateNamespace(tx, held.id, { archived }, now(platform.clock))
    await refreshArchived(platform, tx, held.id)
    return changed
  })
  return groupDetailOf(platform, actor, row)
}
