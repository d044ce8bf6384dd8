/**
 * Knows which processes of this server may hold locks of refs (`refs/heads/main.lock`, `packed-refs.lock`, `HEAD.lock`), and removes
 * the locks of those that were killed. Git removes its locks itself when it fails or is asked to end.
 */
import { rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { filesBelow, ignoreMissing } from '../../files/index.ts'
import { GitError, type GitErrorCode, RefConflict } from '../model/errors.ts'
import type { RefName } from '../model/names.ts'
import type { GitLog } from '../model/types.ts'

/** Waits until those processes of other nodes have ended that may hold locks in a repository now. Rejects when that is unknown. */
export type WaitForOthers = (directory: string) => Promise<void>

export type RefWriters = {
  /**
   * Runs work that takes locks of refs. When its process was killed, its locks are removed afterwards, in the background. When it was
   * refused because of a lock while such locks are being removed, it is run once more.
   * @param names the refs that it may lock; null: any ref
   */
  during<Result>(directory: string, names: readonly RefName[] | null, work: () => Promise<Result>): Promise<Result>
  /** Names what to wait for before locks are removed. Default: nothing, no other node has the repositories. */
  waitForOthers(wait: WaitForOthers): void
}

/** With one of these, git has not run, or has ended by itself. */
const ORDERLY: ReadonlySet<GitErrorCode> = new Set(['busy', 'closed', 'invalid_input', 'object_missing', 'unsupported'])

/** The times of files advance in steps of up to 10 ms: a file that is older cannot be mistaken for its successor. */
const CLOCK_STEP_MS = 20
/** How long a refused writer waits for the removal of locks. */
const PATIENCE_MS = 10_000

/** Creates the register of one server. */
export function refWriters(log: GitLog = () => {}): RefWriters {
  const active = new Map<string, Set<Promise<void>>>()
  const clearing = new Map<string, Promise<void>>()
  let others: WaitForOthers = async () => {}

  async function run<Result>(directory: string, work: () => Promise<Result>): Promise<Result> {
    const { promise: ended, resolve: end } = Promise.withResolvers<void>()
    const writers = active.get(directory) ?? new Set()
    active.set(directory, writers.add(ended))
    try {
      return await work()
    } finally {
      writers.delete(ended)
      if (writers.size === 0 && active.get(directory) === writers) active.delete(directory)
      end()
    }
  }

  /**
   * Removes the locks that no living process holds. Only the owner of a lock removes or replaces it. So a lock that is unchanged
   * after all have ended that lived when it was seen belongs to a process that was killed.
   */
  async function clear(directory: string, names: readonly RefName[] | null): Promise<void> {
    const first = await locksIn(directory, names)
    if (first.size === 0) return
    await sleep(CLOCK_STEP_MS)
    const seen = await unchanged(first)
    await Promise.all(active.get(directory) ?? [])
    await others(directory)
    for (const path of (await unchanged(seen)).keys()) {
      log('warn', 'removed the lock of a killed git process', { path })
      // Git makes it under the lock, and only when it does not exist.
      if (path === join(directory, 'packed-refs.lock')) await rm(join(directory, 'packed-refs.new'), { force: true })
      await rm(path, { force: true })
    }
  }

  function clearLater(directory: string, names: readonly RefName[] | null): void {
    const cleared = (clearing.get(directory) ?? Promise.resolve())
      .then(() => clear(directory, names))
      .catch((error) => log('warn', 'locks of a killed git process could not be removed', { directory, error }))
      .finally(() => clearing.get(directory) === cleared && clearing.delete(directory))
    clearing.set(directory, cleared)
  }

  return {
    async during(directory, names, work) {
      const attempt = () =>
        run(directory, work).catch((error) => {
          if (error instanceof GitError && !ORDERLY.has(error.code)) clearLater(directory, names)
          throw error
        })
      return attempt().catch(async (error) => {
        const cleared = clearing.get(directory)
        if (!(error instanceof RefConflict && error.reason === 'locked') || cleared === undefined) throw error
        await Promise.race([cleared, sleep(PATIENCE_MS, undefined, { ref: false })])
        return attempt()
      })
    },
    waitForOthers(wait) {
      others = wait
    },
  }
}

/** The locks that exist, each with what distinguishes it from a later one of the same name. */
async function locksIn(directory: string, names: readonly RefName[] | null): Promise<Map<string, string>> {
  const paths =
    names === null
      ? (await filesBelow(join(directory, 'refs'))).filter((path) => path.endsWith('.lock'))
      : names.map((name) => join(directory, `${name}.lock`))
  // `HEAD` is locked with the branch that it names, and `packed-refs` by every deletion.
  const all = [...paths, join(directory, 'HEAD.lock'), join(directory, 'packed-refs.lock')]
  const locks = new Map<string, string>()
  for (const path of all) {
    const identity = await identityOf(path)
    if (identity !== null) locks.set(path, identity)
  }
  return locks
}

async function unchanged(locks: ReadonlyMap<string, string>): Promise<Map<string, string>> {
  const left = new Map<string, string>()
  for (const [path, identity] of locks) if ((await identityOf(path)) === identity) left.set(path, identity)
  return left
}

async function identityOf(path: string): Promise<string | null> {
  const found = await stat(path, { bigint: true }).catch(ignoreMissing)
  return found && `${found.ino} ${found.ctimeNs}`
}
