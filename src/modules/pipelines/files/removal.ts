import type { StorageKey } from '../../../infra/objects/index.ts'
import type { Job, Platform } from '../../../platform/index.ts'
import { prefixOfJob, prefixOfProject } from './keys.ts'

async function removeBelow({ objects }: Platform, prefix: StorageKey, signal: AbortSignal): Promise<void> {
  for await (const { key } of objects.list(prefix)) {
    signal.throwIfAborted()
    await objects.delete(key)
  }
}

/** Removes the files of deleted jobs; without ids, of all jobs of a deleted project. */
export const removeFilesJob: Job<{ projectId: number; jobIds: readonly number[] | null }> = {
  kind: 'pipelines.remove_files',
  queue: 'maintenance',
  async run(platform, { projectId, jobIds }, { signal }) {
    if (jobIds === null) return removeBelow(platform, prefixOfProject(projectId), signal)
    for (const id of jobIds) await removeBelow(platform, prefixOfJob({ id, project_id: projectId }), signal)
  },
}
