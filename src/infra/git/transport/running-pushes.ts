/** The pushes that this process is receiving. */
import { setTimeout as sleep } from 'node:timers/promises'

export type RunningPushes = {
  /** Whether there is one to a repository. */
  has(directory: string): boolean
  /**
   * Runs one.
   * @param push gets a signal that fires when pushes that the gate has not accepted yet are to end
   */
  during<Result>(directory: string, push: (closing: AbortSignal) => Promise<Result>): Promise<Result>
  /** Ends those that the gate has not accepted, and waits for all, at most for `limitMs`. */
  close(limitMs: number): Promise<void>
}

/** Creates the record, which is empty. */
export function runningPushes(): RunningPushes {
  const closing = new AbortController()
  const running = new Map<string, Set<Promise<unknown>>>()
  return {
    has: (directory) => running.has(directory),
    async during(directory, push) {
      const own = running.get(directory) ?? new Set()
      running.set(directory, own)
      const pushing = push(closing.signal)
      own.add(pushing)
      try {
        return await pushing
      } finally {
        own.delete(pushing)
        if (own.size === 0) running.delete(directory)
      }
    },
    async close(limitMs) {
      closing.abort()
      const all = [...running.values()].flatMap((own) => [...own])
      const limit = new AbortController()
      const late = sleep(limitMs, undefined, { signal: limit.signal }).catch(() => {})
      await Promise.race([Promise.allSettled(all), late])
      limit.abort()
    },
  }
}
