import { rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { ObjectStore } from '../../infra/objects/index.ts'

/** Moves the repositories out of the way at once and deletes them later; their ids are never given out again. */
export async function clearStorages(storages: Record<string, string>, suffix: string): Promise<void> {
  for (const folder of Object.values(storages)) {
    const away = join(folder, `removed-${suffix}`)
    await rename(join(folder, '@hashed'), away).catch(() => {})
    void rm(away, { recursive: true, force: true }).catch(() => {})
  }
}

/** Deletes all objects; for tests. */
export async function clearObjects(objects: ObjectStore): Promise<void> {
  for await (const { key } of objects.list()) await objects.delete(key)
}
