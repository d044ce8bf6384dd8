const FIRST_MS = 10_000
const FACTOR = 4
const LONGEST_MS = 3_600_000

/**
 * How long a job waits after its nth run failed: 10 s, 40 s, 160 s … at most an hour, each shortened by up to a half, so
 * that jobs that failed together do not come back together.
 * @param attempt number of the run that failed, from 1
 * @param random gives a number from 0 up to, not including, 1
 */
export function retryDelayMs(attempt: number, random: () => number): number {
  const longestMs = Math.min(FIRST_MS * FACTOR ** (attempt - 1), LONGEST_MS)
  return Math.round(longestMs * (1 - random() / 2))
}
