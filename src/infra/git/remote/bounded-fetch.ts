/** Ends what is fetched from elsewhere when it grows too large: git itself sets no bound to what another server sends. */
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { GitError } from '../model/errors.ts'
import type { Quarantine } from '../model/types.ts'
import { filesOf, withIncoming } from '../writing/incoming.ts'

/** How often it is looked, in milliseconds. */
const lookMs = 100

/** Has whatever comes stay one pack, however few objects it has. */
const alwaysPacked = [['fetch.unpackLimit', '1']] as const

async function sizeOf(directory: string): Promise<number> {
  let total = 0
  for (const path of await filesOf(directory)) {
    total += (await stat(join(directory, path)).catch(() => null))?.size ?? 0
  }
  return total
}

function tooLarge(maxBytes: number): GitError {
  return new GitError('too_large', `more than ${maxBytes} bytes were sent`)
}

/** Looks at a directory until it holds too much, or until it need not any more. @throws GitError `too_large` */
async function watch(directory: string, maxBytes: number, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    if ((await sizeOf(directory)) > maxBytes) throw tooLarge(maxBytes)
    await sleep(lookMs, undefined, { signal }).catch(() => {})
  }
}

/** How a command is run whose objects are looked at before they are let in. */
export type BoundedRun = {
  quarantine: Quarantine
  config: readonly (readonly [string, string])[]
  signal: AbortSignal
}

/**
 * Runs a fetch that writes no ref with a directory of its own for what comes, and lets that in when it is whole and not too
 * large. Of what is too large, or breaks off, nothing is left.
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
    if ((await sizeOf(own)) > maxBytes) throw tooLarge(maxBytes)
    // What an old server sends is no pack, but objects one by one.
    await admit()
  })
}
