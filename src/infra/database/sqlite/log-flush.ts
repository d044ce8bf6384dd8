import fs from 'node:fs'
import { promisify } from 'node:util'

/** Flushes the log of a database to the disk. */
export type LogFlush = {
  /** Ends when everything that was committed before the call is on the disk. @throws Error when the disk fails */
  flush(): Promise<void>
  close(): void
}

/**
 * Flushes the write-ahead log of SQLite outside of its commits: a flush takes milliseconds, in which SQLite would block the
 * event loop and every other writer. Transactions that are committed while a flush runs share the next one.
 * @param path of the database
 */
export function logFlush(path: string): LogFlush {
  let file: number | undefined
  let running: Promise<void> | null = null
  let next: Promise<void> | null = null

  async function run(): Promise<void> {
    // The log exists from the first commit on, and is the same file until the last connection is closed.
    file ??= fs.openSync(`${path}-wal`, 'r+')
    await promisify(fs.fdatasync)(file)
  }

  function begin(): Promise<void> {
    next = null
    running = run().finally(() => {
      running = null
    })
    return running
  }

  return {
    flush() {
      if (!running) return begin()
      // The flush that runs may have begun before the caller's commit.
      next ??= running.then(begin, begin)
      return next
    },
    close() {
      if (file !== undefined) fs.closeSync(file)
      file = undefined
    },
  }
}
