/** Files that survive a power failure, and directories that other processes change. */
import { type FileHandle, open, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** How many files or directories are open at the same time to be synced. */
const SYNCS_AT_ONCE = 16

/** The folders whose contents are not synced, each as often as that was asked for. */
const unsynced: string[] = []

/**
 * Leaves the contents of folders unsynced, whatever is asked for them, until it is disposed: those of servers that are thrown away, and
 * those that are synced as a whole afterwards (`syncAll`).
 */
export function leaveUnsynced(folders: readonly string[]): Disposable {
  unsynced.push(...folders)
  return {
    [Symbol.dispose]() {
      for (const folder of folders) unsynced.splice(unsynced.indexOf(folder), 1)
    },
  }
}

/** Whether what is written at a path has to survive a power failure. */
const isSynced = (path: string) => !unsynced.some((folder) => path === folder || isBelow(path, folder))

const isBelow = (path: string, folder: string) => path.startsWith(join(folder, '/'))

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
  await writeFile(path, text, { mode, flag, flush: isSynced(path) })
}

/** Syncs the content of an open file. @param path where it is */
export async function syncFile(file: FileHandle, path: string): Promise<void> {
  if (isSynced(path)) await file.sync()
}

/** Syncs the entries of a directory. Does nothing when the directory does not exist. */
export async function syncDirectory(path: string): Promise<void> {
  if (!isSynced(path)) return
  await using directory = await open(path, 'r').catch(ignoreMissing)
  await directory?.sync()
}

/** Syncs the content of every file below a directory. Their names are durable after `syncTree`. */
export async function syncFiles(directory: string): Promise<void> {
  if (!isSynced(directory)) return
  await forEachOf(await filesBelow(directory), SYNCS_AT_ONCE, async (path) => {
    await using file = await open(path, 'r').catch(ignoreMissing)
    await file?.datasync()
  })
}

/** Syncs folders with all that is in them. One that does not exist is left out. */
export async function syncAll(folders: readonly string[]): Promise<void> {
  for (const folder of folders) {
    if (folders.some((other) => isBelow(folder, other))) continue
    await syncFiles(folder)
    await syncTree(folder).catch(ignoreMissing)
  }
}

/** Syncs several directories. At the same time, since a journal writes once what all of them wait for. */
export function syncDirectories(paths: readonly string[]): Promise<void> {
  return forEachOf(paths, SYNCS_AT_ONCE, syncDirectory)
}

/** Syncs every directory of a tree. */
export async function syncTree(path: string): Promise<void> {
  if (!isSynced(path)) return
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
