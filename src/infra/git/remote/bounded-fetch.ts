/** Limits the size of fetches. Git does not limit what a remote sends. */
import { setTimeout as sleep } from 'node:timers/promises'
import { bytesBelow } from '../../files/index.ts'
import { GitError } from '../model/errors.ts'
import type { Quarantine } from '../model/types.ts'
import { withIncoming } from '../writing/incoming.ts'

/** How often the size is checked, in milliseconds. */
const lookMs = 100

/** Makes git store received objects as one pack, however few they are. */
const alwaysPacked = [['fetch.unpackLimit', '1']] as const

function tooLarge(maxBytes: number): GitError {
  return new GitError('too_large', `more than ${maxBytes} bytes were sent`)
}

/** Checks the size of a directory until the signal fires. @throws GitError `too_large` */
async function watch(directory: string, maxBytes: number, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    if ((await bytesBelow(directory)) > maxBytes) throw tooLarge(maxBytes)
    await sleep(lookMs, undefined, { signal }).catch(() => {})
  }
}

/** Runs a command that writes its objects into a given directory. */
export type BoundedRun = {
  quarantine: Quarantine
  config: readonly (readonly [string, string])[]
  signal: AbortSignal
}

/**
 * Runs a fetch that writes no ref into a quarantine, and admits the objects when the fetch is complete and not too large.
 * Otherwise they are deleted.
 * @throws GitError `too_large`; whatever `run` throws
 */
export async function fetchBounded(
  directory: string,
  { maxBytes, signal }: { maxBytes: number; signal?: AbortSignal },
  run: (options: BoundedRun) => Promise<unknown>,
): Promise<void> {
  return withIncoming(directory, async ({ quarantine, admit }) => {
    const own = quarantine.objectDirectory
    const [ended, over] = [new AbortController(), new AbortController()]
    const watched = watch(own, maxBytes, ended.signal).catch((error) => over.abort(error))
    const running = run({
      quarantine,
      config: alwaysPacked,
      signal: signal ? AbortSignal.any([signal, over.signal]) : over.signal,
    }).catch((error) => {
      throw over.signal.aborted ? over.signal.reason : error
    })
    await running.finally(() => {
      ended.abort()
      return watched
    })
    if ((await bytesBelow(own)) > maxBytes) throw tooLarge(maxBytes)
    // Old servers send single objects instead of a pack.
    await admit()
  })
}
