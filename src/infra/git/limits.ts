import type { GitLimits } from './types.ts'

/** The bounds that hold unless the configuration says otherwise. */
export const defaultLimits: GitLimits = {
  concurrentCommands: 16,
  concurrentTransfers: 64,
  queueLength: 1_000,
  commandTimeoutMs: 60_000,
  transferTimeoutMs: 3_600_000,
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
