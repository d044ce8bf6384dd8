const minuteMs = 60_000
const firstDelayMs = 1_000
const longestDelayMs = 30_000

/**
 * Decides when a process that has ended is started again: at once, but not for ever. One that ends more often than `atOnce` times
 * within a minute waits, twice as long with each further end.
 * @returns a function to be called with the time of each end, which tells the delay
 */
export function restartDelays({ atOnce }: { atOnce: number }): (endedAtMs: number) => number {
  let ends: number[] = []
  return (endedAtMs) => {
    ends = [...ends.filter((atMs) => atMs >= endedAtMs - minuteMs), endedAtMs]
    const excess = ends.length - atOnce
    return excess <= 0 ? 0 : Math.min(firstDelayMs * 2 ** (excess - 1), longestDelayMs)
  }
}
