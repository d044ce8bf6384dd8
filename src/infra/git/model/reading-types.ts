/** What can be read of a history beyond single objects, and how trees are merged: the second half of `Repository`. */
import type { Readable } from 'node:stream'
import type { Oid, TreePath } from './names.ts'
import type { FileMode } from './object-kinds.ts'
import type { Quarantine, ReadOptions } from './read-options.ts'

/** Git's mode of an entry: six octal digits, `040000` for a directory. */
export type EntryMode = FileMode | '040000' | (string & {})

/** One line of a tree. */
export type TreeEntry = {
  /** Last component. Bytes that are not UTF-8 are replaced, so such an entry is listed and cannot be asked for. */
  name: string
  /** From the root of the commit. */
  path: string
  mode: EntryMode
  /** A commit is a submodule. */
  type: 'tree' | 'blob' | 'commit'
  oid: Oid
}

/** A range of history, by ids alone. */
export type LogQuery = {
  /** Commits to start from; empty starts from every branch and tag. */
  tips: readonly Oid[]
  /** Leave out what can be reached from these. */
  excluded?: readonly Oid[]
  /** Only commits that touch this file or directory. */
  path?: TreePath
  /** Part of the author's name or e-mail, without regard to case; never a pattern. */
  author?: string
  /** Not before, not after: ISO texts, compared with the committer's date. */
  since?: string
  until?: string
  firstParent?: boolean
  order?: 'default' | 'topo'
  skip?: number
  limit?: number
}

/** Added and removed lines; binary files count for nothing. */
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
  /** From the first `@@` on; empty for binary files and for changes of mode alone. Bytes that are not UTF-8 are replaced. */
  patch: string
  binary: boolean
  /** The patch was left out because it, or the whole before it, passed the limits. */
  tooLarge: boolean
}

export type DiffOptions = ReadOptions & {
  /** Only below these. */
  paths?: readonly TreePath[]
  /** A file's patch above this is left out, in bytes. Default 200 KiB. */
  maxPatchBytes?: number
  /** From this many files on the rest is left out. Default 1,000. */
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

/** Consecutive lines of a file that came with one commit. */
export type BlameHunk = { oid: Oid; lines: string[] }

export type Contributor = { name: string; email: string; commits: number }

export type ArchiveFormat = 'tar' | 'tar.gz' | 'tar.bz2' | 'zip'
export type ArchiveOptions = {
  format: ArchiveFormat
  /** Top directory, without a slash at the end. */
  prefix: string
  /** Only below this directory. */
  path?: TreePath
  /** Leave out what is at or below these. */
  excludedPaths?: readonly TreePath[]
  signal?: AbortSignal
  /** On whose behalf it is packed: those who share a caller share its places. */
  caller?: string
}

export type RepositoryReading = {
  // tree.ts; through the pool, cached: no process for a hot repository
  /** What stands at a path of a commit; the root tree for `''`. Null when there is nothing, or no such commit. */
  entryAt(commit: Oid, path: TreePath | ''): Promise<TreeEntry | null>
  /** The entries of one directory in git's own order (by bytes), or null when the id is no tree. @param path put before the names */
  treeEntries(tree: Oid, path: string): Promise<readonly TreeEntry[] | null>
  /** Every entry below a tree, directories before their content, as a stream. */
  walkTree(tree: Oid, path: string, options?: { signal?: AbortSignal }): AsyncIterable<TreeEntry>

  // log.ts; answers about ids never change, so the hot ones are cached
  /** Newest first, or topologically. @throws GitError `object_missing` */
  log(query: LogQuery, options?: ReadOptions): Promise<Oid[]>
  countCommits(query: Pick<LogQuery, 'tips' | 'excluded' | 'firstParent' | 'path'>): Promise<number>
  /** The newest commit at or before `commit` that touched the path; null when none did. */
  lastCommitOf(commit: Oid, path: TreePath): Promise<Oid | null>
  /** The best common ancestor of all of them; null when their histories have nothing in common. */
  mergeBase(oids: readonly Oid[], options?: ReadOptions): Promise<Oid | null>
  /** Short names of branches or tags whose history has the commit, by bytes. */
  refsContaining(commit: Oid, kind: 'branch' | 'tag'): Promise<string[]>
  /** Everybody who authored a commit in the history of this one, by name and e-mail as they are written there. */
  contributors(commit: Oid): Promise<Contributor[]>

  // diff.ts
  /** From one commit or tree to another, renames found; null is the empty tree. */
  diff(from: Oid | null, to: Oid | null, options?: DiffOptions): Promise<FileDiff[]>
  /** Of each commit against its first parent; one process for all that are not cached. */
  stats(commits: readonly Oid[]): Promise<Map<Oid, DiffStats>>
  /** Paths alone, renames as removal and addition; streams, so that a huge push can be looked through. */
  changedPaths(from: Oid | null, to: Oid, options?: ReadOptions): AsyncIterable<ChangedPath>

  // push-reading.ts; one process for all, also in quarantine
  /** What each of these commits changes against its parent; a merge counts as changing nothing. Streams, commit by commit. */
  changesOf(commits: readonly Oid[], options?: ReadOptions): AsyncIterable<CommitChange>
  /**
   * The contents of the blobs of less than `maxBytes` that wait in quarantine, in portions. `look` says whether to go on; it must not wait for
   * another command.
   */
  quarantinedBlobs(
    options: { quarantine: Quarantine; maxBytes: number; signal?: AbortSignal },
    look: (contents: readonly Buffer[]) => Promise<boolean>,
  ): Promise<void>
  /** Sizes of objects, in bytes; ids that are missing are absent. */
  objectSizes(oids: readonly Oid[], options?: ReadOptions): Promise<Map<Oid, number>>
  /** Those of these commits that carry a signature, whatever it is worth. */
  signedCommits(oids: readonly Oid[], options?: ReadOptions): Promise<Set<Oid>>

  // blame.ts
  /** @param range first and last line, counted from 1 @throws GitError `object_missing` when there is no such file */
  blame(commit: Oid, path: TreePath, range?: { start: number; end: number }): Promise<BlameHunk[]>

  // archive.ts
  // Either is destroyed with GitError `timeout` when nobody reads on for `clientIdleMs`
  /** Streams an archive; the same commit gives the same bytes. Destroying the stream ends the process behind it. */
  archive(commit: Oid, options: ArchiveOptions): Promise<Readable>
  /** A tar of the bare repository's own files, safe to unpack as a repository. */
  tarball(options?: { signal?: AbortSignal; caller?: string }): Promise<Readable>

  // signature.ts
  /** The raw signature of a commit and what it signs; null when it has none. */
  commitSignature(commit: Oid): Promise<{ signature: string; payload: Buffer } | null>
}
