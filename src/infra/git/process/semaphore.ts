import { GitError } from '../model/errors.ts'

/** Who asks for a place: whether they still want it, and on whose behalf. */
export type Asking = {
  signal?: AbortSignal
  /** Those who share a caller share its places. Without one, only the places of all count. */
  caller?: string
}

/** Lets so many through at the same time. `acquire` resolves with the function that gives the place back. */
export type Semaphore = { acquire(asking?: Asking): Promise<() => void> }

export type SemaphoreOptions = {
  places: number
  /** How many may wait, all together. */
  queueLength: number
  /** What one caller may have of it. Default: everything. */
  perCaller?: { places: number; queueLength: number }
}

/** What a caller has, and what it waits for, in order. Kept only while there is either. */
type Share = { held: number; waiting: Set<() => void> }

/** Whose the work is that the server does by itself. */
const nobody = ''

/**
 * A semaphore with a bounded queue. A place that becomes free goes to the callers in turn, however much each of them waits for, and never to
 * one that has all it may have: who waits for their own places holds up nobody else.
 * @throws GitError `busy` (from `acquire`) when too many are waiting already, `aborted` when the signal fires while waiting
 */
export function semaphore({ places, queueLength, perCaller }: SemaphoreOptions): Semaphore {
  const bounds = perCaller ?? { places, queueLength }
  let free = places
  let waitingCount = 0
  const shares = new Map<string, Share>()
  /** Callers who wait, the one whose turn it is first. */
  const turns = new Set<string>()

  const isFull = (caller: string, { held }: Share) => caller !== nobody && held >= bounds.places

  function shareOf(caller: string): Share {
    const share = shares.get(caller) ?? { held: 0, waiting: new Set() }
    shares.set(caller, share)
    return share
  }

  function forget(caller: string, share: Share): void {
    if (share.waiting.size === 0) turns.delete(caller)
    if (share.held === 0 && share.waiting.size === 0) shares.delete(caller)
  }

  function take(caller: string, share: Share): () => void {
    free -= 1
    share.held += 1
    let isHeld = true
    return () => {
      if (!isHeld) return
      isHeld = false
      free += 1
      share.held -= 1
      forget(caller, share)
      next()
    }
  }

  /** Lets the next ones in. Few callers can be full at a time, so the search is short. */
  function next(): void {
    for (const caller of turns) {
      if (free === 0) return
      const share = shareOf(caller)
      const [go] = share.waiting
      if (go === undefined || isFull(caller, share)) continue
      // To the end of the line, where the loop comes by again.
      turns.delete(caller)
      turns.add(caller)
      leaveQueue(caller, share, go)
      go()
    }
  }

  function leaveQueue(caller: string, share: Share, go: () => void): void {
    if (share.waiting.delete(go)) waitingCount -= 1
    forget(caller, share)
  }

  function wait(caller: string, share: Share, signal: AbortSignal | undefined): Promise<() => void> {
    return new Promise((resolve, reject) => {
      const abandon = () => {
        leaveQueue(caller, share, go)
        reject(new GitError('aborted', 'aborted while waiting for its turn'))
      }
      const go = () => {
        signal?.removeEventListener('abort', abandon)
        resolve(take(caller, shareOf(caller)))
      }
      share.waiting.add(go)
      turns.add(caller)
      waitingCount += 1
      signal?.addEventListener('abort', abandon, { once: true })
    })
  }

  return {
    async acquire({ signal, caller = nobody } = {}) {
      if (signal?.aborted) throw new GitError('aborted', 'aborted before it was started')
      const share = shareOf(caller)
      if (free > 0 && !isFull(caller, share)) return take(caller, share)
      const isTooMuch = caller !== nobody && share.waiting.size >= bounds.queueLength
      if (waitingCount >= queueLength || isTooMuch) {
        forget(caller, share)
        throw new GitError('busy', 'too many git commands are waiting')
      }
      return wait(caller, share, signal)
    },
  }
}
