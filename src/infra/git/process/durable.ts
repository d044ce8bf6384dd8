/** Makes directory entries durable. Git syncs files (`core.fsync=all`), but not the directories that contain them. */
import { open } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { ignoreMissing, syncDirectory } from '../../files/index.ts'
import type { RefName } from '../model/names.ts'

/** These directories are as old as their repository. */
const LASTING = ['refs/heads', 'refs/tags', 'refs', '.']

/**
 * Syncs moved refs: every directory between a loose ref and one that is as old as the repository.
 * @param isPacked whether `packed-refs` may have been replaced as well
 */
export async function syncRefs(directory: string, refs: readonly RefName[], isPacked = true): Promise<void> {
  const paths = new Set(isPacked ? [directory] : [])
  for (const ref of refs) {
    for (let path = dirname(ref); !paths.has(join(directory, path)); path = dirname(path)) {
      paths.add(join(directory, path))
      if (LASTING.includes(path)) break
    }
  }
  // Sequentially: the first sync commits the journal, and the others have little left to do.
  for (const path of paths) await syncDirectory(path)
}

/** Syncs refs that moved without being synced: those of a process that was killed. Each loose ref, then as `syncRefs`. */
export async function syncRefFiles(directory: string, refs: readonly RefName[]): Promise<void> {
  for (const ref of refs) {
    await using file = await open(join(directory, ref), 'r').catch(ignoreMissing)
    await file?.sync()
  }
  await syncRefs(directory, refs)
}

/** Syncs the directories of new objects, in one go: a journal is committed once for all. @param names of the directories below `objects` that were written to */
export async function syncObjects(directory: string, names: readonly string[]): Promise<void> {
  if (names.length === 0) return
  await Promise.all(names.map((name) => syncDirectory(join(directory, 'objects', name))))
  await syncDirectory(join(directory, 'objects'))
}
