/** Makes directory entries durable. Git syncs files (`core.fsync=all`), but not the directories that contain them. */
import { dirname, join } from 'node:path'
import { syncDirectory } from '../../files/index.ts'
import type { RefName } from '../model/names.ts'

/** Syncs moved refs: every directory between a loose ref and the repository, and the directory of `packed-refs`. */
export async function syncRefs(directory: string, refs: readonly RefName[]): Promise<void> {
  const paths = new Set([directory])
  for (const ref of refs) {
    for (let path = dirname(ref); path !== '.' && !paths.has(join(directory, path)); path = dirname(path)) {
      paths.add(join(directory, path))
    }
  }
  // Sequentially: the first sync commits the journal, and the others have little left to do.
  for (const path of paths) await syncDirectory(path)
}
