/** Ends what is fetched from elsewhere when it grows too large: git itself sets no bound to what another server sends. */
import { randomUUID } from 'node:crypto'
import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { syncDirectory } from './durable.ts'
import { GitError } from './errors.ts'
import type { Quarantine } from './types.ts'

/** How often it is looked, in milliseconds. */
const lookMs = 100

/** What makes up a pack; the index comes last, since what has one is read. Other files stand for themselves. */
const packEndings = ['.pack', '.rev', '.idx']

/** What is not finished: nobody will go on with it. */
const unfinished = /(?:^|\/)tmp_|\.(?:temp|keep|lock)$/

/** Has whatever comes stay one pack, however few objects it has. */
const alwaysPacked = [['fetch.unpackLimit', '1']] as const

/** The files below a directory, by their paths from there; they may vanish while they are listed. */
async function filesOf(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true }).catch(() => [])
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(directory, join(entry.parentPath, entry.name)))
}

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

/** Lets objects in, so that they last: what an old server sends is no pack, but objects one by one. */
async function moveIn(from: string, to: string): Promise<void> {
  const rank = (path: string) => packEndings.findIndex((ending) => path.endsWith(ending))
  const files = (await filesOf(from)).filter((path) => /^(?:pack|[0-9a-f]{2})\//.test(path) && !unfinished.test(path))
  for (const path of files.toSorted((one, other) => rank(one) - rank(other))) {
    await mkdir(dirname(join(to, path)), { recursive: true })
    await rename(join(from, path), join(to, path))
  }
  for (const directory of new Set(files.map((path) => dirname(path)))) await syncDirectory(join(to, directory))
  if (files.length > 0) await syncDirectory(to)
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
  const objects = join(directory, 'objects')
  const own = join(objects, `tmp_objdir-fetch-${randomUUID()}`)
  const [ended, over] = [new AbortController(), new AbortController()]
  await mkdir(join(own, 'pack'), { recursive: true })
  try {
    const watched = watch(own, maxBytes, ended.signal).catch((error) => over.abort(error))
    const running = run({
      quarantine: { objectDirectory: own, alternateObjectDirectories: objects },
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
    await moveIn(own, objects)
  } finally {
    await rm(own, { recursive: true, force: true })
  }
}
