const FIRST_MS = 10_000
const FACTOR = 4
const LONGEST_MS = 3_600_000

/**
 * Delay before the next run of a failed job: 10 s, 40 s, 160 s … at most an hour, shortened by a random part of up to one
 * half, so that jobs that failed at the same time are not retried at the same time.
 * @param attempt number of the failed run, from 1
 * @param random returns a number from 0 up to, not including, 1
 */
export function retryDelayMs(attempt: number, random: () => number): number {
  const longestMs = Math.min(FIRST_MS * FACTOR ** (attempt - 1), LONGEST_MS)
  return Math.round(longestMs * (1 - random() / 2))
}
