import type { Stats } from 'node:fs'
import { lstat, readdir } from 'node:fs/promises'
import { isAbsolute, join, posix, relative } from 'node:path'
import { ignoreMissing } from '../../infra/files/index.ts'
import { globMatcher } from '../../infra/wildcards/index.ts'

/** What is chosen of a folder: paths from it, and the patterns that chose nothing. */
export type Selection = { paths: string[]; unmatched: string[]; outside: string[] }

type Wanted = { paths: readonly string[]; exclude?: readonly string[]; untracked?: readonly string[] }

const magic = /[*?{[]/

/** The history of the project has the token of the job. */
const isGit = (path: string) => path === '.git' || path.startsWith('.git/')

/** A pattern as a path from the folder; null when it leads out of it. */
function withinFolder(root: string, pattern: string): string | null {
  const own = isAbsolute(pattern) ? relative(root, pattern) : pattern
  const path = posix.normalize(own || '.').replace(/\/$/, '')
  return path === '..' || path.startsWith('../') || isAbsolute(path) ? null : path
}

const look = (root: string, path: string): Promise<Stats | null> => lstat(join(root, path)).catch(ignoreMissing)

/** The folder of a pattern in which all its matches are. */
function baseOf(pattern: string): string {
  const parts = pattern.split('/')
  const first = parts.findIndex((part) => magic.test(part))
  return first < 0 ? pattern : parts.slice(0, first).join('/') || '.'
}

/** The names in a folder, in an order that does not depend on the file system. */
const namesOf = async (root: string, path: string) => (await readdir(join(root, path))).sort()

/** Adds what matches at a path or below it, and all that is below a match. Links are not followed. */
async function collect(root: string, path: string, matches: (path: string) => boolean, found: Set<string>) {
  if (isGit(path)) return
  const entry = await look(root, path)
  if (!entry) return
  const isMatch = path !== '.' && matches(path)
  if (isMatch) found.add(path)
  if (!entry.isDirectory()) return
  for (const name of await namesOf(root, path)) {
    await collect(root, path === '.' ? name : `${path}/${name}`, isMatch ? () => true : matches, found)
  }
}

async function matchesOf(root: string, pattern: string): Promise<Set<string>> {
  const found = new Set<string>()
  const matches =
    pattern === '.' ? () => true : magic.test(pattern) ? globMatcher(pattern) : (path: string) => path === pattern
  await collect(root, baseOf(pattern), matches, found)
  return found
}

/**
 * Chooses files and folders by patterns (contract 04, Globs); a folder stands for all that is in it. Nothing of the history of the
 * project is chosen.
 * @param untracked further paths
 */
export async function select(root: string, { paths, exclude = [], untracked = [] }: Wanted): Promise<Selection> {
  const chosen = new Set<string>()
  const [unmatched, outside]: string[][] = [[], []]
  for (const given of paths) {
    const pattern = withinFolder(root, given)
    const found = pattern === null ? new Set<string>() : await matchesOf(root, pattern)
    if (pattern === null) outside?.push(given)
    else if (found.size === 0) unmatched?.push(given)
    for (const path of found) chosen.add(path)
  }
  for (const path of untracked) if (!isGit(path) && (await look(root, path))) chosen.add(path)
  const excluded = exclude.flatMap((given) => withinFolder(root, given) ?? []).map(globMatcher)
  const kept = [...chosen].filter((path) => !excluded.some((matches) => matches(path)))
  return { paths: kept.sort(), unmatched: unmatched ?? [], outside: outside ?? [] }
}
