import type { Database, DatabaseOptions } from './database.ts'
import { migrate } from './migrator.ts'
import { openSqlite } from './sqlite/open.ts'

/**
 * Opens a database and applies the migrations that it does not have yet.
 * @throws UnknownSchemaError when a newer release wrote the database
 * @throws DatabaseUnavailable when PostgreSQL cannot be reached
 * @throws DatabaseInUse when `exclusive` is set and another server uses the SQLite database
 */
export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  const isPostgres = /^postgres(ql)?:/.test(options.url)
  // Loaded on demand: a server on SQLite does not need the driver of PostgreSQL.
  const opened = isPostgres ? (await import('./postgres/open.ts')).openPostgres(options) : openSqlite(options)
  try {
    await migrate(opened.kysely, opened.database.engine, options.migrations)
    return opened.database
  } catch (error) {
    await opened.database.close()
    throw error
  }
}
