import { now } from '../../../infra/database/index.ts'
import { forEachOf } from '../../../infra/files/index.ts'
import { RunLater } from '../../../infra/jobs/index.ts'
import type { Job, Platform } from '../../../platform/index.ts'
import { deletePackages, removedPackages } from '../core/store.ts'
import { deleteFiles, filesOf } from '../files/store.ts'

/** Files that one transaction deletes. */
const filesAtOnce = 500
const packagesAtOnce = 100
/** When the job looks again whether packages may be removed. */
const pausedMs = 60_000

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
    const { packages_cleanup_package_file_worker_capacity: capacity } = await platform.settings.current()
    if (capacity === 0) throw new RunLater(pausedMs)
    for (;;) {
      const removed = await removedPackages(platform.database.read, packagesAtOnce)
      await forEachOf(removed, capacity, ({ id }) => removePackage(platform, id, signal))
      if (removed.length < packagesAtOnce) return
    }
  },
}
