import { setTimeout as sleep } from 'node:timers/promises'
import { DatabaseUnavailable, now } from '../../../infra/database/index.ts'
import { type Incoming, type RefChange, RefConflict, type Repository } from '../../../infra/git/index.ts'
import type { Platform, ProposedChange } from '../../platform.ts'
import { refsLock } from '../../storage/during-backup.ts'
import { openRow } from '../on-disk.ts'
import { RefRefused, RepositoryMoving, readOnly } from '../refusals.ts'
import { insertIntent, intentExists } from '../store/intents.ts'
import { holdWritable, repositoryById } from '../store/repositories.ts'
import type { RepositoryRow } from '../tables.ts'
import { appliedOf, dropIntent, type Intent, isRemoved, listenersOf, record, settle } from './recording.ts'
import type { RefWriter } from './writer.ts'

/** The gate of one push: decides before refs move, and records them afterwards. */
type PushSession = {
  preReceive(
    change: Omit<ProposedChange, 'row' | 'writer'> & { pushOptions: readonly string[] },
  ): Promise<readonly string[] | null>
  postReceive(repository: Repository, changes: readonly RefChange[]): Promise<readonly string[]>
  /** Settles an intent that was not recorded. Must be called after git has ended, in any case. */
  finish(): Promise<void>
}

const gone = 'The project you were looking for could not be found.'
const removedDuringPush = 'The project was deleted during this push, and the pushed changes were deleted with it.'

/** Asks the gate's rules in order. @returns the sentences of the first rule that refuses; null when all accept */
async function refusal(platform: Platform, change: ProposedChange): Promise<readonly string[] | null> {
  for (const rule of platform.gate.rules) {
    const sentences = await rule(platform, change)
    if (sentences) return sentences
  }
  return null
}

/** A backup takes its snapshot at this moment. */
class SnapshotTaken extends Error {}

/** A snapshot is taken in a fraction of a second; a command that hangs must not stop pushes for long. */
const longestSnapshotMs = 30_000
const snapshotDelayMs = 20

/**
 * Stores the intent of a change before refs move. While a backup takes its snapshot, the change waits.
 * @throws RefRefused when the repository is read-only or removed; DatabaseUnavailable when the snapshot takes too long
 */
async function storeIntent(
  platform: Platform,
  row: RepositoryRow,
  changes: readonly RefChange[],
  writer: RefWriter,
): Promise<number> {
  const { database, clock, presence } = platform
  for (let waitedMs = 0; ; waitedMs += snapshotDelayMs) {
    try {
      return await database.write(async (tx) => {
        if (await database.isHeld(refsLock, tx)) throw new SnapshotTaken('a backup takes its snapshot')
        const isWritable = await holdWritable(tx, row)
        if (!isWritable) throw new RefRefused([isWritable === null ? gone : readOnly])
        return insertIntent(tx, {
          repositoryId: row.id,
          userId: writer.userId,
          updates: changes,
          process: presence.name(),
          now: now(clock),
        })
      })
    } catch (error) {
      if (!(error instanceof SnapshotTaken)) throw error
      if (waitedMs >= longestSnapshotMs) throw new DatabaseUnavailable(error)
    }
    // Real time: the command is another process.
    await sleep(snapshotDelayMs)
  }
}

/**
 * Runs work that changes a repository without the gate: refs that clients cannot push, and HEAD. A move to another storage waits
 * for it.
 * @throws RepositoryMoving while the repository is read-only, or when it was moved since its row was read
 */
export async function outsideGate<T>(platform: Platform, row: RepositoryRow, work: () => Promise<T>): Promise<T> {
  // An intent without changes: settling it only removes it.
  const intentId = await storeIntent(platform, row, [], { userId: null, via: 'api' }).catch((error) => {
    throw error instanceof RefRefused && error.isMoving ? new RepositoryMoving() : error
  })
  const drop = () => dropIntent(platform, row, intentId)
  try {
    return await work()
  } finally {
    await orLater(platform, intentId, drop, drop)
  }
}

const firstDelayMs = 500
const longestDelayMs = 10_000

/**
 * Settles an intent when the database is available again: its refs may have moved without being recorded. A restart settles
 * the intent as well.
 * @param settle records what has moved, or removes the intent
 */
function settleWhenAvailable(
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

/** Runs a step that closes an intent. When the database is lost during it, the intent is closed later, by another step. */
async function orLater<T>(
  platform: Platform,
  intentId: number,
  step: () => Promise<T>,
  later: () => Promise<void>,
): Promise<T> {
  try {
    return await step()
  } catch (error) {
    if (error instanceof DatabaseUnavailable) settleWhenAvailable(platform, intentId, later)
    throw error
  }
}

/**
 * Asks the gate, moves refs, all or none, and records them.
 * @param incoming new objects in quarantine; they are admitted when the gate accepts
 * @throws RefRefused when a rule refuses; RefConflict when a ref is not at `old`
 */
export async function changeRefs(
  platform: Platform,
  row: RepositoryRow,
  changes: readonly RefChange[],
  writer: RefWriter,
  incoming?: Pick<Incoming, 'quarantine' | 'admit'>,
): Promise<void> {
  const repository = await openRow(platform, row)
  const refused = await refusal(platform, { row, repository, changes, writer, quarantine: incoming?.quarantine })
  if (refused) throw new RefRefused(refused)
  const id = await storeIntent(platform, row, changes, writer)
  const settleByEffect = () => settle(platform, row, { id, changes }, writer)
  try {
    await incoming?.admit()
    await repository.updateRefs(changes)
  } catch (error) {
    // No ref moved in a conflict: what has the same effect is a change by another process. Git may be killed after refs have moved.
    const close = error instanceof RefConflict ? () => dropIntent(platform, row, id) : settleByEffect
    await orLater(platform, id, close, close)
    throw (await isRemoved(platform, row)) ? new RefRefused([gone]) : error
  }
  const isRecorded = await orLater(
    platform,
    id,
    () => record(platform, { row, repository, changes, writer }, id),
    settleByEffect,
  )
  if (!isRecorded) throw new RefRefused([gone])
}

/** Creates the gate of one push, which `receive-pack` asks before and after it moves refs. */
export function pushGate(platform: Platform, row: RepositoryRow, writer: RefWriter): PushSession {
  const { database } = platform
  let intent: Intent | undefined
  return {
    async preReceive({ repository, changes, quarantine, pushOptions }) {
      writer.pushOptions = pushOptions
      const current = await repositoryById(database.read, row.id)
      if (!current) return [gone]
      try {
        const refused = await refusal(platform, { row: current, repository, changes, writer, quarantine })
        if (refused) return refused
        intent = { id: await storeIntent(platform, row, changes, writer), changes }
        // Git refuses what another push has done meanwhile, so its effect is not that of this push.
        const done = await appliedOf(repository, changes)
        intent = { ...intent, changes: changes.filter((change) => !done.includes(change)) }
        return null
      } catch (error) {
        if (error instanceof RefRefused) return error.sentences
        if (await isRemoved(platform, row)) return [gone]
        throw error
      }
    },
    async postReceive(repository, changes) {
      if (!intent) throw new Error('refs moved although the gate was not asked')
      const applied = { row, repository, changes, writer }
      const isRecorded = await record(platform, applied, intent.id)
      intent = undefined
      if (!isRecorded) return [removedDuringPush]
      const messages = await Promise.all(
        listenersOf(platform, applied).map(([listener, moved]) => listener.afterPush?.(platform, moved) ?? []),
      )
      return messages.flat()
    },
    async finish() {
      const unsettled = intent
      if (!unsettled) return
      const settleByEffect = () => settle(platform, row, unsettled, writer)
      await orLater(platform, unsettled.id, settleByEffect, settleByEffect)
    },
  }
}
