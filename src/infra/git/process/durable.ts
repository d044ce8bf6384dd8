/** What git leaves to the file system: it syncs files (`core.fsync=all`) but not the directories that name them. */
import { open, readdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { RefName } from '../model/names.ts'

/** Makes the entries of a directory survive a power cut. Does nothing when the directory has gone. */
export async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, 'r').catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === 'ENOENT' || cause.code === 'ENOTDIR') return null
    throw cause
  })
  try {
    await directory?.sync()
  } finally {
    await directory?.close()
  }
}

/** Writes a file and makes its content durable; its name is durable after `syncDirectory`. */
export async function writeDurably(path: string, text: string): Promise<void> {
  const file = await open(path, 'w', 0o644)
  try {
    await file.writeFile(text)
    await file.sync()
  } finally {
    await file.close()
  }
}

/** Makes moved refs survive a power cut: every directory between the loose ref and the repository, and the one of `packed-refs`. */
export async function syncRefs(directory: string, refs: readonly RefName[]): Promise<void> {
  const paths = new Set([directory])
  for (const ref of refs) {
    for (let path = dirname(ref); path !== '.' && !paths.has(join(directory, path)); path = dirname(path)) {
      paths.add(join(directory, path))
    }
  }
  // One after the other: the first sync commits the journal, and the others have next to nothing left to do.
  for (const path of paths) await syncDirectory(path)
}

/** Makes every directory of a tree survive a power cut, the deepest first. */
export async function syncTree(path: string): Promise<void> {
  const entries = await readdir(path, { recursive: true, withFileTypes: true })
  const directories = entries.filter((entry) => entry.isDirectory()).map((entry) => join(entry.parentPath, entry.name))
  for (const directory of directories.reverse()) await syncDirectory(directory)
  await syncDirectory(path)
}
