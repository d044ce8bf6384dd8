import { dayAfter } from '../../../api/index.ts'
import { now, type Tx } from '../../../infra/database/index.ts'
import { enqueue, type Job, type Platform, react } from '../../../platform/index.ts'
import { rememberRemovedOfGroups, removeFilesLater } from '../../../platform/repositories/index.ts'
import {
  deleteNamespace,
  hideSubtree,
  holdTree,
  markedUntil,
  namespaceById,
  subtreeOf,
} from '../../namespaces/index.ts'
import { removeAvatars } from '../../users/index.ts'
import { avatarsBelow, hiddenGroups, projectIdsBelow } from './store.ts'

const hourSeconds = 3600
/** Maximum of groups per run; the next run takes the rest. */
const dueAtOnce = 1000

/** Hides a group with everything below it, and stores the job that removes it. */
export async function removeSoon(platform: Platform, tx: Tx, groupId: number): Promise<void> {
  await hideSubtree(platform, tx, groupId)
  await enqueue(platform, tx, removeGroupJob, { groupId }, { uniqueKey: String(groupId) })
}

/** Deletes the rows of a group that has no projects below it; false when a project has come up. */
async function removeRows(platform: Platform, groupId: number): Promise<boolean> {
  return platform.database.write(async (tx) => {
    const row = await holdTree(tx, groupId)
    if (!row?.pending_delete) return true
    if ((await projectIdsBelow(tx, groupId)).length > 0) {
      await hideSubtree(platform, tx, groupId)
      return false
    }
    await react(platform, tx, 'group.removed', { groupId })
    await rememberRemovedOfGroups(tx, subtreeOf(groupId), now(platform.clock))
    await deleteNamespace(tx, groupId)
    await removeFilesLater(platform, tx)
    return true
  })
}

export const removeGroupJob: Job<{ groupId: number }> = {
  kind: 'groups.remove',
  queue: 'removal',
  async run(platform, { groupId }) {
    const { database, ports } = platform
    const row = await namespaceById(database.read, groupId)
    if (!row?.pending_delete) return
    do {
      for (const id of await projectIdsBelow(database.read, groupId)) await ports['groups.remove_project'](platform, id)
      for (const id of await avatarsBelow(database.read, groupId)) {
        await removeAvatars(platform, 'group', id)
      }
    } while (!(await removeRows(platform, groupId)))
  },
}

/** On the hour, removes groups whose day has come (contract 21 R6), and again those whose removal job had failed for good. */
export const removeDueGroups: Job<null> = {
  kind: 'groups.remove_due',
  every: { seconds: hourSeconds, offsetSeconds: 0 },
  async run(platform) {
    const { database, clock, settings } = platform
    const { deletion_adjourned_period: days } = await settings.current()
    const day = dayAfter(clock.now(), -days)
    for (const id of await markedUntil(database.read, 'namespaces', day, dueAtOnce)) {
      await database.write(async (tx) => {
        const row = await holdTree(tx, id)
        // It may have been restored, or restored and marked again, since the list was read.
        const isDue = row?.original_path && !row.pending_delete && (row.marked_for_deletion_on ?? '') <= day
        if (isDue) await removeSoon(platform, tx, id)
      })
    }
    const ids = await hiddenGroups(database.read, dueAtOnce)
    if (ids.length === 0) return
    await database.write(async (tx) => {
      for (const id of ids) await removeSoon(platform, tx, id)
    })
  },
}
