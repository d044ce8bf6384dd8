import type { Database, DatabaseOptions } from './database.ts'
import { migrate } from './migrator.ts'
import { openSqlite } from './sqlite/index.ts'

/**
 * Opens a database and brings its schema up to date.
 * @throws UnknownSchemaError when the database was written by a newer release
 */
export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  const isPostgres = /^postgres(ql)?:/.test(options.url)
  // Its driver is loaded by those who use it.
  const opened = isPostgres ? (await import('./postgres/index.ts')).openPostgres(options) : openSqlite(options)
  try {
    if (options.migrate !== false) await migrate(opened.kysely, opened.database.engine)
    return opened.database
  } catch (error) {
    await opened.database.close()
    throw error
  }
}
