import type { ObjectStore } from './object-store.ts'
import type { StorageKey } from './storage-key.ts'

const batchSize = 500

/**
 * Deletes objects that no record has: of writers whose process ended before, and of deleted records.
 * @param options.before younger objects may still get their record
 * @param options.recorded returns those of at most 500 keys that have a record
 */
export async function sweep(
  objects: ObjectStore,
  prefix: StorageKey,
  {
    before,
    recorded,
    signal,
  }: { before: Date; recorded(keys: readonly StorageKey[]): Promise<ReadonlySet<string>>; signal: AbortSignal },
): Promise<void> {
  async function remove(keys: readonly StorageKey[]): Promise<void> {
    const known = await recorded(keys)
    for (const key of keys) if (!known.has(key)) await objects.delete(key)
  }
  let keys: StorageKey[] = []
  for await (const { key, modifiedAt } of objects.list(prefix)) {
    signal.throwIfAborted()
    if (modifiedAt < before) keys.push(key)
    if (keys.length < batchSize) continue
    await remove(keys)
    keys = []
  }
  if (keys.length > 0) await remove(keys)
}
