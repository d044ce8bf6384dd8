/** Makes directory entries durable. Git syncs files (`core.fsync=all`), but not the directories that contain them. */
import { open, readdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { RefName } from '../model/names.ts'

/** For `catch`: returns null when a file does not exist, and rethrows other errors. */
export function ignoreMissing(cause: NodeJS.ErrnoException): null {
  if (cause.code === 'ENOENT' || cause.code === 'ENOTDIR') return null
  throw cause
}

/** Syncs the entries of a directory. Does nothing when the directory does not exist. */
export async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, 'r').catch(ignoreMissing)
  try {
    await directory?.sync()
  } finally {
    await directory?.close()
  }
}

/** Writes a file and syncs its content. Its name is durable after `syncDirectory`. */
export async function writeDurably(path: string, text: string): Promise<void> {
  const file = await open(path, 'w', 0o644)
  try {
    await file.writeFile(text)
    await file.sync()
  } finally {
    await file.close()
  }
}

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

/** Syncs every directory of a tree, the deepest first. */
export async function syncTree(path: string): Promise<void> {
  const entries = await readdir(path, { recursive: true, withFileTypes: true })
  const directories = entries.filter((entry) => entry.isDirectory()).map((entry) => join(entry.parentPath, entry.name))
  for (const directory of directories.reverse()) await syncDirectory(directory)
  await syncDirectory(path)
}
