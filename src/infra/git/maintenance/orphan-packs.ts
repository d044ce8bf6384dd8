/** Removes packs without an index, which processes leave behind that are killed while they add or remove a pack. */
import { rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { ignoreMissing, namesIn } from '../../files/index.ts'

const HOUR_MS = 3_600_000

/**
 * Deletes packs without an index. Git ignores their objects, but refuses to repack while they exist. Recent ones may belong to a
 * push that moves its pack out of quarantine.
 * @param before only packs written before this time, in milliseconds since 1970
 * @returns the number of deleted files
 */
export async function removeOrphanPacks(directory: string, before: number): Promise<number> {
  const folder = join(directory, 'objects', 'pack')
  const names = await namesIn(folder)
  const indexed = new Set(names.filter((name) => name.endsWith('.idx')).map((name) => name.slice(0, -'.idx'.length)))
  let count = 0
  for (const name of names.filter((one) => /^pack-[0-9a-f]+\.pack$/.test(one))) {
    const base = name.slice(0, -'.pack'.length)
    const age = indexed.has(base) ? null : await stat(join(folder, name)).catch(ignoreMissing)
    if (age === null || age.mtimeMs >= before) continue
    for (const part of names.filter((one) => one.startsWith(`${base}.`))) {
      await rm(join(folder, part), { force: true })
      count += 1
    }
  }
  return count
}

/** Deletes packs that are too old to belong to a running push, by the clock of the disk. @param probe a file that was just written */
export async function removeAbandonedPacks(directory: string, probe: string): Promise<void> {
  await removeOrphanPacks(directory, (await stat(probe)).mtimeMs - HOUR_MS)
}
