/** Limits, all of which have a default. */
export type GitLimits = {
  /** Maximal number of concurrent short commands. Further ones are queued. */
  concurrentCommands: number
  /** Maximal number of concurrent pack transfers (clone, fetch, push, import). */
  concurrentTransfers: number
  /** Maximal number of concurrent ref advertisements. They do not wait behind transfers. */
  concurrentAdvertisements: number
  /** Maximal number of concurrent transfers of one caller. */
  transfersPerCaller: number
  /** Maximal number of concurrent advertisements for one caller. */
  advertisementsPerCaller: number
  /** Maximal length of each queue. Beyond it, GitError `busy` is thrown. */
  queueLength: number
  /** Maximal number of queued requests of one caller, per queue. */
  queueLengthPerCaller: number
  /** Time limit of a short command, in milliseconds. */
  commandTimeoutMs: number
  /** Time limit of a pack transfer, in milliseconds. */
  transferTimeoutMs: number
  /** How long a client may be idle during a transfer, in milliseconds. */
  clientIdleMs: number
  /** The same for the input of a push, in milliseconds: clients compress before they send. */
  pushInputIdleMs: number
  /** How much of a command's standard error is stored, in bytes. */
  stderrBytes: number
  /** Maximal number of repositories with pooled `cat-file` processes. */
  pooledRepositories: number
  /** How long an unused pooled process lives, in milliseconds. */
  poolIdleMs: number
  /** Maximal number of refs in all cached snapshots. */
  cachedRefs: number
  /** Size of the cache of parsed commits, in bytes. */
  cachedCommitBytes: number
  /** Number of entries of the ancestry cache. */
  cachedAncestry: number
  /** Size of the cache of trees, in bytes. */
  cachedTreeBytes: number
  /** Size of the cache of history queries (logs, counts, statistics), in bytes. */
  cachedHistoryBytes: number
  /** Larger objects are streamed by their own process, in bytes. */
  bufferedObjectBytes: number
}

/** The default limits. */
export const defaultLimits: GitLimits = {
  concurrentCommands: 16,
  concurrentTransfers: 64,
  concurrentAdvertisements: 32,
  transfersPerCaller: 16,
  advertisementsPerCaller: 8,
  queueLength: 1_000,
  queueLengthPerCaller: 100,
  commandTimeoutMs: 60_000,
  transferTimeoutMs: 3_600_000,
  clientIdleMs: 120_000,
  pushInputIdleMs: 600_000,
  stderrBytes: 64 * 1024,
  pooledRepositories: 16,
  poolIdleMs: 30_000,
  cachedRefs: 250_000,
  cachedCommitBytes: 32 * 1024 * 1024,
  cachedAncestry: 50_000,
  cachedTreeBytes: 16 * 1024 * 1024,
  cachedHistoryBytes: 8 * 1024 * 1024,
  bufferedObjectBytes: 1024 * 1024,
}
