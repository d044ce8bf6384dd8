/** Objects that wait beside a repository until it is decided whether they may come in. */
import { randomUUID } from 'node:crypto'
import { mkdir, readdir, rename, rm } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import type { Quarantine } from '../model/read-options.ts'
import { directoryList } from '../process/command.ts'
import { syncDirectory } from '../process/durable.ts'

/** Where the objects wait, and what lets them in, so that they last. */
export type Waiting = { quarantine: Quarantine; admit(): Promise<void> }

/** What makes up a pack; the index comes last, since what has one is read. Other files stand for themselves. */
const packEndings = ['.pack', '.rev', '.idx']

/** What is not finished: nobody will go on with it. */
const unfinished = /(?:^|\/)tmp_|\.(?:temp|keep|lock)$/

/** The files below a directory, by their paths from there; they may vanish while they are listed. */
export async function filesOf(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true }).catch(() => [])
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(directory, join(entry.parentPath, entry.name)))
}

async function moveIn(from: string, to: string): Promise<void> {
  const rank = (path: string) => packEndings.findIndex((ending) => path.endsWith(ending))
  const files = (await filesOf(from)).filter((path) => /^(?:pack|[0-9a-f]{2})\//.test(path) && !unfinished.test(path))
  for (const path of files.toSorted((one, other) => rank(one) - rank(other))) {
    await mkdir(dirname(join(to, path)), { recursive: true })
    await rename(join(from, path), join(to, path))
  }
  for (const directory of new Set(files.map((path) => dirname(path)))) await syncDirectory(join(to, directory))
  if (files.length > 0) await syncDirectory(to)
}

/**
 * Gives some work a directory of its own for the objects that it makes. Of what it does not admit nothing is left.
 * @param directory the repository
 */
export async function withIncoming<Result>(
  directory: string,
  work: (waiting: Waiting) => Promise<Result>,
): Promise<Result> {
  const objects = join(directory, 'objects')
  // Git and `clearStale` know by this name what may be swept up.
  const own = join(objects, `tmp_objdir-incoming-${randomUUID()}`)
  await mkdir(join(own, 'pack'), { recursive: true })
  try {
    return await work({
      quarantine: { objectDirectory: own, alternateObjectDirectories: directoryList(objects) },
      admit: () => moveIn(own, objects),
    })
  } finally {
    await rm(own, { recursive: true, force: true })
  }
}
