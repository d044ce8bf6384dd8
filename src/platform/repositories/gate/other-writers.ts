/** Tells git when the processes of other nodes have ended that may hold locks of refs. */
import type { RepositoryLocation } from '../../../infra/git/index.ts'
import type { Platform } from '../../platform.ts'
import { intentsAt } from '../store/intents.ts'

/** Packing takes locks of refs without an intent. It holds none for as long. */
const packingMs = 30_000
const lookMs = 1_000
/** After this time the locks are left to housekeeping. */
const patienceMs = 600_000

/**
 * Waits until the changes of refs have ended that other processes have under way in a repository now. After that, a lock that was
 * there before belongs to none of them.
 * @throws Error when one of them takes too long
 */
export async function othersHaveWritten(platform: Platform, { storage, diskPath }: RepositoryLocation): Promise<void> {
  const { clock, database, presence } = platform
  const others = await intentsAt(database.read, { storage, disk_path: diskPath, process: presence.name() })
  const asleep = (ms: number) => new Promise<void>((resolve) => void clock.setTimer(resolve, ms))
  await asleep(packingMs)
  const seen = new Set(others.map(({ id }) => id))
  for (let waitedMs = packingMs; waitedMs < patienceMs; waitedMs += lookMs) {
    const open = await intentsAt(database.read, { storage, disk_path: diskPath, process: presence.name() })
    const ended = await Promise.all(
      open.filter(({ id }) => seen.has(id)).map((one) => presence.hasEnded(one.process ?? '')),
    )
    if (ended.every(Boolean)) return
    await asleep(lookMs)
  }
  throw new Error('another process changes refs for too long')
}
