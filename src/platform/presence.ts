import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import type { RawBuilder } from 'kysely'
import type { Logger } from 'pino'
import type { Clock } from '../infra/clock/index.ts'
import { type Database, type Held, isShared, lockIsFree, neverTrue } from '../infra/database/index.ts'

/**
 * The identity of this process among those that use the database. On PostgreSQL it is the name of a lock that the process holds
 * while it lives. When the lock is lost with its connection, the process takes another one, under another name.
 */
export type Presence = {
  name(): string
  /** Whether the process of a name has ended, or has lost its lock. Names of this process are taken for those of others. */
  hasEnded(name: string): Promise<boolean>
  /** As a condition, on PostgreSQL: whether the server does not know the present lock. */
  isUnknown(): RawBuilder<boolean>
  /** Takes a lock under a new name when the server does not know the present one any more: it was restarted, or replaced. */
  confirm(): Promise<void>
  close(): Promise<void>
}

const retryMs = 1_000

const newName = () => `${hostname()}:${process.pid}:${randomUUID()}`
const lockOf = (name: string) => `process ${name}`

/** One process uses a SQLite database: all others have ended. */
function alone(): Presence {
  const name = newName()
  return {
    name: () => name,
    hasEnded: async (other) => other !== name,
    isUnknown: () => neverTrue,
    confirm: async () => {},
    close: async () => {},
  }
}

/** Enters this process among those that use the database. @throws DatabaseUnavailable */
export async function openPresence(
  database: Database,
  { clock, log }: { clock: Clock; log: Pick<Logger, 'warn'> },
): Promise<Presence> {
  if (!isShared(database)) return alone()
  let isClosed = false
  let current: { name: string; held: Held } | undefined
  let entering: Promise<void> | undefined

  async function enter(): Promise<void> {
    const name = newName()
    const held = await database.hold(lockOf(name), { onLost: () => void replace(name) })
    const former = current
    current = { name, held }
    // Does not wait: a connection to a server that is gone may not end for long.
    void former?.held.release()
    if (isClosed) await held.release()
  }

  /** Takes a new lock in place of one that was lost. Tries again until it succeeds. */
  function replace(lost: string): Promise<void> {
    if (isClosed || current?.name !== lost) return entering ?? Promise.resolve()
    entering ??= enter()
      .then(() => log.warn({ lost }, 'other processes could not see that this one lives: its connection was lost'))
      .catch(() => void clock.setTimer(() => void replace(lost), retryMs))
      .finally(() => {
        entering = undefined
      })
    return entering
  }

  const hasEnded = async (name: string) => !(await database.isHeld(lockOf(name)))

  await enter()
  return {
    name: () => current?.name ?? '',
    hasEnded,
    isUnknown: () => lockIsFree(lockOf(current?.name ?? '')),
    async confirm() {
      const name = current?.name ?? ''
      if (await hasEnded(name)) await replace(name)
    },
    async close() {
      isClosed = true
      await entering
      await current?.held.release()
    },
  }
}
