import type { Database, DatabaseOptions } from './database.ts'
import { migrate } from './migrator.ts'
import { openSqlite } from './sqlite/index.ts'

/**
 * Opens a database and brings its schema up to date.
 * @throws UnknownSchemaError when the database was written by a newer release
 */
export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  const isPostgres = /^postgres(ql)?:/.test(options.url)
  // Loaded on demand: a server on SQLite does not need the driver of PostgreSQL.
  const opened = isPostgres ? (await import('./postgres/index.ts')).openPostgres(options) : openSqlite(options)
  try {
    await migrate(opened.kysely, opened.database.engine, options.migrations)
    return opened.database
  } catch (error) {
    await opened.database.close()
    throw error
  }
}
