/** Bounds. Every one has a default. */
export type GitLimits = {
  /** Short commands that run at the same time; more wait in a queue. */
  concurrentCommands: number
  /** Pack transfers (clone, fetch, push, import) that run at the same time. */
  concurrentTransfers: number
  /** Advertisements that are sent at the same time; they do not wait behind transfers. */
  concurrentAdvertisements: number
  /** Transfers of one caller that run at the same time; more of the same caller wait without keeping others from a place. */
  transfersPerCaller: number
  /** Advertisements that are sent to one caller at the same time. */
  advertisementsPerCaller: number
  /** How many may wait in any queue before `GitError('busy')` is thrown. */
  queueLength: number
  /** How many of one caller may wait in any queue. */
  queueLengthPerCaller: number
  /** Time limit of a short command, in milliseconds. */
  commandTimeoutMs: number
  /** Time limit of a pack transfer, in milliseconds. */
  transferTimeoutMs: number
  /** How long a transfer waits for a client that takes nothing, or sends nothing of what it has to send, in milliseconds. */
  clientIdleMs: number
  /** The same for what a pusher sends: clients compress before they send, in milliseconds. */
  pushInputIdleMs: number
  /** How much of a command's standard error is kept, in bytes. */
  stderrBytes: number
  /** Repositories that may hold pooled `cat-file` processes at the same time. */
  pooledRepositories: number
  /** How long an unused pooled process lives, in milliseconds. */
  poolIdleMs: number
  /** Total refs that all cached snapshots together may hold. */
  cachedRefs: number
  /** Bytes that the cache of parsed commits may hold. */
  cachedCommitBytes: number
  /** Ancestor facts that are remembered. */
  cachedAncestry: number
  /** Bytes that the cache of trees may hold. */
  cachedTreeBytes: number
  /** Bytes that remembered answers about histories (logs, counts, statistics) may hold. */
  cachedHistoryBytes: number
  /** Objects above this size are streamed by a process of their own, never buffered, in bytes. */
  bufferedObjectBytes: number
}

/** The bounds that hold unless the configuration says otherwise. */
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
