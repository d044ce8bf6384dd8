import type { Bucket } from './bucket.ts'

/** The parts of one upload in flight. */
const OWN_PARTS = 4

/** Runs the requests of one upload concurrently, within the limits of the upload and of the bucket. */
export interface Sending {
  /**
   * Starts a task as soon as there is a slot.
   * @throws the error of an earlier task
   */
  start(task: () => Promise<unknown>): Promise<void>
  /** Waits for all tasks. @throws the first error */
  settled(): Promise<void>
}

export function createSending({ slots }: Bucket): Sending {
  const running = new Set<Promise<void>>()
  let failure: { error: unknown } | undefined
  const check = () => {
    if (failure) throw failure.error
  }

  async function run(task: () => Promise<unknown>, release: () => void): Promise<void> {
    try {
      await task()
    } catch (error) {
      failure ??= { error }
    } finally {
      release()
    }
  }

  return {
    async start(task) {
      while (running.size >= OWN_PARTS) await Promise.race(running)
      check()
      const [, release] = await slots.acquire()
      const one = run(task, release).finally(() => running.delete(one))
      running.add(one)
    },
    async settled() {
      await Promise.all(running)
      check()
    },
  }
}
