import { parseStorageKey, type StorageKey } from '../../../infra/objects/index.ts'
import type { Job, Platform } from '../../../platform/index.ts'
import { filesPrefix, jobIdOf } from './keys.ts'
import { knownKeys } from './store.ts'

const daySeconds = 86_400
/** 05:00 UTC, when load is low. */
const offsetSeconds = 5 * 3600
const batchSize = 500

async function removeUnknown({ database, objects }: Platform, keys: readonly StorageKey[]): Promise<void> {
  const jobIds = keys.flatMap((key) => jobIdOf(key) ?? [])
  const known = await knownKeys(database.read, [...new Set(jobIds)])
  for (const key of keys) if (!known.has(key)) await objects.delete(parseStorageKey(key))
}

/** Removes files without a row: of uploads whose process ended before, and of jobs that were deleted. */
export const sweepFilesJob: Job<null> = {
  kind: 'pipelines.sweep_files',
  queue: 'maintenance',
  every: { seconds: daySeconds, offsetSeconds },
  async run(platform, _, { signal }) {
    const before = platform.clock.now().getTime() - daySeconds * 1000
    let keys: StorageKey[] = []
    for await (const { key, modifiedAt } of platform.objects.list(filesPrefix)) {
      signal.throwIfAborted()
      if (modifiedAt.getTime() < before) keys.push(key)
      if (keys.length < batchSize) continue
      await removeUnknown(platform, keys)
      keys = []
    }
    if (keys.length > 0) await removeUnknown(platform, keys)
  },
}
