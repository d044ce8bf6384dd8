import { hash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { failure } from '../../../api/index.ts'
import { compareByBytes, type Oid, type Repository, type TreeEntry } from '../../../infra/git/index.ts'
import { type Platform, perPlatform } from '../../../platform/index.ts'

/** The order of the API: directories, files, submodules (contract 22, x.repo_tree). */
const kinds = ['tree', 'blob', 'commit'] as const

/** A directory to list. */
type Directory = { repository: Repository; tree: Oid; path: string; recursive: boolean }

/** The entries of a directory in the order of the API. Large directories are read in portions. */
export type OrderedTree = {
  total: number
  /** The entries from a rank. */
  window(from: number, limit: number, signal: AbortSignal): Promise<readonly TreeEntry[]>
  /** All entries. */
  all(signal: AbortSignal): AsyncIterable<TreeEntry>
  /** The `page_token` of an entry. */
  tokenOf(entry: TreeEntry): string
  /** The rank of the entry with this token; null for an unknown one. */
  rankOf(token: string, signal: AbortSignal): Promise<number | null>
}

/** A cache entry: the entries of a small directory, the counts of a large one, neither for one that is too large. */
type Known = { entries: readonly TreeEntry[] | null; counts: Counts | null; weight: number }
type Counts = Record<TreeEntry['type'], number>

/** Weights are characters of paths plus an estimate for the rest of an entry: about bytes. */
const entryWeight = 200
const cacheWeight = 24_000_000
/** Recursive lists above this weight are read again for each page. */
const heldWeight = 2_000_000
/** Nested copies of a tree can multiply its entries without limit. */
const maximumEntries = 1_000_000
/** Longer paths cannot be requested, and are left out. */
const maximumPathLength = 16_384

const tooMany = () =>
  failure(422, 'The tree has too many entries to be listed recursively. Please list its directories one by one.')

/** Entries below a directory, each directory before its content, without overlong paths. */
async function* walk({ repository, tree, path }: Directory, signal: AbortSignal): AsyncGenerator<TreeEntry> {
  for await (const entry of repository.walkTree(tree, path, { signal })) {
    if (entry.path.length <= maximumPathLength) yield entry
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

async function scan(directory: Directory, signal: AbortSignal): Promise<Known> {
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
    if (entry.path.length > maximumPathLength) continue
    counts[entry.type] += 1
    weight += entry.path.length + entryWeight
    if (weight > heldWeight) entries = null
    entries?.push(entry)
  }
  return entries ? { entries: grouped(entries), counts, weight } : { entries: null, counts, weight: entryWeight }
}

/** Entries with equal content have one id, so the token includes a hash of the path. */
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

/** Reads the directory again for each portion; the counts give the rank at which each kind begins. */
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

const cacheOf = perPlatform(() => {
  // The cache takes no entries of size 0.
  const sizeCalculation = ({ weight }: Known) => Math.max(1, weight)
  return new LRUCache<string, Known>({ maxSize: cacheWeight, maxEntrySize: cacheWeight / 2, sizeCalculation })
})

/** The entries of a directory in the order of the API; small directories are cached. */
export async function orderedTree(platform: Platform, directory: Directory, signal: AbortSignal): Promise<OrderedTree> {
  const { repository, tree, path, recursive } = directory
  const cache = cacheOf(platform)
  const key = [repository.directory, tree, recursive, path].join('\0')
  const cached = cache.get(key)
  const found = cached ?? (await scan(directory, signal))
  if (!cached) cache.set(key, found)
  if (found.entries) return heldTree(found.entries)
  if (!found.counts) throw tooMany()
  return walkedTree(directory, found.counts)
}
