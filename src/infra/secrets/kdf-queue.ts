import PQueue from 'p-queue'

/** The queue is full. Callers answer 503. */
export class PasswordQueueFull extends Error {
  constructor() {
    super('too many callers are waiting')
    this.name = 'PasswordQueueFull'
  }
}

/** Runs work in the order of arrival, a limited number of tasks at a time. */
type WorkQueue = <T>(work: () => Promise<T>) => Promise<T>

/** Options of `createWorkQueue`. */
type WorkQueueOptions = {
  /** Number of tasks that run at the same time. */
  maxRunning: number
  /** Number of tasks that may wait; further ones are rejected with `PasswordQueueFull`. */
  maxWaiting: number
}

/** Creates a queue with a limited length. */
export function createWorkQueue({ maxRunning, maxWaiting }: WorkQueueOptions): WorkQueue {
  const queue = new PQueue({ concurrency: maxRunning })
  return async (work) => {
    if (queue.pending >= maxRunning && queue.size >= maxWaiting) throw new PasswordQueueFull()
    return queue.add(work)
  }
}
