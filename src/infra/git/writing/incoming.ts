/** The quarantine for objects that the API writes. */
import { randomUUID } from 'node:crypto'
import { mkdir, rename, rm } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { filesBelow, syncDirectory } from '../../files/index.ts'
import type { Quarantine } from '../model/values.ts'
import { directoryList } from '../process/command.ts'

/** A quarantine, and the function that moves its objects into the repository durably. */
type Waiting = { quarantine: Quarantine; admit(): Promise<void> }

/** The names of quarantine directories in `objects/`: those of git and those of `withIncoming`. */
export const QUARANTINE = /^(?:tmp_objdir-)?incoming-|^tmp_objdir-/

/** The files of a pack, in the order in which they are moved: the index makes a pack readable, so it is last. */
const packEndings = ['.pack', '.rev', '.idx']

/** Unfinished files, which are not moved. */
const unfinished = /(?:^|\/)tmp_|\.(?:temp|keep|lock)$/

async function moveIn(from: string, to: string): Promise<void> {
  const rank = (path: string) => packEndings.findIndex((ending) => path.endsWith(ending))
  const paths = (await filesBelow(from)).map((path) => relative(from, path))
  const files = paths.filter((path) => /^(?:pack|[0-9a-f]{2})\//.test(path) && !unfinished.test(path))
  for (const path of files.toSorted((one, other) => rank(one) - rank(other))) {
    await mkdir(dirname(join(to, path)), { recursive: true })
    await rename(join(from, path), join(to, path))
  }
  for (const directory of new Set(files.map((path) => dirname(path)))) await syncDirectory(join(to, directory))
  if (files.length > 0) await syncDirectory(to)
}

/**
 * Runs work with a new quarantine, and deletes the quarantine afterwards.
 * @param directory the repository
 */
export async function withIncoming<Result>(
  directory: string,
  work: (waiting: Waiting) => Promise<Result>,
): Promise<Result> {
  const objects = join(directory, 'objects')
  // A name that git and `clearStale` clean up.
  const own = join(objects, `tmp_objdir-incoming-${randomUUID()}`)
  // Not `recursive`, which says ENOENT on a read-only file system.
  await mkdir(own)
  await mkdir(join(own, 'pack'))
  try {
    return await work({
      quarantine: { objectDirectory: own, alternateObjectDirectories: directoryList(objects) },
      admit: () => moveIn(own, objects),
    })
  } finally {
    await rm(own, { recursive: true, force: true })
  }
}
