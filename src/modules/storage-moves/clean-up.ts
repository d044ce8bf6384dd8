import { RunLater } from '../../infra/jobs/index.ts'
import { deferDuringBackup, type Job, type Platform } from '../../platform/index.ts'
import { type DiskPlace, isPlaceInUse, removePlace } from '../../platform/repositories/index.ts'
import { kindNamed, type MoveKind } from './kinds.ts'
import { changeState } from './store.ts'

/** `since`: when the repositories were switched to their copies. */
type CleanUp = { kind: MoveKind['name']; moveId: number; places: DiskPlace[]; since: string }

/** How long requests that have opened a repository may read its former files. */
export const graceMs = 1_000

/** How long fetches may go on from the former files (contract 10, Job 6). */
const longestFetchMs = 60_000

const lookMs = 250

/** Waits until no fetch reads from a place, or the time is over. */
async function untilUnused(platform: Platform, place: DiskPlace, end: number, signal: AbortSignal): Promise<void> {
  while (platform.clock.now().getTime() < end && (await isPlaceInUse(platform, place))) {
    await new Promise<void>((resolve) => void platform.clock.setTimer(resolve, lookMs))
    signal.throwIfAborted()
  }
}

/** Deletes the former files of moved repositories; it may run again. */
export const cleanUpJob: Job<CleanUp> = {
  kind: 'storage_moves.clean_up',
  // Not that of the moves, which do not wait for fetches.
  queue: 'storage_moves_clean_up',
  maxAttempts: 1_000,
  async run(platform, { kind: name, moveId, places, since }, { signal }) {
    const { database, log } = platform
    const kind = kindNamed(name)
    const end = Date.parse(since) + longestFetchMs
    const remove = async () => {
      for (const place of places) {
        await untilUnused(platform, place, end, signal)
        await deferDuringBackup(platform)
        await removePlace(platform, place, { force: true })
      }
      return 'finished' as const
    }
    const state = await remove().catch((error) => {
      if (signal.aborted || error instanceof RunLater) throw error
      log.error({ err: error, move: moveId, kind: name }, 'the former files of a repository could not be deleted')
      return 'cleanup failed' as const
    })
    await database.write((tx) => changeState(tx, kind, moveId, ['replicated'], state))
  },
}
