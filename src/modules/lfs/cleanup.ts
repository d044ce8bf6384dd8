import type { Clock } from '../../infra/clock/index.ts'
import { type Database, now } from '../../infra/database/index.ts'
import type { Jobs } from '../../infra/jobs/index.ts'
import { type ObjectStore, parseStorageKey, type StorageKey } from '../../infra/objects/index.ts'
import { placeOfObjects } from './objects.ts'
import { deleteOrphans, knownPlaces, markOrphans } from './store.ts'

export type CleanupNeeds = { database: Database; clock: Clock; jobs: Jobs; objects: ObjectStore }

const cleanupJob = 'lfs.remove_orphans'
const daySeconds = 86_400
/** 04:00 UTC, when most people sleep. */
const offsetSeconds = 4 * 3600
/** So long an object stays that no project has any more. */
const graceMs = daySeconds * 1000
const portion = 500

/** Removes the objects that no project has any more, and bytes that no object is known of. */
export function defineCleanup({ database, clock, jobs, objects }: CleanupNeeds): void {
  async function removeOrphans(before: string, signal: AbortSignal): Promise<void> {
    for (;;) {
      signal.throwIfAborted()
      // The rows go first: their places are never used again, so that nobody can find an object without its bytes.
      const places = await database.write((tx) => deleteOrphans(tx, before, portion))
      for (const place of places) await objects.delete(parseStorageKey(place))
      if (places.length < portion) return
    }
  }

  async function removeUnknown(places: readonly StorageKey[]): Promise<void> {
    const known = await knownPlaces(database.read, places)
    for (const place of places) if (!known.has(place)) await objects.delete(place)
  }

  /** What a process left that was ended between storing bytes and writing them down. */
  async function sweep(before: string, signal: AbortSignal): Promise<void> {
    let places: StorageKey[] = []
    for await (const { key, modifiedAt } of objects.list(placeOfObjects)) {
      signal.throwIfAborted()
      if (modifiedAt.toISOString() < before) places.push(key)
      if (places.length < portion) continue
      await removeUnknown(places)
      places = []
    }
    if (places.length > 0) await removeUnknown(places)
  }

  jobs.define<null>({
    kind: cleanupJob,
    queue: 'maintenance',
    async run(_, { signal }) {
      const before = new Date(clock.now().getTime() - graceMs).toISOString()
      await database.write((tx) => markOrphans(tx, now(clock)))
      await removeOrphans(before, signal)
      await sweep(before, signal)
    },
  })
  jobs.every(cleanupJob, daySeconds, cleanupJob, { offsetSeconds })
}
