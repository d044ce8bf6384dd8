/** Packs without an index: what is left of one that was being removed, or put in its place, when the process was killed. */
import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'

const HOUR_MS = 3_600_000

function ifGone(cause: NodeJS.ErrnoException): null {
  if (cause.code === 'ENOENT') return null
  throw cause
}

/**
 * Removes packs without an index. Git sees no object in them, and refuses to repack as long as they are there. A push that is just
 * moving its pack out of quarantine has one as well, for a moment: young ones stay.
 * @param before only those that were written before this time, in milliseconds since 1970
 * @returns how many files have gone
 */
export async function removeOrphanPacks(directory: string, before: number): Promise<number> {
  const folder = join(directory, 'objects', 'pack')
  const names = (await readdir(folder).catch(ifGone)) ?? []
  const indexed = new Set(names.filter((name) => name.endsWith('.idx')).map((name) => name.slice(0, -'.idx'.length)))
  let count = 0
  for (const name of names.filter((one) => /^pack-[0-9a-f]+\.pack$/.test(one))) {
    const base = name.slice(0, -'.pack'.length)
    const age = indexed.has(base) ? null : await stat(join(folder, name)).catch(ifGone)
    if (age === null || age.mtimeMs >= before) continue
    for (const part of names.filter((one) => one.startsWith(`${base}.`))) {
      await rm(join(folder, part), { force: true })
      count += 1
    }
  }
  return count
}

/** Removes those that are too old to be a push on its way, by the clock of the disk. @param probe a file that was just written */
export async function removeAbandonedPacks(directory: string, probe: string): Promise<void> {
  await removeOrphanPacks(directory, (await stat(probe)).mtimeMs - HOUR_MS)
}
