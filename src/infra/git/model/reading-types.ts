/** Types for reading histories, trees and differences: the second half of `Repository`. */
import type { Readable } from 'node:stream'
import type { Oid, TreePath } from './names.ts'
import type { FileMode } from './object-kinds.ts'
import type { Quarantine, ReadOptions } from './read-options.ts'

/** Git's mode of an entry: six octal digits, `040000` for a directory. */
export type EntryMode = FileMode | '040000' | (string & {})

/** An entry of a tree. */
export type TreeEntry = {
  /** Last component. Bytes that are not UTF-8 are replaced, so such an entry is listed but cannot be requested. */
  name: string
  /** From the root of the commit. */
  path: string
  mode: EntryMode
  /** A commit is a submodule. */
  type: 'tree' | 'blob' | 'commit'
  oid: Oid
}

/** A range of history, by ids. */
export type LogQuery = {
  /** Commits to start from; empty starts from every branch and tag. */
  tips: readonly Oid[]
  /** Excludes commits that are reachable from these. */
  excluded?: readonly Oid[]
  /** Only commits that touch this file or directory. */
  path?: TreePath
  /** Part of the author's name or e-mail, case-insensitive; not a pattern. */
  author?: string
  /** ISO times, compared with the committer's date. */
  since?: string
  until?: string
  firstParent?: boolean
  order?: 'default' | 'topo'
  skip?: number
  limit?: number
}

/** Added and removed lines. Binary files are not counted. */
export type DiffStats = { additions: number; deletions: number }

export type FileDiff = {
  oldPath: string
  newPath: string
  /** Six digits, `0` for none. */
  oldMode: string
  newMode: string
  oldOid: Oid | null
  newOid: Oid | null
  status: 'added' | 'deleted' | 'modified' | 'renamed'
  /** From the first `@@` on; empty for binary files and pure mode changes. Bytes that are not UTF-8 are replaced. */
  patch: string
  binary: boolean
  /** The patch was left out because it, or the sum of all patches, exceeds the limits. */
  tooLarge: boolean
}

export type DiffOptions = ReadOptions & {
  /** Only paths below these. */
  paths?: readonly TreePath[]
  /** Longer patches of a file are left out, in bytes. Default 200 KiB. */
  maxPatchBytes?: number
  /** Maximal number of files. Default 1,000. */
  maxFiles?: number
  /** Lines around a change. Default 3. */
  context?: number
}

/** A path that differs between two trees, without its content. */
export type ChangedPath = {
  status: 'added' | 'deleted' | 'modified'
  path: string
  oldMode: string
  newMode: string
  oldOid: Oid | null
  newOid: Oid | null
}

/** A path that a commit changes. */
export type CommitChange = ChangedPath & { commit: Oid }

/** Consecutive lines of a file that one commit has introduced. */
export type BlameHunk = { oid: Oid; lines: string[] }

export type Contributor = { name: string; email: string; commits: number }

export type ArchiveFormat = 'tar' | 'tar.gz' | 'tar.bz2' | 'zip'
export type ArchiveOptions = {
  format: ArchiveFormat
  /** Top directory, without a slash at the end. */
  prefix: string
  /** Only below this directory. */
  path?: TreePath
  /** Leaves out these paths and everything below them. */
  excludedPaths?: readonly TreePath[]
  signal?: AbortSignal
  /** The caller whose process slots are used (see `callerOf`). */
  caller?: string
}

export type RepositoryReading = {
  // tree.ts; through the pool, cached
  /** Finds the entry at a path of a commit; `''` is the root tree. @returns null when the path or the commit does not exist */
  entryAt(commit: Oid, path: TreePath | ''): Promise<TreeEntry | null>
  /** Lists a tree in git's order (by bytes). @param path prepended to the names @returns null when the id is not a tree */
  treeEntries(tree: Oid, path: string): Promise<readonly TreeEntry[] | null>
  /** Yields all entries below a tree, directories before their content. */
  walkTree(tree: Oid, path: string, options?: { signal?: AbortSignal }): AsyncIterable<TreeEntry>

  // log.ts; results depend only on ids, so they are cached
  /** Newest first, or topologically. @throws GitError `object_missing` */
  log(query: LogQuery, options?: ReadOptions): Promise<Oid[]>
  countCommits(query: Pick<LogQuery, 'tips' | 'excluded' | 'firstParent' | 'path'>): Promise<number>
  /** Finds the newest commit at or before `commit` that changed the path. */
  lastCommitOf(commit: Oid, path: TreePath): Promise<Oid | null>
  /** The best common ancestor of all commits; null without one. */
  mergeBase(oids: readonly Oid[], options?: ReadOptions): Promise<Oid | null>
  /** Short names of branches or tags whose history contains the commit, sorted by bytes. */
  refsContaining(commit: Oid, kind: 'branch' | 'tag'): Promise<string[]>
  /** The authors of all commits in a history, by name and e-mail as written in the commits. */
  contributors(commit: Oid): Promise<Contributor[]>

  // diff.ts
  /** The differences between two commits or trees, with renames; null is the empty tree. */
  diff(from: Oid | null, to: Oid | null, options?: DiffOptions): Promise<FileDiff[]>
  /** Statistics of commits against their first parents. One process for all that are not cached. */
  stats(commits: readonly Oid[]): Promise<Map<Oid, DiffStats>>
  /** Yields changed paths; a rename is a removal and an addition. */
  changedPaths(from: Oid | null, to: Oid, options?: ReadOptions): AsyncIterable<ChangedPath>

  // push-reading.ts; one process for many objects, in quarantine too
  /** Yields the paths that each commit changes against its parent; none for a merge. */
  changesOf(commits: readonly Oid[], options?: ReadOptions): AsyncIterable<CommitChange>
  /**
   * Reads the blobs in quarantine that are smaller than `maxBytes`, in portions. `look` returns whether to continue; it must not
   * wait for another command.
   */
  quarantinedBlobs(
    options: { quarantine: Quarantine; maxBytes: number; signal?: AbortSignal },
    look: (contents: readonly Buffer[]) => Promise<boolean>,
  ): Promise<void>
  /** Sizes of objects, in bytes. Ids that do not exist are absent. */
  objectSizes(oids: readonly Oid[], options?: ReadOptions): Promise<Map<Oid, number>>
  /** Returns the commits that contain a signature, valid or not. */
  signedCommits(oids: readonly Oid[], options?: ReadOptions): Promise<Set<Oid>>

  // blame.ts
  /** @param range first and last line, counted from 1 @throws GitError `object_missing` when there is no such file */
  blame(commit: Oid, path: TreePath, range?: { start: number; end: number }): Promise<BlameHunk[]>

  // archive.ts
  // Both streams are destroyed with GitError `timeout` when they are not read for `clientIdleMs`
  /** Streams an archive. The same commit gives the same bytes. Destroying the stream ends its process. */
  archive(commit: Oid, options: ArchiveOptions): Promise<Readable>
  /** A tar of the bare repository's own files, safe to unpack as a repository. */
  tarball(options?: { signal?: AbortSignal; caller?: string }): Promise<Readable>

  // signature.ts
  /** The raw signature of a commit and the signed bytes; null when it has none. */
  commitSignature(commit: Oid): Promise<{ signature: string; payload: Buffer } | null>
}
