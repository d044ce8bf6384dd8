/** The public types of `infra/git` (design §5). They are independent of projects, users and the database. */
import type { Readable, Writable } from 'node:stream'
import type { GitLimits } from './limits.ts'
import type { DiskPath, Oid, RefName } from './names.ts'
import type { ObjectFormat, ObjectType } from './object-kinds.ts'
import type { Person } from './person.ts'
import type { Quarantine, ReadOptions } from './read-options.ts'
import type { RefChange } from './ref-change.ts'
import type { RefSnapshot } from './ref-snapshot.ts'
import type { RemoteOptions, RepositoryWithOthers } from './remote-types.ts'
import type { Incoming } from './writing-types.ts'

export type { GitLimits } from './limits.ts'
export type { FileMode, ObjectFormat, ObjectType } from './object-kinds.ts'
export type { Person } from './person.ts'
export type { Quarantine, ReadOptions } from './read-options.ts'
export type { RefChange } from './ref-change.ts'
export type { PushedRef, PushOutcome, RefRejection, RemoteOptions } from './remote-types.ts'
export type * from './writing-types.ts'

/** Writes one log message. */
export type GitLog = (level: 'warn' | 'error', message: string, detail: Record<string, unknown>) => void

export type GitOptions = {
  /** Name of each storage and its absolute directory. */
  storages: Readonly<Record<string, string>>
  /** Parent of the private socket directory; must be short (a socket path has at most 107 bytes). Default: the system's temporary directory. */
  runtimeDirectory?: string
  /** The git binary: a name looked up in `searchPath`, or an absolute path. Default `git`. */
  binary?: string
  /** The `PATH` that git processes get. Default: the usual system directories. */
  searchPath?: string
  limits?: Partial<GitLimits>
  log?: GitLog
}

export type Git = {
  /** The version of the git binary, `2.39.5`. */
  readonly version: string
  /**
   * Returns the repository at a path, which need not exist. Does no I/O. Calls with the same path share pool and caches.
   * @throws GitError `unknown_storage`
   */
  repository(at: RepositoryPlace): Repository
  /** Yields the path of every repository on disk in a storage. @throws GitError `unknown_storage` */
  repositoriesIn(storage: string): AsyncIterable<DiskPath>
  /** Deletes half-created and half-removed repositories that crashes left in a storage. @returns their number */
  sweep(storage: string, age: { olderThanMs: number; now: Date }): Promise<number>
  /** Ends all process groups, and removes the sockets. Running commands fail with GitError `closed`. */
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

export type RepositoryPlace = { storage: string; diskPath: DiskPath }

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
export type PreReceiveContext = {
  quarantine: Quarantine
  pushOptions: readonly string[]
  /** Pushed refs that are no branch, tag or note. Git rejects them one by one; `changes` does not contain them. */
  hiddenRefs: readonly RefName[]
}
export type PostReceiveContext = { pushOptions: readonly string[] }
/** Messages are shown to the pusher as given, one `remote:` line each (contract 01 "Pushing by git"). */
export type Verdict = { accept: true; messages?: readonly string[] } | { accept: false; messages: readonly string[] }

export type TransferService = 'upload-pack' | 'receive-pack'
/** The caller whose process slots are used (see `callerOf`). Default: none, only the total is limited. */
export type ForCaller = { caller?: string }
export type AdvertiseOptions = ForCaller & {
  service: TransferService
  /** The `Git-Protocol` header or `GIT_PROTOCOL` variable as sent; ignored unless well-formed. */
  protocol?: string
  signal?: AbortSignal
}
export type UploadPackOptions = ForCaller & {
  /** True for one HTTP request, false for a complete session (SSH). */
  stateless: boolean
  protocol?: string
  signal?: AbortSignal
}
export type ReceivePackOptions = UploadPackOptions & {
  gate: PushGate
  /** Refuse packs above this size, in bytes. */
  maxInputSizeBytes?: number
  /** Whether `git push --atomic` is offered. Default true. */
  atomic?: boolean
  /** Shown when a pushed ref's name is illegal. Default `Branch name is invalid`. */
  illegalNameMessage?: string
}
export type UploadArchiveOptions = ForCaller & {
  /** Whether the client may read the files of a revision, given as the client's text. */
  offers(revision: string): Promise<boolean>
  signal?: AbortSignal
}
export type UploadPackResult = { exitCode: number; stderr: string; sentBytes: number; receivedBytes: number }
export type ReceiveResult = {
  /** Refs that moved. Empty when the gate or git refused, and for a dry run. */
  applied: readonly RefChange[]
  /** Whether the gate refused. */
  refused: boolean
  stderr: string
  sentBytes: number
  receivedBytes: number
}

export type FetchOptions = RemoteOptions & {
  /** `+refs/heads/*:refs/heads/*` … Each side is checked by git's own rules. */
  refspecs: readonly string[]
  /** Deletes refs of the refspecs that the remote no longer has. */
  prune?: boolean
}

export type Repository = RepositoryWithOthers & {
  readonly place: RepositoryPlace
  /** Absolute directory, for the log and tests. Must not be shown to users. */
  readonly directory: string

  // maintenance.ts, create.ts
  /**
   * Creates the bare repository. An empty one that exists stays as it is. Safe against crashes: it exists whole or not at all.
   * @throws GitError `repository_exists` when the directory holds objects
   */
  init(options: { defaultBranch: RefName; objectFormat?: ObjectFormat }): Promise<void>
  exists(): Promise<boolean>
  /**
   * Moves it away at once, then deletes it. Does nothing when it does not exist.
   * @throws GitError `repository_in_use` while this process receives a push to it
   */
  remove(): Promise<void>
  /**
   * Creates the repository as an independent copy of another one's branches and tags (a fork). With `branch`, only that branch
   * and its objects are copied.
   * @throws GitError `repository_exists`
   */
  copyFrom(source: Repository, options?: { branch?: RefName; signal?: AbortSignal }): Promise<void>
  /** Fetches from `http`, `https` or `git` addresses (import, mirror). Does not prompt for passwords or follow redirects. */
  fetchFrom(url: string, options: FetchOptions): Promise<void>
  /** Copies commits, and all that they reach, from another repository of this server. Writes no ref. */
  fetchObjectsFrom(source: Repository, oids: readonly Oid[]): Promise<void>
  objectFormat(): Promise<ObjectFormat>
  fsck(options?: { signal?: AbortSignal }): Promise<{ ok: boolean; problems: string[] }>
  /**
   * Packs objects and refs, and writes bitmap and commit-graph. Of a large repository with few new objects only those are packed;
   * otherwise, and with `full`, everything is packed and unreachable objects older than two weeks are deleted. Safe during all
   * other operations; two runs on one repository are serialised.
   */
  optimize(options?: { full?: boolean; signal?: AbortSignal }): Promise<void>
  /** Whether there are many loose objects or packs, so that `optimize` is worth its cost. Reads two directories. */
  maintenanceNeeded(): Promise<boolean>
  /** Deletes lock files and quarantine directories that crashes left behind. @returns their number */
  clearStale(age: { olderThanMs: number; now: Date }): Promise<number>
  sizeBytes(): Promise<number>
  commitCount(): Promise<number>

  // refs.ts, ref-update.ts
  head(): Promise<RefName>
  /** Points HEAD at a branch, which need not exist. Durable. */
  setHead(ref: RefName): Promise<void>
  /** Branches and tags as of a generation. Starts one process when the generation is not cached. */
  refs(generation: number | string): Promise<RefSnapshot>
  /**
   * After a change of refs was recorded: derives the snapshot of `generation` from that of `previousGeneration` and reads only the
   * changed refs from the repository. Only the names in `changes` are used.
   */
  rememberRefs(generation: number | string, previousGeneration: number | string, changes: readonly RefChange[]): void
  /**
   * Moves refs, all or none, if each is at `old`. Durable.
   * @throws RefConflict when a ref is not at `old`, or its name conflicts with another ref
   * @throws GitError `object_missing` when `new` does not exist or has a type that the ref may not have
   */
  updateRefs(updates: readonly RefUpdate[]): Promise<void>

  // reading
  /** Reads commits. Ids that do not exist or are not commits are absent from the map. */
  commits(oids: readonly Oid[], options?: ReadOptions): Promise<Map<Oid, Commit>>
  /** Reads tag objects. Ids that do not exist or are not tag objects are absent from the map. */
  tagObjects(oids: readonly Oid[]): Promise<Map<Oid, TagObject>>
  object(oid: Oid, options?: ReadOptions): Promise<ObjectInfo | null>
  /** @throws GitError `too_large` above `maxBytes` */
  readObject(oid: Oid, options: { maxBytes: number } & ReadOptions): Promise<ObjectContent | null>
  /**
   * Streams a blob. Destroying the stream ends its process. A large one that is not read for `clientIdleMs` is destroyed with
   * GitError `timeout`.
   */
  streamBlob(oid: Oid, options?: { signal?: AbortSignal } & ForCaller): Promise<BlobStream | null>
  /** Resolves a blob id of at least seven digits. @returns null when no blob or several match */
  resolveBlob(id: string): Promise<Oid | null>
  /**
   * Resolves a revision of the API: a branch, a tag (peeled), a full ref or a unique commit id of at least 7 digits, in this
   * order (contract 1.13). Other revision syntax (`-x`, `a..b`, `HEAD~1`, `@{…}`, `:path`) gives null.
   */
  resolveCommit(revision: string, snapshot: RefSnapshot): Promise<Oid | null>
  isAncestor(ancestor: Oid, descendant: Oid, options?: ReadOptions): Promise<boolean>
  /** Returns the candidates that are `base` or its ancestors. Starts at most one process. */
  mergedInto(candidates: readonly Oid[], base: Oid): Promise<Set<Oid>>
  /** Lists the new commits of a push: reachable from `tips`, but from no ref; newest first, at most `limit`. */
  newCommits(tips: readonly Oid[], options: { limit: number } & ReadOptions): Promise<Oid[]>

  /** Reads the current ids of refs; null for a ref that does not exist. */
  tips(refs: readonly RefName[]): Promise<(Oid | null)[]>

  // incoming.ts
  /**
   * Runs work that writes objects into a quarantine, where the gate can read them. Objects that are not admitted are deleted.
   */
  withIncoming<Result>(work: (incoming: Incoming) => Promise<Result>): Promise<Result>

  // transport
  // All reject with GitError. Then `output` is destroyed if something was written to it, and left to the caller otherwise.
  /** Answers `info/refs`, with the service line where the protocol has one. Ends `output`. */
  advertise(options: AdvertiseOptions, output: Writable): Promise<void>
  /** Serves a clone or fetch, with backpressure from the client to git. Ends `output`. */
  uploadPack(options: UploadPackOptions, input: Readable, output: Writable): Promise<UploadPackResult>
  /** Serves `git archive --remote`. Ends `output`. */
  uploadArchive(options: UploadArchiveOptions, input: Readable, output: Writable): Promise<{ exitCode: number }>
  /** Receives a push. `output` ends after `postReceive` has resolved and git has exited with 0. */
  receivePack(options: ReceivePackOptions, input: Readable, output: Writable): Promise<ReceiveResult>
}
