import { GitError } from './errors.ts'

/** Lets so many through at the same time. `acquire` resolves with the function that gives the place back. */
export type Semaphore = { acquire(signal?: AbortSignal): Promise<() => void> }

/**
 * A semaphore with a bounded, fair queue.
 * @throws GitError `busy` (from `acquire`) when `queueLength` are waiting already, `aborted` when the signal fires while waiting
 */
export function semaphore(places: number, queueLength: number): Semaphore {
  let free = places
  const waiting = new Set<() => void>()

  function release(): void {
    const [next] = waiting
    if (next === undefined) free += 1
    else {
      waiting.delete(next)
      next()
    }
  }

  function once(): () => void {
    let held = true
    return () => {
      if (held) release()
      held = false
    }
  }

  return {
    async acquire(signal) {
      if (signal?.aborted) throw new GitError('aborted', 'aborted before it was started')
      if (free > 0) {
        free -= 1
        return once()
      }
      if (waiting.size >= queueLength) throw new GitError('busy', 'too many git commands are waiting')
      await new Promise<void>((resolve, reject) => {
        const abandon = () => {
          waiting.delete(go)
          reject(new GitError('aborted', 'aborted while waiting for its turn'))
        }
        const go = () => {
          signal?.removeEventListener('abort', abandon)
          resolve()
        }
        waiting.add(go)
        signal?.addEventListener('abort', abandon, { once: true })
      })
      return once()
    },
  }
}
