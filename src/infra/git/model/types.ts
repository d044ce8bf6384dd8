/** The public types of `infra/git` (design §5). They are independent of projects, users and the database. */
import type { Readable } from 'node:stream'
import type { GitLimits } from './limits.ts'
import type { DiskPath, Oid, RefName } from './names.ts'
import type { RefSnapshot } from './ref-snapshot.ts'
import type { RemoteOptions } from './remote-types.ts'
import type { ObjectType, Person, Quarantine } from './values.ts'

export type { GitLimits } from './limits.ts'
export type { PushedRef, PushOutcome, RefRejection, RemoteOptions } from './remote-types.ts'
export type { FileMode, ObjectFormat, ObjectType, Person, Quarantine, ReadOptions } from './values.ts'
export type * from './writing-types.ts'

/** Writes one log message. */
export type GitLog = (level: 'warn' | 'error', message: string, detail: Record<string, unknown>) => void

export type GitOptions = {
  /** Name of each storage and its absolute directory. */
  storages: Readonly<Record<string, string>>
  /** Asked before a repository is made or removed in a storage; throws when the storage must not be changed. Default: nothing is asked. */
  requireStorage?: (storage: string) => Promise<void>
  /** Parent of the private socket directory; must be short (a socket path has at most 107 bytes). Default: the system's temporary directory. */
  runtimeDirectory?: string
  /** The git binary: a name looked up in `searchPath`, or an absolute path. Default `git`. */
  binary?: string
  /** The `PATH` that git processes get. Default: the usual system directories. */
  searchPath?: string
  limits?: Partial<GitLimits>
  log?: GitLog
  /** Whether what git writes survives a power failure. Default: true. */
  durable?: boolean
}

export type RepositoryLocation = { storage: string; diskPath: DiskPath }

/** A change of a ref from `old` to `new`. The null id stands for a ref that does not exist. */
export type RefChange = { readonly ref: RefName; readonly old: Oid; readonly new: Oid }

/** As `RefChange`; `old: null` skips the comparison (only for refs that users cannot write). */
export type RefUpdate = { readonly ref: RefName; readonly old: Oid | null; readonly new: Oid }

export type Commit = {
  oid: Oid
  treeOid: Oid
  parentOids: readonly Oid[]
  author: Person
  committer: Person
  /** As stored; bytes that are not UTF-8 are replaced (or decoded by the commit's own encoding header). */
  message: string
  /** First line of the message. */
  title: string
  /** As `git interpret-trailers --parse` reads the last paragraph, in order, with duplicates. */
  trailers: readonly Trailer[]
}
export type Trailer = { key: string; value: string }

export type TagObject = {
  oid: Oid
  name: string
  target: Oid
  targetType: ObjectType
  /** Null for very old tags. */
  tagger: Person | null
  /** Without the signature. */
  message: string
  /** The signature as stored, from its first line on. */
  signature: string | null
}

export type ObjectInfo = { oid: Oid; type: ObjectType; sizeBytes: number }
export type ObjectContent = ObjectInfo & { content: Buffer }
export type BlobStream = { sizeBytes: number; stream: Readable }

/** Decides about a push. No pushed ref moves without it. */
export type PushGate = {
  /**
   * Called once per push, before any ref moves; the new objects are in quarantine. Throwing refuses the push.
   * A push with illegal names is refused before. For a push of hidden refs only, `changes` is empty and the push is refused.
   */
  preReceive(changes: readonly RefChange[], context: PreReceiveContext): Promise<Verdict>
  /**
   * Called once after refs have moved, with the changes that took effect. The client waits for it and shows the returned lines.
   * Throwing breaks the connection, so that the client does not take the push for recorded.
   */
  postReceive(changes: readonly RefChange[], context: PostReceiveContext): Promise<readonly string[]>
}
type PreReceiveContext = {
  quarantine: Quarantine
  pushOptions: readonly string[]
  /** Pushed refs that are no branch, tag or note. Git rejects them one by one; `changes` does not contain them. */
  hiddenRefs: readonly RefName[]
}
type PostReceiveContext = { pushOptions: readonly string[] }
/** Messages are shown to the pusher as given, one `remote:` line each (contract 01 "Pushing by git"). */
export type Verdict = { accept: true; messages?: readonly string[] } | { accept: false; messages: readonly string[] }

export type TransferService = 'upload-pack' | 'receive-pack'
/** The caller whose process slots are used (see `callerOf`). Default: none, only the total is limited. */
export type ForCaller = { caller?: string }
/** Refs besides branches, tags and notes that a fetch may see, or all of them; no push may change them. */
type ShownRefs = { shownRefs?: 'refs/pipelines' | 'refs' | undefined }
export type AdvertiseOptions = ForCaller &
  ShownRefs & {
    service: TransferService
    /** The `Git-Protocol` header or `GIT_PROTOCOL` variable as sent; ignored unless well-formed. */
    protocol?: string
    signal?: AbortSignal
    /** The refs as they are now. With them, what stands before a push is sent without a process where that is possible. */
    currentRefs?: () => Promise<RefSnapshot>
  }
export type UploadPackOptions = ForCaller &
  ShownRefs & {
    /** True for one HTTP request, false for a complete session (SSH). */
    stateless: boolean
    protocol?: string
    signal?: AbortSignal
    /** The refs as they are now. With them, a request that lists refs is answered without a process where that is possible. */
    currentRefs?: () => Promise<RefSnapshot>
  }
export type ReceivePackOptions = UploadPackOptions & {
  gate: PushGate
  /** Refuse packs above this size, in bytes. */
  maxInputSizeBytes?: number
}
export type UploadArchiveOptions = ForCaller & {
  /** Whether the client may read the files of a revision, given as the client's text. */
  offers(revision: string): Promise<boolean>
  signal?: AbortSignal
}

export type FetchOptions = RemoteOptions & {
  /** `+refs/heads/*:refs/heads/*` … Each side is checked by git's own rules. */
  refspecs: readonly string[]
}
