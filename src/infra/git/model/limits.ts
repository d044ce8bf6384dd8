/** The default limits. */
export const defaultLimits = {
  /** Maximal number of concurrent short commands. Further ones are queued. */
  concurrentCommands: 16,
  /** Maximal number of concurrent pack transfers (clone, fetch, push, import). */
  concurrentTransfers: 64,
  /** Maximal number of concurrent ref advertisements. They do not wait behind transfers. */
  concurrentAdvertisements: 32,
  /** Maximal number of concurrent transfers of one caller. */
  transfersPerCaller: 16,
  /** Maximal number of concurrent advertisements for one caller. */
  advertisementsPerCaller: 8,
  /** Maximal length of each queue. Beyond it, GitError `busy` is thrown. */
  queueLength: 1_000,
  /** Maximal number of queued requests of one caller, per queue. */
  queueLengthPerCaller: 100,
  /** Time limit of a short command, in milliseconds. */
  commandTimeoutMs: 60_000,
  /** Time limit of a pack transfer, in milliseconds. */
  transferTimeoutMs: 3_600_000,
  /** How long a client may be idle during a transfer, in milliseconds. */
  clientIdleMs: 120_000,
  /** The same for the input of a push, in milliseconds: clients compress before they send. */
  pushInputIdleMs: 600_000,
  /**
   * How much memory one git process may allocate, in bytes; 0: no limit. At least 768 MiB, which Node reserves in
   * the process that starts them. Mapped packs do not count. Linux only.
   */
  processMemoryBytes: 1024 * 1024 * 1024,
  /** How much processor time git may take to unpack a push of no size, in seconds; 0: no limit. Linux only. */
  unpackSeconds: 20,
  /** How much more for each MiB that the client has sent. */
  unpackSecondsPerMib: 2,
  /** How many bytes the new objects of a push may have when they are unpacked; 0: no limit. */
  unpackedBytes: 0,
  /** How much of a command's standard error is stored, in bytes. */
  stderrBytes: 64 * 1024,
  /** Maximal number of repositories with pooled `cat-file` processes. */
  pooledRepositories: 16,
  /** How long an unused pooled process lives, in milliseconds. */
  poolIdleMs: 30_000,
  /** Maximal number of refs in all cached snapshots. */
  cachedRefs: 250_000,
  /** Size of the cache of parsed commits, in bytes. */
  cachedCommitBytes: 32 * 1024 * 1024,
  /** Number of entries of the ancestry cache. */
  cachedAncestry: 50_000,
  /** Size of the cache of trees, in bytes. */
  cachedTreeBytes: 16 * 1024 * 1024,
  /** Size of the cache of history queries (logs, counts, statistics), in bytes. */
  cachedHistoryBytes: 8 * 1024 * 1024,
  /** Larger objects are streamed by their own process, in bytes. */
  bufferedObjectBytes: 1024 * 1024,
}

/** Limits, all of which have a default. */
export type GitLimits = typeof defaultLimits

/** What each process may do at once in any case. */
const smallestShare = 4

/**
 * The limits of one of several processes on a machine: together they transfer as much at once as one alone. What one of them
 * cannot do yet waits.
 */
export function limitsOfOneOf(processes: number): Partial<GitLimits> {
  const share = (limit: number) => Math.max(Math.ceil(limit / processes), smallestShare)
  return {
    concurrentTransfers: share(defaultLimits.concurrentTransfers),
    concurrentAdvertisements: share(defaultLimits.concurrentAdvertisements),
    transfersPerCaller: share(defaultLimits.transfersPerCaller),
    advertisementsPerCaller: share(defaultLimits.advertisementsPerCaller),
  }
}
