/** Types for reading histories, trees and differences. */
import type { Oid, TreePath } from './names.ts'
import type { FileMode, ReadOptions } from './values.ts'

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

/** A changed file with the numbers of its added and removed lines. */
export type FileStats = Pick<FileDiff, 'oldPath' | 'newPath' | 'status'> & { additions: number; deletions: number }

export type DiffOptions = ReadOptions & {
  /** Only paths below these. */
  paths?: readonly TreePath[]
  /** Maximal number of files. Default 1,000. */
  maxFiles?: number
  /** Longer patches of a file are left out, in bytes. Default 204,800. */
  maxPatchBytes?: number
  /** Maximal number of lines of all patches; those of further files are left out. Default: no limit. */
  maxLines?: number
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

/** How many commits one of two has that the other has not. */
export type Divergence = { ahead: number; behind: number }

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
