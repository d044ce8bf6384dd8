/** The public types of `infra/git` (design §5). Mechanism only: nothing here knows of projects, users or the database. */
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

/** One line of the mechanism's log; the composition root binds it to the real logger. */
export type GitLog = (level: 'warn' | 'error', message: string, detail: Record<string, unknown>) => void

export type GitOptions = {
  /** Name of each storage and its absolute directory. */
  storages: Readonly<Record<string, string>>
  /** Where the private socket directory is made; must be short (a socket path has 107 bytes). Default: the system's temporary directory. */
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
   * The repository at a place on disk, whether or not it exists yet. Cheap; no I/O.
   * Two calls with the same place share one pool, one ref cache.
   * @throws GitError `unknown_storage`
   */
  repository(at: RepositoryPlace): Repository
  /** Yields the path of every repository on disk in a storage. @throws GitError `unknown_storage` */
  repositoriesIn(storage: string): AsyncIterable<DiskPath>
  /** Removes what crashes left behind in a storage (half-made and half-removed repositories older than `olderThanMs`). Returns how many. */
  sweep(storage: string, age: { olderThanMs: number; now: Date }): Promise<number>
  /** Ends every process and its group, and removes the sockets. Running commands fail with `GitError('closed')`. */
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

export type RepositoryPlace = { storage: string; diskPath: DiskPath }

/** As `RefChange`; `old: null` means "whatever it is now" (only for refs that no user can write). */
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
  /** As `git interpret-trailers --parse` reads the last paragraph, in order, duplicates kept. */
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

/** What decides about a push. The only way a pushed ref can move. */
export type PushGate = {
  /**
   * Asked once per push, before any ref moves; the new objects are in quarantine. Throwing refuses the push.
   * A push with illegal names is refused before. Of a push to hidden refs alone `changes` is empty: it is refused in any case.
   */
  preReceive(changes: readonly RefChange[], context: PreReceiveContext): Promise<Verdict>
  /**
   * Told once after refs have moved, with those that did. The pusher waits for it and sees the returned lines.
   * Throwing breaks the connection: the pusher must not believe that the server has recorded the push.
   */
  postReceive(changes: readonly RefChange[], context: PostReceiveContext): Promise<readonly string[]>
}
export type PreReceiveContext = {
  quarantine: Quarantine
  pushOptions: readonly string[]
  /** Pushed refs that are no branch, tag or note. Git rejects them one by one; they are not among the changes. */
  hiddenRefs: readonly RefName[]
}
export type PostReceiveContext = { pushOptions: readonly string[] }
/** Messages are shown to the pusher as given, one `remote:` line each (contract 01 "Pushing by git"). */
export type Verdict = { accept: true; messages?: readonly string[] } | { accept: false; messages: readonly string[] }

export type TransferService = 'upload-pack' | 'receive-pack'
/** On whose behalf something is transferred: those who share a caller share its places (see `callerOf`). Default: nobody's. */
export type ForCaller = { caller?: string }
export type AdvertiseOptions = ForCaller & {
  service: TransferService
  /** The `Git-Protocol` header or `GIT_PROTOCOL` variable as sent; ignored unless well-formed. */
  protocol?: string
  signal?: AbortSignal
}
export type UploadPackOptions = ForCaller & {
  /** True for one HTTP request, false for a whole conversation (SSH). */
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
  /** Whether the files of a revision, as the client names it, may be had. */
  offers(revision: string): Promise<boolean>
  signal?: AbortSignal
}
export type UploadPackResult = { exitCode: number; stderr: string; sentBytes: number; receivedBytes: number }
export type ReceiveResult = {
  /** Refs that moved. Empty when the gate refused, when git refused, and for a push that only asked. */
  applied: readonly RefChange[]
  /** True when the gate was asked and said no. */
  refused: boolean
  stderr: string
  sentBytes: number
  receivedBytes: number
}

export type FetchOptions = RemoteOptions & {
  /** `+refs/heads/*:refs/heads/*` … Each side is checked by git's own rules. */
  refspecs: readonly string[]
  /** Remove refs that the other side no longer has, within the refspecs. */
  prune?: boolean
}

export type Repository = RepositoryWithOthers & {
  readonly place: RepositoryPlace
  /** Absolute directory. For messages and tests; never handed to users. */
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
   * Becomes an independent copy of another repository's branches and tags (a fork). Must not exist yet.
   * With `branch` it gets that branch alone, and no object that only others reach.
   */
  copyFrom(source: Repository, options?: { branch?: RefName; signal?: AbortSignal }): Promise<void>
  /** Fetches from `http`, `https` or `git` addresses (import, mirror). Never asks for a password, follows no redirect. */
  fetchFrom(url: string, options: FetchOptions): Promise<void>
  /** Brings commits, and all that they reach, over from another repository of this server. Writes no ref. */
  fetchObjectsFrom(source: Repository, oids: readonly Oid[]): Promise<void>
  objectFormat(): Promise<ObjectFormat>
  fsck(options?: { signal?: AbortSignal }): Promise<{ ok: boolean; problems: string[] }>
  /**
   * Packs objects and refs, writes bitmap and commit-graph. Of a large repository in which little is new only that is packed; else everything is, and
   * unreachable objects older than two weeks are dropped. `full` asks for the latter. Safe beside everything else; two at once follow each other.
   */
  optimize(options?: { full?: boolean; signal?: AbortSignal }): Promise<void>
  /** Whether `optimize` is worth its cost: many loose objects or packs. Cheap: reads two directories. */
  maintenanceNeeded(): Promise<boolean>
  /** Removes lock files and quarantine directories that crashes left behind. Returns how many. */
  clearStale(age: { olderThanMs: number; now: Date }): Promise<number>
  sizeBytes(): Promise<number>
  commitCount(): Promise<number>

  // refs.ts, ref-update.ts
  head(): Promise<RefName>
  /** Points HEAD at a branch, existing or not. Durable. */
  setHead(ref: RefName): Promise<void>
  /** Branches and tags as of a generation number; one process when the generation is not in memory, none otherwise. */
  refs(generation: number | string): Promise<RefSnapshot>
  /**
   * After a change of refs was recorded: derives the snapshot of `generation` from that of `previousGeneration` and reads only the
   * changed refs. Of `changes` only the names count.
   */
  rememberRefs(generation: number | string, previousGeneration: number | string, changes: readonly RefChange[]): void
  /**
   * All or nothing, compare-and-swap, durable.
   * @throws RefConflict when a ref is not where `old` says, or cannot stand beside another
   * @throws GitError `object_missing` when `new` is not an object that may stand there
   */
  updateRefs(updates: readonly RefUpdate[]): Promise<void>

  // reading
  /** Parsed commits; ids that are missing or not commits are absent from the map. */
  commits(oids: readonly Oid[], options?: ReadOptions): Promise<Map<Oid, Commit>>
  /** Parsed tag objects; ids that are missing or not tag objects are absent from the map. */
  tagObjects(oids: readonly Oid[]): Promise<Map<Oid, TagObject>>
  object(oid: Oid, options?: ReadOptions): Promise<ObjectInfo | null>
  /** @throws GitError `too_large` above `maxBytes` */
  readObject(oid: Oid, options: { maxBytes: number } & ReadOptions): Promise<ObjectContent | null>
  /**
   * The blob as a stream, whatever its size. Destroying the stream ends the process behind it. A large one that nobody reads for
   * `clientIdleMs` is destroyed with GitError `timeout`.
   */
  streamBlob(oid: Oid, options?: { signal?: AbortSignal } & ForCaller): Promise<BlobStream | null>
  /** The blob that an id of at least seven digits means; null when there is none, or more than one. */
  resolveBlob(id: string): Promise<Oid | null>
  /**
   * What a user calls a revision: branch, then tag (peeled), then full ref, then commit id (at least 7 hex digits, unambiguous); contract 1.13.
   * Everything else (`-x`, `a..b`, `HEAD~1`, `@{…}`, `:path`) is null.
   */
  resolveCommit(revision: string, snapshot: RefSnapshot): Promise<Oid | null>
  isAncestor(ancestor: Oid, descendant: Oid, options?: ReadOptions): Promise<boolean>
  /** Which of the candidates are `base` or its ancestors. At most one process. */
  mergedInto(candidates: readonly Oid[], base: Oid): Promise<Set<Oid>>
  /** Commits that a push brings: reachable from `tips`, not from any ref; newest first, at most `limit`. */
  newCommits(tips: readonly Oid[], options: { limit: number } & ReadOptions): Promise<Oid[]>

  /** Where refs point now, read from the repository; null for a ref that does not exist. */
  tips(refs: readonly RefName[]): Promise<(Oid | null)[]>

  // incoming.ts
  /**
   * Gives a piece of work the means to write objects. They wait in quarantine, where the gate looks at them, until they are
   * admitted; of what is not admitted nothing is left.
   */
  withIncoming<Result>(work: (incoming: Incoming) => Promise<Result>): Promise<Result>

  // transport
  // All of them reject with GitError. Then `output` is destroyed when something has been written to it, and left to the caller otherwise.
  /** The answer to `info/refs`, with the service line where the protocol has it. Ends `output`. */
  advertise(options: AdvertiseOptions, output: Writable): Promise<void>
  /** Serves a clone or fetch. Ends `output`. Backpressure reaches from the client to git. */
  uploadPack(options: UploadPackOptions, input: Readable, output: Writable): Promise<UploadPackResult>
  /** Serves `git archive --remote`. Ends `output`. */
  uploadArchive(options: UploadArchiveOptions, input: Readable, output: Writable): Promise<{ exitCode: number }>
  /** Takes a push. `output` ends only after `postReceive` has resolved and git has exited well. */
  receivePack(options: ReceivePackOptions, input: Readable, output: Writable): Promise<ReceiveResult>
}
