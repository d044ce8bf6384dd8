/** Types for writing objects without a work tree. */
import type { Readable } from 'node:stream'
import type { Oid, TreePath } from './names.ts'
import type { FileMode, ObjectType, Person, Quarantine } from './values.ts'

/** A stream of known length, for large content. */
export type SizedStream = { stream: Readable; sizeBytes: number }
export type FileChange =
  /** Writes a file (default mode 100644). */
  | { path: TreePath; content: Buffer | SizedStream; mode?: FileMode }
  /** Places an existing object at a path: a move, a copy, a mode change, a submodule. */
  | { path: TreePath; oid: Oid; mode: FileMode }
  /** Removes a file or a whole directory. */
  | { path: TreePath; content: null }

export type NewCommit = {
  /** The parent; null for a root commit. */
  parent: Oid | null
  author: Person
  committer: Person
  /** Stored unchanged, without an added newline. Must not contain NUL. */
  message: string
  /** Applied in order on top of the parent's tree. */
  changes: readonly FileChange[]
}

export type NewTag = { name: string; target: Oid; targetType: ObjectType; tagger: Person; message: string }

/** A commit of an existing tree. */
export type NewTreeCommit = {
  tree: Oid
  parents: readonly Oid[]
  author: Person
  committer: Person
  message: string
}

/** The sides of a merge; `base` makes it a merge, a pick or a revert. Commits or trees; null is the empty tree. */
export type MergeSides = { base: Oid | null; ours: Oid; theirs: Oid | null }

/** The outcome of a three-way merge without a work tree. */
export type MergeResult = { treeOid: Oid } | { conflicts: readonly string[] }

/** The outcome of replaying commits: the last new commit, or the commit that conflicts. */
export type ReplayResult = { head: Oid } | { conflicting: Oid }

/** Writes objects into a quarantine. Refs are moved through the gate, after the objects are admitted. */
export type Incoming = {
  /** The quarantine, for reading the objects before they are admitted. */
  readonly quarantine: Quarantine
  createCommit(commit: NewCommit): Promise<Oid>
  createTagObject(tag: NewTag): Promise<Oid>
  mergeTrees(sides: MergeSides): Promise<MergeResult>
  /** Merges two histories as `git merge` does. */
  mergeHeads(sides: { ours: Oid; theirs: Oid }): Promise<MergeResult>
  /** Replays commits on another one, as `git rebase` does. */
  replay(replay: { commits: readonly Oid[]; onto: Oid; committer: Person }): Promise<ReplayResult>
  commitTree(commit: NewTreeCommit): Promise<Oid>
  /** Moves the objects written so far into the repository, durably. */
  admit(): Promise<void>
}
