/** Files that survive a power failure, and directories that other processes change. */
import { open, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** How many directories are open at the same time to be synced. */
const SYNCS_AT_ONCE = 16

/** For `catch`: returns null when a file does not exist, and rethrows other errors. */
export function ignoreMissing(cause: NodeJS.ErrnoException): null {
  if (cause.code === 'ENOENT' || cause.code === 'ENOTDIR') return null
  throw cause
}

/** The names in a directory; none when it does not exist. */
export async function namesIn(path: string): Promise<string[]> {
  return (await readdir(path).catch(ignoreMissing)) ?? []
}

/** The paths of all files below a directory. Files may vanish while they are listed. */
export async function filesBelow(directory: string): Promise<string[]> {
  const entries = (await readdir(directory, { withFileTypes: true }).catch(ignoreMissing)) ?? []
  const files: string[] = []
  for (const entry of entries) {
    const path = join(directory, entry.name)
    if (entry.isDirectory()) files.push(...(await filesBelow(path)))
    else if (entry.isFile()) files.push(path)
  }
  return files
}

/** The total size of all files below a directory, in bytes. */
export async function bytesBelow(directory: string): Promise<number> {
  let total = 0
  for (const path of await filesBelow(directory)) total += (await stat(path).catch(ignoreMissing))?.size ?? 0
  return total
}

/** Deletes a file or directory that was last changed before a time, in milliseconds since 1970. @returns whether it did */
export async function removeOlder(path: string, beforeMs: number): Promise<boolean> {
  const found = await stat(path).catch(ignoreMissing)
  if (found === null || found.mtimeMs >= beforeMs) return false
  await rm(path, { recursive: true, force: true })
  return true
}

/** Writes a file and syncs its content. Its name is durable after `syncDirectory`. @param flag `wx` refuses an existing file */
export async function writeDurably(path: string, text: string, mode = 0o644, flag: 'w' | 'wx' = 'w'): Promise<void> {
  await writeFile(path, text, { mode, flag, flush: true })
}

/** Syncs the entries of a directory. Does nothing when the directory does not exist. */
export async function syncDirectory(path: string): Promise<void> {
  await using directory = await open(path, 'r').catch(ignoreMissing)
  await directory?.sync()
}

/** Syncs the content of every file below a directory. Their names are durable after `syncTree`. */
export async function syncFiles(directory: string): Promise<void> {
  for (const path of await filesBelow(directory)) {
    await using file = await open(path, 'r').catch(ignoreMissing)
    await file?.datasync()
  }
}

/** Syncs several directories. At the same time, since a journal writes once what all of them wait for. */
export function syncDirectories(paths: readonly string[]): Promise<void> {
  return forEachOf(paths, SYNCS_AT_ONCE, syncDirectory)
}

/** Syncs every directory of a tree. */
export async function syncTree(path: string): Promise<void> {
  const entries = await readdir(path, { recursive: true, withFileTypes: true })
  const directories = entries.filter((entry) => entry.isDirectory()).map((entry) => join(entry.parentPath, entry.name))
  await syncDirectories([...directories, path])
}

/** Runs work on each item, on a few at the same time. The first failure stops it, once those that have begun are over. */
export async function forEachOf<Item>(
  items: AsyncIterable<Item> | Iterable<Item>,
  atOnce: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const running = new Set<Promise<void>>()
  let failure: { error: unknown } | undefined
  for await (const item of items) {
    const task = work(item)
      .catch((error) => {
        failure ??= { error }
      })
      .finally(() => running.delete(task))
    running.add(task)
    if (running.size >= atOnce) await Promise.race(running)
    if (failure) break
  }
  await Promise.all(running)
  if (failure) throw failure.error
}
