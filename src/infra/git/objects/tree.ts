/** Reads tree objects through the pool and caches them. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { GitError } from '../model/errors.ts'
import type { Oid, TreePath } from '../model/names.ts'
import type { TreeEntry } from '../model/reading-types.ts'
import type { RepositoryContext } from './context.ts'
import { remembered } from './history-cache.ts'
import { readCommits } from './objects.ts'
import { findEntry, parseEntry, type RawEntry, treeEntry } from './tree-object.ts'

/** Larger trees are refused, in bytes: a directory of a million files. */
const TREE_BYTES = 64 * 1024 * 1024
/** Larger trees are not cached, in bytes. */
const CACHED_TREE_BYTES = 4 * 1024 * 1024
/** How much a walk may hold of the parent directories, in bytes. The others are read again. */
const HELD_BYTES = 16 * 1024 * 1024
/** A walk over cached trees never waits, so it yields to the event loop after this many entries. */
const ENTRIES_PER_TURN = 2_000

/** The overhead of an entry, in bytes. */
const ENTRY_WEIGHT = 200

/**
 * Finds the entry at a path of a commit; `''` is the root tree. @returns null when the path or the commit does not exist
 * @throws GitError `too_large` for a directory above 64 MiB
 */
export async function entryAt(context: RepositoryContext, commit: Oid, path: TreePath | ''): Promise<TreeEntry | null> {
  const root = (await readCommits(context, [commit])).get(commit)?.treeOid
  if (root === undefined) return null
  if (path === '') return { name: '', path: '', mode: '040000', type: 'tree', oid: root }
  const weightOf = () => ENTRY_WEIGHT + path.length
  return remembered(context, 'entry', `${commit} ${path}`, weightOf, () => findPath(context, root, path))
}

async function findPath(context: RepositoryContext, root: Oid, path: TreePath): Promise<TreeEntry | null> {
  const names = path.split('/')
  let tree = root
  for (const [depth, name] of names.entries()) {
    const content = await readTree(context, tree)
    const entry = content === null ? null : findEntry(content, tree, Buffer.from(name))
    if (content === null || entry === null) return null
    const found = treeEntry(content, entry, '')
    if (depth === names.length - 1) return { ...found, path }
    if (found.type !== 'tree') return null
    tree = found.oid
  }
  return null
}

/**
 * Lists the entries of a tree in git's order. @returns null when the id is not a tree
 * @param path the path of the tree, prepended to the names
 * @throws GitError `too_large` for a directory above 64 MiB
 */
export async function treeEntries(
  context: RepositoryContext,
  tree: Oid,
  path: string,
): Promise<readonly TreeEntry[] | null> {
  if (context.trees.get(context.directory, tree) === undefined) {
    // The size is limited: the id may belong to a large blob.
    const info = await context.pool.reader(context.directory).info(tree)
    if (info?.type !== 'tree') return null
  }
  const content = await readTree(context, tree)
  if (content === null) return null
  const entries: TreeEntry[] = []
  for (let offset = 0; offset < content.length; ) {
    const raw = parseEntry(content, tree, offset)
    entries.push(treeEntry(content, raw, path))
    offset = raw.end
    if (entries.length % ENTRIES_PER_TURN === 0) await nextTurn()
  }
  return entries
}

/** A directory of a walk. `content` is null when it must be read again. */
type Frame = { oid: Oid; path: string; offset: number; content: Buffer | null }

/**
 * Yields all entries below a tree, directories before their content, in bounded memory.
 * @throws GitError `object_missing` when a tree does not exist, `aborted`
 */
export async function* walkTree(
  context: RepositoryContext,
  tree: Oid,
  path: string,
  { signal }: { signal?: AbortSignal } = {},
): AsyncGenerator<TreeEntry> {
  const frames: Frame[] = [{ oid: tree, path, offset: 0, content: null }]
  let heldBytes = 0
  let count = 0
  for (let frame = frames.at(-1); frame !== undefined; frame = frames.at(-1)) {
    const content: Buffer | null = frame.content ?? (await readTree(context, frame.oid))
    if (content === null) throw new GitError('object_missing', `no tree ${frame.oid}`)
    heldBytes -= frame.content?.length ?? 0
    frame.content = null
    const isDone = frame.offset >= content.length
    if (isDone) frames.pop()
    while (frame.offset < content.length) {
      if (signal?.aborted) throw new GitError('aborted', 'aborted in the middle of a tree')
      count += 1
      if (count % ENTRIES_PER_TURN === 0) await nextTurn()
      const raw: RawEntry = parseEntry(content, frame.oid, frame.offset)
      frame.offset = raw.end
      const entry = treeEntry(content, raw, frame.path)
      yield entry
      if (entry.type !== 'tree') continue
      frames.push({ oid: entry.oid, path: entry.path, offset: 0, content: null })
      if (heldBytes + content.length <= HELD_BYTES) {
        frame.content = content
        heldBytes += content.length
      }
      break
    }
  }
}

async function readTree({ pool, trees, directory }: RepositoryContext, oid: Oid): Promise<Buffer | null> {
  const known = trees.get(directory, oid)
  if (known !== undefined) return known
  const answer = await pool.reader(directory).contents(oid, TREE_BYTES)
  if (answer?.type !== 'tree') return null
  if (answer.sizeBytes > TREE_BYTES) throw new GitError('too_large', `a tree of ${answer.sizeBytes} bytes`)
  // A copy: a small buffer is part of a shared one, which would stay in memory.
  if (answer.sizeBytes <= CACHED_TREE_BYTES)
    trees.set(directory, oid, Buffer.from(new Uint8Array(answer.content).buffer))
  return answer.content
}
