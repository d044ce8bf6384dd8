import { closeSync, existsSync, fsyncSync, linkSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

/**
 * Begins a database as a copy of an empty one that has the tables, which takes less than to create them. The copy appears whole or not
 * at all; a database that is there stays as it is. Where no copy can be made, SQLite begins an empty database, or says what is wrong.
 * @param path of the database
 * @param model path of the empty database; nothing is done where it does not exist
 */
export function beginAsCopy(path: string, model: string): void {
  // SQLite would take the log of a database that was deleted for a log of the copy.
  if (existsSync(path) || existsSync(`${path}-wal`) || !existsSync(model)) return
  const copy = `${path}.new`
  try {
    writeFileSync(copy, readFileSync(model), { mode: 0o644, flush: true })
    // Fails where another process has begun the database meanwhile, and on file systems without hard links.
    linkSync(copy, path)
    syncFolder(dirname(path))
  } catch {
    // SQLite begins it.
  } finally {
    rmSync(copy, { force: true })
  }
}

function syncFolder(path: string): void {
  const folder = openSync(path, 'r')
  try {
    fsyncSync(folder)
  } finally {
    closeSync(folder)
  }
}
