import { networkOf } from '../../net/index.ts'
import { GitError } from '../model/errors.ts'

/** A request for a slot. */
export type SlotRequest = {
  signal?: AbortSignal
  /** Requests with the same caller share that caller's slots. Without one, only the total counts. */
  caller?: string
}

/** Limits concurrency. `acquire` resolves with the function that releases the slot. */
export type Semaphore = { acquire(asking?: SlotRequest): Promise<() => void> }

export type SemaphoreOptions = {
  slots: number
  /** The maximal number of waiting requests. */
  queueLength: number
  /** The limits of one caller. Default: the limits of all. */
  perCaller?: { slots: number; queueLength: number }
}

/** Slots and waiting requests of one caller. Exists only while there are any. */
type Share = { held: number; waiting: Set<() => void> }

/** The caller for work of the server itself. */
const noCaller = ''

/**
 * Creates a semaphore with a bounded queue. A free slot goes to the waiting callers round-robin, and never to a caller that
 * has all its slots, so a caller that waits for its own slots does not delay others.
 * `acquire` throws GitError `busy` when the queue is full, `aborted` when the signal fires while waiting.
 */
export function semaphore({ slots, queueLength, perCaller }: SemaphoreOptions): Semaphore {
  const bounds = perCaller ?? { slots, queueLength }
  let free = slots
  let waitingCount = 0
  const shares = new Map<string, Share>()
  /** Waiting callers, the next one first. */
  const waitingCallers = new Set<string>()

  const isFull = (caller: string, { held }: Share) => caller !== noCaller && held >= bounds.slots

  function shareOf(caller: string): Share {
    const share = shares.get(caller) ?? { held: 0, waiting: new Set() }
    shares.set(caller, share)
    return share
  }

  function forget(caller: string, share: Share): void {
    if (share.waiting.size === 0) waitingCallers.delete(caller)
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

  /** Gives free slots to the next callers. Few callers can be at their limit, so the search is short. */
  function next(): void {
    for (const caller of waitingCallers) {
      if (free === 0) return
      const share = shareOf(caller)
      const [go] = share.waiting
      if (go === undefined || isFull(caller, share)) continue
      // Moved to the end, so that the loop visits it again.
      waitingCallers.delete(caller)
      waitingCallers.add(caller)
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
        reject(new GitError('aborted', 'aborted while waiting for a slot'))
      }
      const go = () => {
        signal?.removeEventListener('abort', abandon)
        resolve(take(caller, shareOf(caller)))
      }
      share.waiting.add(go)
      waitingCallers.add(caller)
      waitingCount += 1
      signal?.addEventListener('abort', abandon, { once: true })
    })
  }

  return {
    async acquire({ signal, caller = noCaller } = {}) {
      if (signal?.aborted) throw new GitError('aborted', 'aborted before it was started')
      const share = shareOf(caller)
      if (free > 0 && !isFull(caller, share)) return take(caller, share)
      const isTooMuch = caller !== noCaller && share.waiting.size >= bounds.queueLength
      if (waitingCount >= queueLength || isTooMuch) {
        forget(caller, share)
        throw new GitError('busy', 'too many git commands are waiting')
      }
      return wait(caller, share, signal)
    },
  }
}

/**
 * The key by which process slots are shared out. An authenticated caller has slots of its own; anonymous callers share
 * those of their address.
 * @param name identifies an authenticated caller; undefined for an anonymous one
 * @param address of the client; an IPv6 address counts as its /64 network, an IPv4-mapped address as the IPv4 address
 */
export function callerOf(name: string | undefined, address: string): string {
  return name === undefined ? `address ${networkOf(address)}` : `name ${name}`
}
