import { setTimeout as sleep } from 'node:timers/promises'
import { type Platform, perPlatform } from '../../../platform/index.ts'

/** How often the log is read for events that another process has written. */
const lookMs = 1000

const waiting = perPlatform(() => new Set<() => void>())

/** Ends the waiting of all readers of the log in this process: there are new events. */
export function wakeReaders(platform: Platform): void {
  for (const wake of waiting(platform)) wake()
}

/** Waits until there may be new events, but not longer than `waitMs`. */
export async function forEvents(platform: Platform, waitMs: number, signal: AbortSignal): Promise<void> {
  const woken = new AbortController()
  const readers = waiting(platform)
  const wake = () => woken.abort()
  readers.add(wake)
  try {
    const until = AbortSignal.any([woken.signal, signal])
    await sleep(Math.min(waitMs, lookMs), undefined, { signal: until, ref: false }).catch(() => {})
  } finally {
    readers.delete(wake)
  }
}
