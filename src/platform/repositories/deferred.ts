import { DatabaseUnavailable } from '../../infra/database/index.ts'
import { RunLater } from '../../infra/jobs/index.ts'
import type { Platform } from '../platform.ts'
import { StorageAway } from './storages.ts'
import { intentExists } from './store/intents.ts'

const firstDelayMs = 500
const longestDelayMs = 10_000

/**
 * Settles an intent when the database is available again: its refs may have moved without being recorded. A restart settles
 * the intent as well.
 * @param settle records what has moved, or removes the intent
 */
export function settleWhenAvailable(
  platform: Platform,
  intentId: number,
  settle: () => Promise<void>,
  delayMs = firstDelayMs,
): void {
  const { clock, database, log } = platform
  const attempt = async () => {
    try {
      // The transaction that removed the intent may have been committed although its connection was lost.
      if (await intentExists(database.read, intentId)) await settle()
    } catch (error) {
      if (error instanceof DatabaseUnavailable) {
        settleWhenAvailable(platform, intentId, settle, Math.min(delayMs * 2, longestDelayMs))
      } else log.error({ err: error, intent: intentId }, 'a change of refs could not be settled')
    }
  }
  clock.setTimer(attempt, delayMs)
}

const awayDelayMs = 60_000

/** Postpones a job that makes a repository or gives it up. @throws RunLater while a storage is not mounted */
export async function deferWhileAway({ storages }: Pick<Platform, 'storages'>, storage: string): Promise<void> {
  await storages.require(storage).catch((error) => {
    throw error instanceof StorageAway ? new RunLater(awayDelayMs, { cause: error }) : error
  })
}
