/** More callers wait for a slot than the queue holds. */
export class PasswordQueueFull extends Error {
  constructor() {
    super('too many callers are waiting')
    this.name = 'PasswordQueueFull'
  }
}

/** Runs work in the order of arrival, a bounded number at a time. */
export type WorkQueue = <T>(work: () => Promise<T>) => Promise<T>

/**
 * @param maxRunning how many run at once
 * @param maxWaiting how many more may wait; the next is refused with PasswordQueueFull
 */
export function createWorkQueue({ maxRunning, maxWaiting }: { maxRunning: number; maxWaiting: number }): WorkQueue {
  const waiting: (() => void)[] = []
  let running = 0
  return async (work) => {
    if (running >= maxRunning) {
      if (waiting.length >= maxWaiting) throw new PasswordQueueFull()
      // The one that leaves hands its slot over, so `running` does not change here and nobody can jump the queue.
      await new Promise<void>((resolve) => waiting.push(resolve))
    } else {
      running++
    }
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      if (next) next()
      else running--
    }
  }
}
