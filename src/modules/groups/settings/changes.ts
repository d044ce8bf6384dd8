import type { Tx } from '../../../infra/database/index.ts'
import { type NamespaceRow, updateNamespace } from '../../namespaces/index.ts'
import { heldForChange } from '../access.ts'
import { changedSettings, type GroupSettingChanges, settingsOfGroup } from './settings.ts'

/**
 * Changes settings of a group for the module that owns them.
 * @param now ISO text
 * @throws ApiError 404 when it was deleted, 403 while it is marked for deletion
 */
export async function changeGroupSettings(
  tx: Tx,
  groupId: number,
  changes: GroupSettingChanges,
  now: string,
): Promise<NamespaceRow> {
  const row = await heldForChange(tx, groupId)
  const settings = JSON.stringify(changedSettings(settingsOfGroup(row), changes))
  return updateNamespace(tx, groupId, { settings }, now)
}
