import { existsSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import type { Locks } from '../database.ts'
import { type Held, LockHeld } from '../locks.ts'

/** Result code of SQLite when another connection has the lock. */
const SQLITE_BUSY = 5

/** How long `hold` waits for those that look at the lock at this moment. */
const lookMs = 1_000

function isBusy(error: unknown): boolean {
  return (error as { errcode?: number }).errcode === SQLITE_BUSY
}

/**
 * Locks by SQLite's own lock on an empty database beside the database.
 * @param barrier waits until the write transactions that have begun are over
 */
export function namedLocks(path: string, barrier: () => Promise<void>): Locks & { close(): void } {
  const looking = new Map<string, DatabaseSync>()
  const fileOf = (name: string) => `${path}.${name}.lock`

  function look(name: string): DatabaseSync {
    const known = looking.get(name)
    if (known) return known
    const opened = new DatabaseSync(fileOf(name), { timeout: 0 })
    looking.set(name, opened)
    return opened
  }

  return {
    async hold(name): Promise<Held> {
      const lock = new DatabaseSync(fileOf(name), { timeout: lookMs })
      try {
        lock.exec('begin exclusive')
      } catch (error) {
        lock.close()
        throw isBusy(error) ? new LockHeld(name) : error
      }
      await barrier()
      const release = async () => {
        if (lock.isOpen) lock.close()
      }
      return { isIntact: async () => lock.isOpen, release }
    },
    async isHeld(name) {
      // Without the file nothing has ever held the lock.
      if (!existsSync(fileOf(name))) return false
      try {
        look(name).exec('select count(*) from sqlite_master')
        return false
      } catch (error) {
        if (isBusy(error)) return true
        throw error
      }
    },
    close() {
      for (const opened of looking.values()) opened.close()
      looking.clear()
    },
  }
}
