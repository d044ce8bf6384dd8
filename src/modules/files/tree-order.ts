import { hash } from 'node:crypto'
import { failure } from '../../api/index.ts'
import { compareByBytes, type Oid, type Repository, type TreeEntry } from '../../infra/git/index.ts'
import { type Remembered, remembered } from './remembered.ts'

/** The order of the API: directories, files, submodules (contract 22, x.repo_tree). */
const kinds = ['tree', 'blob', 'commit'] as const

/** A directory to be listed. */
export type Directory = { repository: Repository; tree: Oid; path: string; recursive: boolean }

/** The entries of a directory in the order of the API: looked through in portions, held as a whole only where they are few. */
export type OrderedTree = {
  total: number
  /** The entries from a rank on. */
  window(from: number, limit: number, signal: AbortSignal): Promise<readonly TreeEntry[]>
  /** All of them, one by one. */
  all(signal: AbortSignal): AsyncIterable<TreeEntry>
  /** How an entry of the list is named in a `page_token`. */
  tokenOf(entry: TreeEntry): string
  /** The rank of the entry with this token; null when there is none. */
  rankOf(token: string, signal: AbortSignal): Promise<number | null>
}

/** What is remembered of a directory: its entries if they are few, else how many there are of each kind, unless too many. */
type Known = { entries: readonly TreeEntry[] | null; counts: Counts | null; weight: number }
type Counts = Record<TreeEntry['type'], number>

/** In characters of paths and a guess for the rest of an entry, which comes to bytes. */
const entryWeight = 200
const rememberedWeight = 24_000_000
/** More than this of one recursive list is not held, but looked through again. */
const heldWeight = 2_000_000
/** A tree may hold itself's like ten times over on each of a hundred floors; nobody gets to the end of that. */
const maximumEntries = 1_000_000
/** Nobody can ask for an entry with such a path, and on each floor of a deep tree it only grows. */
const pathLength = 16_384

const tooMany = () =>
  failure(422, 'The tree has too many entries to be listed recursively. Please list its directories one by one.')

/** Entries below a directory, each directory before what is in it, without what nobody could address. */
async function* walk({ repository, tree, path }: Directory, signal: AbortSignal): AsyncGenerator<TreeEntry> {
  for await (const entry of repository.walkTree(tree, path, { signal })) {
    if (entry.path.length <= pathLength) yield entry
  }
}

function grouped(entries: readonly TreeEntry[]): TreeEntry[] {
  return kinds.flatMap((kind) => entries.filter(({ type }) => type === kind))
}

/** Git sorts directories as if their names ended with a slash. */
function byName(entries: readonly TreeEntry[]): TreeEntry[] {
  const [directories, others] = [entries.filter(isDirectory), entries.filter((entry) => !isDirectory(entry))]
  return grouped([...directories.sort((a, b) => compareByBytes(a.name, b.name)), ...others])
}

function isDirectory({ type }: TreeEntry): boolean {
  return type === 'tree'
}

function countsOf(entries: readonly TreeEntry[]): Counts {
  const counts: Counts = { tree: 0, blob: 0, commit: 0 }
  for (const { type } of entries) counts[type] += 1
  return counts
}

function weightOf(entries: readonly TreeEntry[]): number {
  return entries.reduce((sum, { path }) => sum + path.length + entryWeight, 0)
}

async function lookThrough(directory: Directory, signal: AbortSignal): Promise<Known> {
  if (!directory.recursive) {
    const entries = byName((await directory.repository.treeEntries(directory.tree, directory.path)) ?? [])
    return { entries, counts: countsOf(entries), weight: weightOf(entries) }
  }
  const counts: Counts = { tree: 0, blob: 0, commit: 0 }
  let entries: TreeEntry[] | null = []
  let weight = 0
  let total = 0
  for await (const entry of directory.repository.walkTree(directory.tree, directory.path, { signal })) {
    total += 1
    if (total > maximumEntries) return { entries: null, counts: null, weight: entryWeight }
    if (entry.path.length > pathLength) continue
    counts[entry.type] += 1
    weight += entry.path.length + entryWeight
    if (weight > heldWeight) entries = null
    entries?.push(entry)
  }
  return entries ? { entries: grouped(entries), counts, weight } : { entries: null, counts, weight: entryWeight }
}

/** Two entries may have the same content, and so the same id: then the place tells which of them is meant. */
function exactToken({ oid, path }: TreeEntry): string {
  return `${oid}-${hash('sha1', path, 'hex').slice(0, 16)}`
}

function matches(entry: TreeEntry, token: string): boolean {
  return token.startsWith(entry.oid) && (token === entry.oid || token === exactToken(entry))
}

function heldTree(entries: readonly TreeEntry[]): OrderedTree {
  return {
    total: entries.length,
    window: async (from, limit) => entries.slice(from, from + limit),
    async *all() {
      yield* entries
    },
    tokenOf(entry) {
      return entries.find(({ oid }) => oid === entry.oid) === entry ? entry.oid : exactToken(entry)
    },
    async rankOf(token) {
      const rank = entries.findIndex((entry) => matches(entry, token))
      return rank < 0 ? null : rank
    },
  }
}

/** Looks through the directory again for each portion; the counts tell where a kind begins in the whole. */
function walkedTree(directory: Directory, counts: Counts): OrderedTree {
  const total = counts.tree + counts.blob + counts.commit
  const start: Counts = { tree: 0, blob: counts.tree, commit: counts.tree + counts.blob }

  async function* ranked(signal: AbortSignal): AsyncGenerator<[rank: number, entry: TreeEntry]> {
    const next = { ...start }
    for await (const entry of walk(directory, signal)) yield [next[entry.type]++, entry]
  }

  return {
    total,
    async window(from, limit, signal) {
      const size = Math.max(0, Math.min(limit, total - from))
      const found = new Array<TreeEntry>(size)
      let missing = size
      if (missing === 0) return []
      for await (const [rank, entry] of ranked(signal)) {
        if (rank < from || rank >= from + size) continue
        found[rank - from] = entry
        missing -= 1
        if (missing === 0) break
      }
      return found
    },
    async *all(signal) {
      for (const kind of kinds) {
        if (counts[kind] === 0) continue
        for await (const entry of walk(directory, signal)) if (entry.type === kind) yield entry
      }
    },
    tokenOf: exactToken,
    async rankOf(token, signal) {
      for await (const [rank, entry] of ranked(signal)) if (matches(entry, token)) return rank
      return null
    },
  }
}

/** Puts directories into the order of the API, and remembers the small ones. */
export function createTreeOrder() {
  const known: Remembered<Known> = remembered(rememberedWeight, ({ weight }) => weight)
  return async (directory: Directory, signal: AbortSignal): Promise<OrderedTree> => {
    const { repository, tree, path, recursive } = directory
    const key = [repository.directory, tree, recursive, path].join('\0')
    const found = known.get(key) ?? (await lookThrough(directory, signal))
    if (found.weight <= rememberedWeight / 2) known.set(key, found)
    if (found.entries) return heldTree(found.entries)
    if (!found.counts) throw tooMany()
    return walkedTree(directory, found.counts)
  }
}
