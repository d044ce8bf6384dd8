import { failure } from '../../../api/index.ts'
import type { EntryMode, FileChange, FileMode, Oid, Repository, TreePath } from '../../../infra/git/index.ts'

/** What a file is to hold: new content, or an object that the repository has. */
export type StagedFile = { mode: FileMode } & ({ content: Buffer } | { oid: Oid })

/** What stands at a path. `obstacle` is a file further up, through which no path leads. */
export type Standing =
  | { kind: 'nothing' }
  | { kind: 'directory' }
  | { kind: 'file'; file: StagedFile }
  | { kind: 'obstacle'; path: string }

/** The tree of a commit with changes that are not written yet; each sees those before it. */
export type StagedTree = {
  at(path: TreePath): Promise<Standing>
  /** Whatever is there must have been looked at before: a file may only be put where there is none in the way. */
  put(path: TreePath, file: StagedFile): void
  remove(path: TreePath): void
  /** Everything that differs from the commit, in an order in which it can be written; each file once. */
  changes(): FileChange[]
}

/** A component of a path that a change touches. */
type Node = {
  children: Map<string, Node>
  /** The file that is put here, null for one that is taken away. */
  staged?: StagedFile | null
  /** How many files are put here and below. */
  files: number
}

/** More than any commit has; each costs memory while the commit is put together. */
const maximumComponents = 250_000

/** Old histories have modes, such as `100664`, that git reads and writes no more. */
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

  /** Whether a directory of the commit, asked for once: many files may go to the same one. */
  function isDirectoryInBase(path: string): Promise<boolean> {
    const asked = directories.get(path) ?? inBase(path).then((entry) => entry?.type === 'tree')
    directories.set(path, asked)
    return asked
  }

  /** How many components of a path lead to something in the commit. */
  async function depthInBase(parts: readonly string[]): Promise<number> {
    let [reached, missing] = [0, parts.length]
    while (missing - reached > 1) {
      const middle = (reached + missing) >> 1
      if (await inBase(parts.slice(0, middle).join('/'))) reached = middle
      else missing = middle
    }
    return reached
  }

  /** Whether something of a directory of the commit is left. */
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

  async function fromBase(path: TreePath, parts: readonly string[], node: Node | undefined): Promise<Standing> {
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

  /** The staged file that stands above a path. */
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
      const inTheWay = obstacle(parts)
      if (inTheWay !== null) return { kind: 'obstacle', path: inTheWay }
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
      // A file may be put where a directory was emptied, or below where a file was.
      return [...removed, ...written]
    },
  }
}
