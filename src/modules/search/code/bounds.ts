import { ApiError, failure, unavailable } from '../../../api/index.ts'
import { GitError, type Semaphore, semaphore } from '../../../infra/git/index.ts'
import type { Platform } from '../../../platform/index.ts'

/** How long a search waits for others, in milliseconds. */
const waitMs = 2_000
const mostWaiting = 100

/** The searches of code that run in this process. */
const running = new WeakMap<object, Semaphore>()

function slotsOf({ git, config }: Platform): Semaphore {
  const slots = running.get(git) ?? semaphore({ slots: config.searchAtOnce, queueLength: mostWaiting })
  running.set(git, slots)
  return slots
}

/** @throws ApiError 503 while too many searches run */
async function takeSlot(platform: Platform): Promise<() => void> {
  try {
    return await slotsOf(platform).acquire({ signal: AbortSignal.timeout(waitMs) })
  } catch (error) {
    throw error instanceof GitError ? unavailable(Math.ceil(waitMs / 1000)) : error
  }
}

/**
 * Runs a search of repositories within its bounds: few run at once in a process, and each ends at its deadline.
 * @param find passes the signal to git, which ends with it
 * @throws ApiError 408 at the deadline, 503 while too many searches run
 */
export async function withinBounds<Found>(
  platform: Platform,
  find: (signal: AbortSignal) => Promise<Found>,
): Promise<Found> {
  const release = await takeSlot(platform)
  const signal = AbortSignal.timeout(platform.config.searchMs)
  try {
    const found = await find(signal)
    if (signal.aborted) throw new GitError('aborted', 'the search took too long')
    return found
  } catch (error) {
    throw signal.aborted && !(error instanceof ApiError) ? failure(408, '408 Request Timeout') : error
  } finally {
    release()
  }
}
