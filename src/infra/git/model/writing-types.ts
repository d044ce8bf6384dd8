/** The types of writing objects without a work tree. */
import type { Readable } from 'node:stream'
import type { Oid, TreePath } from './names.ts'
import type { FileMode, ObjectType } from './object-kinds.ts'
import type { Person } from './person.ts'
import type { Quarantine } from './read-options.ts'

/** A stream of known length, for content that is too large to hold. */
export type SizedStream = { stream: Readable; sizeBytes: number }
export type FileChange =
  /** Writes a file (default mode 100644). */
  | { path: TreePath; content: Buffer | SizedStream; mode?: FileMode }
  /** Puts an object that the repository already has at a path: a move, a copy, a change of mode, a submodule. */
  | { path: TreePath; oid: Oid; mode: FileMode }
  /** Removes a file or a whole directory. */
  | { path: TreePath; content: null }

export type NewCommit = {
  /** Start of the history; null makes a root commit. */
  parent: Oid | null
  author: Person
  committer: Person
  /** Kept to the byte: no newline is added. Must not contain NUL. */
  message: string
  /** Applied in order on top of the parent's tree. */
  changes: readonly FileChange[]
}

export type NewTag = { name: string; target: Oid; targetType: ObjectType; tagger: Person; message: string }

/** A commit of a tree that exists. */
export type NewTreeCommit = {
  tree: Oid
  parents: readonly Oid[]
  author: Person
  committer: Person
  message: string
}

/** What a merge starts from: a pick, a revert or a merge, as `base` says. Commits or trees; null is the empty tree. */
export type MergeSides = { base: Oid | null; ours: Oid; theirs: Oid | null }

/** The outcome of a three-way merge without a work tree. */
export type MergeResult = { treeOid: Oid } | { conflicts: readonly string[] }

/** Objects on their way into a repository. They move no ref: that is done through the gate, once they are admitted. */
export type Incoming = {
  /** Where they wait; given to whoever is to read them before they are in. */
  readonly quarantine: Quarantine
  createCommit(commit: NewCommit): Promise<Oid>
  createTagObject(tag: NewTag): Promise<Oid>
  mergeTrees(sides: MergeSides): Promise<MergeResult>
  commitTree(commit: NewTreeCommit): Promise<Oid>
  /** Lets in what has been written so far, durably. */
  admit(): Promise<void>
}
