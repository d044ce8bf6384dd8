import { now } from '../../../infra/database/index.ts'
import type { Job, Platform } from '../../../platform/index.ts'
import { deletePackages, removedPackages } from '../core/store.ts'
import { deleteFiles, filesOf } from '../files/store.ts'

/** Files that one transaction deletes. */
const filesAtOnce = 500
const packagesAtOnce = 100

/** Deletes the files of a package in portions, and then its row. */
async function removePackage({ database, clock }: Platform, id: number, signal: AbortSignal): Promise<void> {
  for (;;) {
    signal.throwIfAborted()
    const files = await filesOf(database.read, id, filesAtOnce)
    if (files.length === 0) break
    await database.write((tx) => deleteFiles(tx, files, now(clock)))
  }
  await database.write((tx) => deletePackages(tx, [id]))
}

/** Removes the packages whose deletion has begun, with their files (contract 23 R8). */
export const removePackagesJob: Job<null> = {
  kind: 'packages.remove_deleted',
  queue: 'removal',
  async run(platform, _, { signal }) {
    const { read } = platform.database
    for (;;) {
      const removed = await removedPackages(read, packagesAtOnce)
      for (const { id } of removed) await removePackage(platform, id, signal)
      if (removed.length < packagesAtOnce) return
    }
  },
}
