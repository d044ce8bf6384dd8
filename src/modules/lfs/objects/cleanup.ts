import { now } from '../../../infra/database/index.ts'
import { parseStorageKey, sweep } from '../../../infra/objects/index.ts'
import { type Job, type Platform, react } from '../../../platform/index.ts'
import { lfsPrefix } from './objects.ts'
import { deleteOrphans, knownKeys, markOrphans } from './store.ts'

const daySeconds = 86_400
/** 04:00 UTC, when load is low. */
const offsetSeconds = 4 * 3600
/** How long an object without a project is retained. */
const graceMs = daySeconds * 1000
const batchSize = 500

async function removeOrphans(platform: Platform, before: string, signal: AbortSignal): Promise<void> {
  const { database, objects } = platform
  for (;;) {
    signal.throwIfAborted()
    // Rows go first. Keys are never reused, so no row can point to deleted bytes.
    const deleted = await database.write(async (tx) => {
      const rows = await deleteOrphans(tx, before, batchSize)
      await react(platform, tx, 'lfs_objects.removed', { objectIds: rows.map(({ id }) => id) })
      return rows
    })
    for (const { storage_key: key } of deleted) await objects.delete(parseStorageKey(key))
    if (deleted.length < batchSize) return
  }
}

/** Removes objects without a project, and bytes without a row. */
export const removeOrphansJob: Job<null> = {
  kind: 'lfs.remove_orphans',
  queue: 'maintenance',
  every: { seconds: daySeconds, offsetSeconds },
  async run(platform, _, { signal }) {
    const { clock, database, objects } = platform
    const before = new Date(clock.now().getTime() - graceMs)
    await database.write((tx) => markOrphans(tx, now(clock)))
    await removeOrphans(platform, before.toISOString(), signal)
    await sweep(objects, lfsPrefix, { before, signal, recorded: (keys) => knownKeys(database.read, keys) })
  },
}
