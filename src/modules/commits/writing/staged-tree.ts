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

/** @param base null for the empty tree */
export function stagedTree(repository: Pick<Repository, 'entryAt' | 'treeEntries'>, base: Oid | null): StagedTree {
  const root = emptyNode()
  let components = 0

  const inBase = async (path: string) => (base ? repository.entryAt(base, path as TreePath | '') : null)

  const directories = new Map<string, Promise<boolean>>()

  /** Whether a path is a directory of the commit; cached, since many files may be added to the same one. */
  function isDirectoryInBase(path: string): Promise<boolean> {
    const cached = directories.get(path) ?? inBase(path).then((entry) => entry?.type === 'tree')
    directories.set(path, cached)
    return cached
  }

  /** Number of leading components of a path that exist in the commit. */
  async function depthInBase(parts: readonly string[]): Promise<number> {
    let [reached, missing] = [0, parts.length]
    while (missing - reached > 1) {
      const middle = (reached + missing) >> 1
      if (await inBase(parts.slice(0, middle).join('/'))) reached = middle
      else missing = middle
    }
    return reached
  }

  /** Whether a directory of the commit still has entries. */
  async function isLeft(node: Node, tree: Oid, path: string): Promise<boolean> {
    const entries = (await repository.treeEntries(tree, path)) ?? []
    if (entries.length > node.children.size) return true
    for (const { name, type, oid, path: below } of entries) {
      const child = node.children.get(name)
      if (!child) return true
      if (type === 'tree' ? await isLeft(child, oid, below) : child.staged === undefined) return true
    }
    return false
  }

  async function fromBase(path: TreePath, parts: readonly string[], node: Node | undefined): Promise<PathEntry> {
    const entry = await inBase(path)
    if (entry?.type === 'tree') {
      const isThere = !node || (await isLeft(node, entry.oid, path))
      return { kind: isThere ? 'directory' : 'nothing' }
    }
    if (entry) return { kind: 'file', file: { mode: writableMode(entry.mode), oid: entry.oid } }
    if (await isDirectoryInBase(parts.slice(0, -1).join('/'))) return { kind: 'nothing' }
    const above = parts.slice(0, await depthInBase(parts)).join('/')
    const found = above === '' ? null : await inBase(above)
    if (!found || found.type === 'tree' || nodeAt(above.split('/'))?.staged === null) return { kind: 'nothing' }
    return { kind: 'obstacle', path: above }
  }

  function nodeAt(parts: readonly string[]): Node | undefined {
    let node: Node | undefined = root
    for (const part of parts) node = node?.children.get(part)
    return node
  }

  /** The staged file at a parent directory of a path. */
  function obstacle(parts: readonly string[]): string | null {
    let node: Node | undefined = root
    for (const [depth, part] of parts.slice(0, -1).entries()) {
      node = node.children.get(part)
      if (!node) return null
      if (node.staged) return parts.slice(0, depth + 1).join('/')
    }
    return null
  }

  function stage(path: TreePath, staged: StagedFile | null): void {
    const parts = path.split('/')
    components += parts.length
    if (components > maximumComponents) throw failure(400, 'Too many files')
    const difference = (staged ? 1 : 0) - (nodeAt(parts)?.staged ? 1 : 0)
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

  return {
    async at(path) {
      const parts = path.split('/')
      const blocking = obstacle(parts)
      if (blocking !== null) return { kind: 'obstacle', path: blocking }
      const node = nodeAt(parts)
      if (node?.staged) return { kind: 'file', file: node.staged }
      if (node && node.files > 0) return { kind: 'directory' }
      return node?.staged === null ? { kind: 'nothing' } : fromBase(path, parts, node)
    },
    put: stage,
    remove: (path) => stage(path, null),
    changes() {
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
    },
  }
}
