import { portionsOf } from '../../../infra/database/index.ts'
import type { StorageKey } from '../../../infra/objects/index.ts'
import { type Events, enqueue, enqueueAll, type Job, type Platform, type Reaction } from '../../../platform/index.ts'
import { type Owner, prefixOfOwner, prefixOfRun } from '../core/portable.ts'
import { groupsWithExports } from './store.ts'

/** Deletes the files below a key. */
export async function removeRun({ objects }: Platform, prefix: StorageKey, signal?: AbortSignal): Promise<void> {
  for await (const { key } of objects.list(prefix)) {
    signal?.throwIfAborted()
    await objects.delete(key)
  }
}

/** Deletes the files of a run, or all of a deleted project or group. */
export const removeRunJob: Job<Owner & { run: string | null }> = {
  kind: 'relation_exports.remove',
  queue: 'maintenance',
  run: (platform, { run, ...owner }, { signal }) =>
    removeRun(platform, run === null ? prefixOfOwner(owner) : prefixOfRun(owner, run), signal),
}

/** Removes the exports of a project that is deleted. */
export const removeExportsOfProject: Reaction<Events['project.removed']> = async (platform, tx, { projectId: id }) => {
  await enqueue(platform, tx, removeRunJob, { kind: 'project', id, run: null })
}

const jobsAtOnce = 500

/** Removes the exports of a group that is deleted, and of the groups below it. */
export const removeExportsOfGroup: Reaction<Events['group.removed']> = async (platform, tx, { groupId }) => {
  const ids = await groupsWithExports(tx, groupId)
  for (const part of portionsOf(ids, jobsAtOnce)) {
    const payloads = part.map((id) => ({ kind: 'group' as const, id, run: null }))
    await enqueueAll(platform, tx, removeRunJob, payloads)
  }
}
