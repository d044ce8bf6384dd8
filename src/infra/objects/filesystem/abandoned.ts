import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { ignoreAbsent } from './files.ts'

/**
 * Deletes unfinished uploads that were not used since `beforeMs`.
 * @param underWay names of those that this process writes
 * @returns the number of deleted entries
 */
export async function removeUntouched(
  writing: string,
  beforeMs: number,
  underWay: ReadonlySet<string>,
): Promise<number> {
  let removed = 0
  for (const name of await readdir(writing)) {
    if (underWay.has(name)) continue
    const path = join(writing, name)
    const touchedMs = await lastTouchedMs(path)
    if (touchedMs === null || touchedMs >= beforeMs) continue
    await rm(path, { recursive: true, force: true })
    removed++
  }
  return removed
}

/** The time of the last use: writing changes the file's time, claiming the folder's. Null when it does not exist. */
async function lastTouchedMs(path: string): Promise<number | null> {
  const found = await stat(path).catch(ignoreAbsent)
  if (!found) return null
  if (!found.isDirectory()) return found.mtimeMs
  const names = (await readdir(path).catch(ignoreAbsent)) ?? []
  const inside = await Promise.all(names.map((name) => stat(join(path, name)).catch(ignoreAbsent)))
  return Math.max(found.mtimeMs, ...inside.map((each) => each?.mtimeMs ?? 0))
}
