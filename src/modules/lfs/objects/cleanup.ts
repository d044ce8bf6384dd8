import { now } from '../../../infra/database/index.ts'
import { parseStorageKey, type StorageKey } from '../../../infra/objects/index.ts'
import type { Job, Platform } from '../../../platform/index.ts'
import { lfsPrefix } from './objects.ts'
import { deleteOrphans, knownKeys, markOrphans } from './store.ts'

const daySeconds = 86_400
/** 04:00 UTC, when load is low. */
const offsetSeconds = 4 * 3600
/** How long an object without a project is retained. */
const graceMs = daySeconds * 1000
const batchSize = 500

async function removeOrphans({ database, objects }: Platform, before: string, signal: AbortSignal): Promise<void> {
  for (;;) {
    signal.throwIfAborted()
    // Rows go first. Keys are never reused, so no row can point to deleted bytes.
    const keys = await database.write((tx) => deleteOrphans(tx, before, batchSize))
    for (const key of keys) await objects.delete(parseStorageKey(key))
    if (keys.length < batchSize) return
  }
}

async function removeUnknown({ database, objects }: Platform, keys: readonly StorageKey[]): Promise<void> {
  const known = await knownKeys(database.read, keys)
  for (const key of keys) if (!known.has(key)) await objects.delete(key)
}

/** Removes bytes of uploads whose process ended before their row was written. */
async function sweep(platform: Platform, before: string, signal: AbortSignal): Promise<void> {
  let keys: StorageKey[] = []
  for await (const { key, modifiedAt } of platform.objects.list(lfsPrefix)) {
    signal.throwIfAborted()
    if (modifiedAt.toISOString() < before) keys.push(key)
    if (keys.length < batchSize) continue
    await removeUnknown(platform, keys)
    keys = []
  }
  if (keys.length > 0) await removeUnknown(platform, keys)
}

/** Removes objects without a project, and bytes without a row. */
export const removeOrphansJob: Job<null> = {
  kind: 'lfs.remove_orphans',
  queue: 'maintenance',
  every: { seconds: daySeconds, offsetSeconds },
  async run(platform, _, { signal }) {
    const { clock, database } = platform
    const before = new Date(clock.now().getTime() - graceMs).toISOString()
    await database.write((tx) => markOrphans(tx, now(clock)))
    await removeOrphans(platform, before, signal)
    await sweep(platform, before, signal)
  },
}
