import { failure } from '../../../api/index.ts'
import type { EntryMode, FileChange, FileMode, Oid, Repository, TreePath } from '../../../infra/git/index.ts'

/** New content for a file, or an object of the repository. */
export type StagedFile = { mode: FileMode } & ({ content: Buffer } | { oid: Oid })

/** What is at a path. `obstacle` is a file at a parent directory of the path. */
export type PathEntry =
  | { kind: 'nothing' }
  | { kind: 'directory' }
  | { kind: 'file'; file: StagedFile }
  | { kind: 'obstacle'; path: string }

/** The tree of a commit with changes that are not written yet. */
export type StagedTree = {
  at(path: TreePath): Promise<PathEntry>
  /** The caller must have checked with `at` that the path is free or a file. */
  put(path: TreePath, file: StagedFile): void
  remove(path: TreePath): void
  /** Differences from the commit, each file once, in an order in which they can be written. */
  changes(): FileChange[]
}

/** A component of a changed path. */
type Node = {
  children: Map<string, Node>
  /** The new file; null when the file is removed. */
  staged?: StagedFile | null
  /** Number of files added here and below. */
  files: number
}

/** Limits the memory of one commit. */
const maximumComponents = 250_000

/** Old histories have modes, such as `100664`, that git still reads but no longer writes. */
function writableMode(mode: EntryMode): FileMode {
  if (!mode.startsWith('100')) return mode as FileMode
  return Number.parseInt(mode, 8) & 0o100 ? '100755' : '100644'
}

const emptyNode = (): Node => ({ children: new Map(), files: 0 })

/** The changes, and the commit below them. */
type State = {
  repository: Pick<Repository, 'entryAt' | 'treeEntries'>
  base: Oid | null
  root: Node
  /** Of all staged paths. */
  components: number
  /** Whether a path is a directory of the commit: many files may be added to the same one. */
  directories: Map<string, Promise<boolean>>
}

/** @param base null for the empty tree */
export function stagedTree(repository: Pick<Repository, 'entryAt' | 'treeEntries'>, base: Oid | null): StagedTree {
  const state: State = { repository, base, root: emptyNode(), components: 0, directories: new Map() }
  return {
    at: (path) => entryAt(state, path),
    put: (path, file) => stage(state, path, file),
    remove: (path) => stage(state, path, null),
    changes: () => changesOf(state.root),
  }
}

async function inBase({ repository, base }: State, path: string) {
  return base ? repository.entryAt(base, path as TreePath | '') : null
}

/** Whether a path is a directory of the commit. */
function isDirectoryInBase(state: State, path: string): Promise<boolean> {
  const { directories } = state
  const cached = directories.get(path) ?? inBase(state, path).then((entry) => entry?.type === 'tree')
  directories.set(path, cached)
  return cached
}

/** Number of leading components of a path that exist in the commit. */
async function depthInBase(state: State, parts: readonly string[]): Promise<number> {
  let [reached, missing] = [0, parts.length]
  while (missing - reached > 1) {
    const middle = (reached + missing) >> 1
    if (await inBase(state, parts.slice(0, middle).join('/'))) reached = middle
    else missing = middle
  }
  return reached
}

/** Whether a directory of the commit still has entries. */
async function isLeft(
  { repository }: Pick<State, 'repository'>,
  node: Node,
  tree: Oid,
  path: string,
): Promise<boolean> {
  const entries = (await repository.treeEntries(tree, path)) ?? []
  if (entries.length > node.children.size) return true
  for (const { name, type, oid, path: below } of entries) {
    const child = node.children.get(name)
    if (!child) return true
    if (type === 'tree' ? await isLeft({ repository }, child, oid, below) : child.staged === undefined) return true
  }
  return false
}

async function entryAt(state: State, path: TreePath): Promise<PathEntry> {
  const parts = path.split('/')
  const blocking = obstacle(state.root, parts)
  if (blocking !== null) return { kind: 'obstacle', path: blocking }
  const node = nodeAt(state.root, parts)
  if (node?.staged) return { kind: 'file', file: node.staged }
  if (node && node.files > 0) return { kind: 'directory' }
  return node?.staged === null ? { kind: 'nothing' } : fromBase(state, path, parts, node)
}

async function fromBase(
  state: State,
  path: TreePath,
  parts: readonly string[],
  node: Node | undefined,
): Promise<PathEntry> {
  const entry = await inBase(state, path)
  if (entry?.type === 'tree') {
    const isThere = !node || (await isLeft(state, node, entry.oid, path))
    return { kind: isThere ? 'directory' : 'nothing' }
  }
  if (entry) return { kind: 'file', file: { mode: writableMode(entry.mode), oid: entry.oid } }
  if (await isDirectoryInBase(state, parts.slice(0, -1).join('/'))) return { kind: 'nothing' }
  const above = parts.slice(0, await depthInBase(state, parts)).join('/')
  const found = above === '' ? null : await inBase(state, above)
  if (!found || found.type === 'tree' || nodeAt(state.root, above.split('/'))?.staged === null)
    return { kind: 'nothing' }
  return { kind: 'obstacle', path: above }
}

function nodeAt(root: Node, parts: readonly string[]): Node | undefined {
  let node: Node | undefined = root
  for (const part of parts) node = node?.children.get(part)
  return node
}

/** The staged file at a parent directory of a path. */
function obstacle(root: Node, parts: readonly string[]): string | null {
  let node: Node | undefined = root
  for (const [depth, part] of parts.slice(0, -1).entries()) {
    node = node.children.get(part)
    if (!node) return null
    if (node.staged) return parts.slice(0, depth + 1).join('/')
  }
  return null
}

function stage(state: State, path: TreePath, staged: StagedFile | null): void {
  const { root } = state
  const parts = path.split('/')
  state.components += parts.length
  if (state.components > maximumComponents) throw failure(400, 'Too many files')
  const difference = (staged ? 1 : 0) - (nodeAt(root, parts)?.staged ? 1 : 0)
  let node = root
  node.files += difference
  for (const part of parts) {
    const child: Node = node.children.get(part) ?? emptyNode()
    node.children.set(part, child)
    child.files += difference
    node = child
  }
  node.staged = staged
}

function changesOf(root: Node): FileChange[] {
  const removed: FileChange[] = []
  const written: FileChange[] = []
  const pending: [path: string, node: Node][] = [['', root]]
  for (let next = pending.pop(); next; next = pending.pop()) {
    const [path, { staged, children }] = next
    if (staged) written.push({ path: path as TreePath, ...staged })
    else if (staged === null) removed.push({ path: path as TreePath, content: null })
    for (const [name, child] of children) pending.push([path === '' ? name : `${path}/${name}`, child])
  }
  // Removals first: a file may replace an emptied directory, or be added below a removed file.
  return [...removed, ...written]
}
