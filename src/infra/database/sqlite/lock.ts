import { DatabaseSync } from 'node:sqlite'

/** Another server has the SQLite database open. */
export class DatabaseInUse extends Error {
  constructor(path: string) {
    super(`another server is using the database ${path}`)
    this.name = 'DatabaseInUse'
  }
}

/** Result code of SQLite when another connection has the lock. */
const SQLITE_BUSY = 5

/**
 * Locks a SQLite database against other servers. The lock is SQLite's own lock on an empty database beside it: the operating
 * system releases it when the process ends, however it ends. Other programs can still read and write the database.
 * @returns a function that releases the lock
 * @throws DatabaseInUse when another server has the lock
 */
export function lockDatabase(path: string): () => void {
  const lock = new DatabaseSync(`${path}.lock`, { timeout: 0 })
  try {
    lock.exec('begin exclusive')
  } catch (error) {
    lock.close()
    throw (error as { errcode?: number }).errcode === SQLITE_BUSY ? new DatabaseInUse(path) : error
  }
  return () => lock.close()
}
