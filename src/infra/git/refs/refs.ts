/** Caches the newest snapshot of the refs of each repository, by generation (design §5). */

import { LRUCache } from 'lru-cache'
import { branchName, type Oid, parseOid, type RefName, tagName } from '../model/names.ts'
import {
  type BranchRef,
  type CurrentRefs,
  nextSnapshot,
  type RefSnapshot,
  refSnapshot,
  type TagRef,
} from '../model/ref-snapshot.ts'
import type { ObjectType, RefChange } from '../model/types.ts'
import type { RepositoryContext, SharedContext } from '../objects/context.ts'
import type { Command } from '../process/command.ts'
import { recordsOf } from '../process/output.ts'
import { readHead } from './head-file.ts'

export type RefCache = {
  /** Branches and tags as of a generation, and HEAD as it is. Starts one process when the generation is not cached. @throws GitError */
  refs(directory: string, generation: number | string): Promise<RefSnapshot>
  /**
   * After a change of refs was recorded: derives the snapshot of `generation` from that of `previousGeneration` and reads only the
   * changed refs from the repository. Only the names in `changes` are used.
   */
  derive(
    directory: string,
    generation: number | string,
    previousGeneration: number | string,
    changes: readonly RefChange[],
  ): void
  /**
   * As `refs`, with those that `changed` names as they are in the repository now, for changes that no generation counts yet.
   */
  current(directory: string, generation: number | string, changed: readonly RefName[]): Promise<RefSnapshot>
  drop(directory: string): void
}

/** The context of listing refs. */
type Source = Pick<SharedContext, 'runner' | 'pool'>
type RepositorySource = Source & Pick<RepositoryContext, 'directory'>

/** `count` is 1 until the snapshot is loaded. */
type Entry = { generation: number | string; snapshot: Promise<RefSnapshot>; count: number }

/** So many refs are read sooner all at once than one by one. */
const MANY_REFS = 1_000

/** The weight of an empty snapshot, in refs. */
const SNAPSHOT_OVERHEAD = 10

/**
 * Creates an LRU cache of the newest snapshot of each repository, bounded by `limits.cachedRefs`.
 *
 * The generation must be incremented after a ref has moved, never before: a snapshot may be newer than its generation, but
 * not older.
 */
export function refCache(shared: Source): RefCache {
  const maxSize = shared.runner.limits.cachedRefs
  // A snapshot with more refs than the limit is cached alone.
  const sizeCalculation = ({ count }: Entry) => Math.min(count, maxSize)
  const entries = new LRUCache<string, Entry>({ maxSize, sizeCalculation })

  function store(directory: string, generation: number | string, snapshot: Promise<RefSnapshot>): Promise<RefSnapshot> {
    const entry: Entry = { generation, snapshot, count: 1 }
    entries.set(directory, entry)
    const isCurrent = () => entries.peek(directory) === entry
    snapshot.then(
      ({ branches, tags }) => {
        const count = branches.length + tags.length + SNAPSHOT_OVERHEAD
        if (isCurrent()) entries.set(directory, { ...entry, count })
      },
      () => {
        if (isCurrent()) entries.delete(directory)
      },
    )
    return snapshot
  }

  function refs(directory: string, generation: number | string): Promise<RefSnapshot> {
    const entry = entries.get(directory)
    if (entry?.generation === generation) return withHead(directory, entry.snapshot)
    return store(directory, generation, load({ ...shared, directory }, generation))
  }

  return {
    refs,
    derive(directory, generation, previousGeneration, changes) {
      const entry = entries.get(directory)
      if (entry?.generation !== previousGeneration) return
      const next = async () => {
        const previous = await entry.snapshot
        const names = changes.map(({ ref }) => ref)
        const [head, current] = await Promise.all([readHead(directory), readCurrent({ ...shared, directory }, names)])
        return nextSnapshot(previous, generation, head, current)
      }
      store(directory, generation, next())
    },
    async current(directory, generation, changed) {
      if (changed.length > MANY_REFS) return load({ ...shared, directory }, generation)
      const base = await refs(directory, generation)
      const [head, current] = await Promise.all([readHead(directory), readCurrent({ ...shared, directory }, changed)])
      return nextSnapshot(base, generation, head, current)
    },
    drop: (directory) => void entries.delete(directory),
  }
}

/** A new default branch moves HEAD without a new generation, also from another process, so HEAD is read each time. */
async function withHead(directory: string, cached: Promise<RefSnapshot>): Promise<RefSnapshot> {
  const [snapshot, head] = await Promise.all([cached, readHead(directory)])
  return head === snapshot.head ? snapshot : { ...snapshot, head }
}

/**
 * Reads changed refs from the repository. Two changes of one ref may be recorded in the other order than they were made,
 * so `change.new` need not be where the ref is now.
 */
async function readCurrent(source: RepositorySource, changed: readonly RefName[]): Promise<CurrentRefs> {
  const reader = source.pool.reader(source.directory)
  const branches = new Map<string, BranchRef | null>()
  const tags = new Map<string, TagRef | null>()
  await Promise.all(
    changed.map(async (ref) => {
      const [branch, tag] = [branchName(ref), tagName(ref)]
      if (tag !== null) tags.set(tag, await readTag(source, tag, ref))
      if (branch === null) return
      const answer = await reader.at(ref)
      branches.set(branch, answer && { name: branch, oid: answer.oid })
    }),
  )
  return { branches, tags }
}

/** @param at the tag's ref, or the id it points at */
async function readTag({ pool, directory }: RepositorySource, name: string, at: RefName | Oid): Promise<TagRef | null> {
  const reader = pool.reader(directory)
  const [own, peeled] = await Promise.all([reader.at(at), reader.peeled(at)])
  if (own === null || peeled === null) return null
  return { name, oid: own.oid, type: own.type, peeled: peeled.oid, peeledType: peeled.type }
}

async function load(source: RepositorySource, generation: number | string): Promise<RefSnapshot> {
  // HEAD first: this fails when the repository does not exist.
  const head = await readHead(source.directory)
  const branches: BranchRef[] = []
  let [hasTags, isWhole] = [false, true]
  // With types, git would read every object, which takes twenty times as long. A branch is always a commit.
  for await (const line of listRefs(source, '%(objectname) %(refname)', ['refs/heads', 'refs/tags'])) {
    const branch = parseBranch(line)
    if (branch !== null) branches.push(branch)
    else if (line.includes(' refs/tags/')) hasTags = true
    else isWhole = false
  }
  if (!hasTags) return refSnapshot(generation, head, branches, [], isWhole)
  const { tags, areAll } = await loadTags(source)
  return refSnapshot(generation, head, branches, tags, isWhole && areAll)
}

/** The tags, and whether they are all: names that are not UTF-8 are left out. */
async function loadTags(source: RepositorySource): Promise<{ tags: TagRef[]; areAll: boolean }> {
  const format = '%(objectname) %(objecttype) %(*objectname) %(*objecttype) %(refname)'
  const tags: TagRef[] = []
  let areAll = true
  for await (const line of listRefs(source, format, ['refs/tags'])) {
    const tag = parseTag(line)
    if (tag !== null) tags.push(tag)
    else areAll = false
  }
  // `%(*objectname)` follows only one tag. A tag of a tag is looked up.
  for (const [index, tag] of tags.entries()) {
    if (tag.peeledType === 'tag') tags[index] = (await readTag(source, tag.name, tag.oid)) ?? tag
  }
  return { tags, areAll }
}

/** Yields the lines of `for-each-ref`, sorted by the bytes of the names. */
function listRefs(
  { runner, directory }: RepositorySource,
  format: string,
  prefixes: ('refs/heads' | 'refs/tags')[],
): AsyncGenerator<Buffer> {
  const operands = prefixes as string[] as RefName[]
  const command: Command = { subcommand: 'for-each-ref', flags: [`--format=${format}`], operands, directory }
  return recordsOf(runner, command)
}

const SPACE = 0x20

/** `<oid> refs/heads/<name>`; null for a tag. Strings are copied from the bytes: slices would hold whole lines in memory. */
function parseBranch(line: Buffer): BranchRef | null {
  const end = line.indexOf(SPACE)
  const oid = parseOid(line.toString('latin1', 0, end))
  const name = nameAfter('refs/heads/', line, end + 1)
  return oid === null || name === null ? null : { name, oid }
}

/** `<oid> <type> <peeled oid> <peeled type> refs/tags/<name>`; the middle is empty for a lightweight tag. */
function parseTag(line: Buffer): TagRef | null {
  const fields: string[] = []
  let start = 0
  for (let end = line.indexOf(SPACE); end >= 0; end = line.indexOf(SPACE, start)) {
    fields.push(line.toString('latin1', start, end))
    start = end + 1
  }
  const [id = '', type = '', peeledId = '', peeledType = ''] = fields
  const oid = parseOid(id)
  const name = nameAfter('refs/tags/', line, start)
  if (oid === null || name === null) return null
  return {
    name,
    oid,
    type: typeOf(type),
    peeled: parseOid(peeledId) ?? oid,
    peeledType: typeOf(peeledType === '' ? type : peeledType),
  }
}

/** Returns one string per type, and not one per tag. */
function typeOf(text: string): ObjectType {
  return (['commit', 'tag', 'tree', 'blob'] as const).find((type) => type === text) ?? 'blob'
}

/** Null for another prefix and for a name that is not UTF-8, which the API cannot address. Only imports may contain such names. */
function nameAfter(prefix: string, line: Buffer, start: number): string | null {
  const nameStart = start + prefix.length
  if (line.toString('latin1', start, nameStart) !== prefix) return null
  const name = line.toString('utf8', nameStart)
  return name.includes('\ufffd') && !Buffer.from(name).equals(line.subarray(nameStart)) ? null : name
}
