import { now, portions } from '../../../infra/database/index.ts'
import { parseStorageKey, sweep } from '../../../infra/objects/index.ts'
import { type Job, type Platform, react } from '../../../platform/index.ts'
import { packagesPrefix } from './received.ts'
import { blobIdsAfter, deleteOrphans, knownKeys, markOrphansAmong } from './store.ts'

const daySeconds = 86_400
const batchSize = 500

/** Deletes bytes that no file has had for the grace period: rows first. Keys are never used again, so no row points to deleted bytes. */
export async function collectOrphans(platform: Platform, signal: AbortSignal): Promise<void> {
  const { config, clock, database, objects } = platform
  const before = new Date(clock.now().getTime() - config.registryGcGraceMs).toISOString()
  for (;;) {
    signal.throwIfAborted()
    const deleted = await database.write(async (tx) => {
      const rows = await deleteOrphans(tx, before, batchSize)
      if (rows.length > 0) await react(platform, tx, 'package_blobs.removed', { blobIds: rows.map(({ id }) => id) })
      return rows
    })
    for (const { storage_key: key } of deleted) await objects.delete(parseStorageKey(key))
    if (deleted.length < batchSize) return
  }
}

/** Removes bytes whose grace period is over (contract 23 R7). */
export const collectPackageFilesJob: Job<null> = {
  kind: 'packages.collect_files',
  queue: 'maintenance',
  every: { seconds: 600 },
  run: (platform, _, { signal }) => collectOrphans(platform, signal),
}

/** Marks the bytes that files have left with their projects, and removes those without a row; at 04:15 UTC, when load is low. */
export const sweepPackageFilesJob: Job<null> = {
  kind: 'packages.sweep_files',
  queue: 'maintenance',
  every: { seconds: daySeconds, offsetSeconds: 4.25 * 3600 },
  async run(platform, _, { signal }) {
    const { clock, database, objects } = platform
    for await (const rows of portions((afterId) => blobIdsAfter(database.read, afterId, batchSize))) {
      signal.throwIfAborted()
      const ids = rows.map(({ id }) => id)
      await database.write((tx) => markOrphansAmong(tx, ids, now(clock)))
    }
    const before = new Date(clock.now().getTime() - daySeconds * 1000)
    await sweep(objects, packagesPrefix, { before, signal, recorded: (keys) => knownKeys(database.read, keys) })
  },
}
