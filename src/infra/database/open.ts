import { existsSync } from 'node:fs'
import { sql } from 'kysely'
import type { Database, DatabaseOptions, Tx } from './database.ts'
import {
  beginRestore,
  endRestore,
  findMissing,
  type Migration,
  migrate,
  migrateRestored,
  statementsOf,
} from './migrator.ts'
import { openSqlite } from './sqlite/open.ts'
import { fillSearch } from './transfer/load-rows.ts'

/** Opens the connections. */
async function connect(options: DatabaseOptions) {
  const isPostgres = /^postgres(ql)?:/.test(options.url)
  // Loaded on demand: a server on SQLite does not need the driver of PostgreSQL.
  return isPostgres ? (await import('./postgres/open.ts')).openPostgres(options) : openSqlite(options)
}

/**
 * Opens a database and applies the migrations that it does not have yet.
 * @throws UnknownSchemaError when another release wrote the database
 * @throws RestoreUnfinished while a backup is restored into it
 * @throws DatabaseUnavailable when PostgreSQL cannot be reached
 * @throws DatabaseInUse when `exclusive` is set and another server uses the SQLite database
 */
export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  const opened = await connect(options)
  try {
    await migrate(opened.kysely, opened.database.engine, options.migrations, { mayApply: options.mayMigrate })
    return opened.database
  } catch (error) {
    await opened.database.close()
    throw error
  }
}

/**
 * Makes everything survive a power failure that was committed while the database was open with `durable: false`, and is closed now: a
 * durable commit comes after all others, and SQLite syncs the whole file when its last connection is closed after one.
 */
export async function makeDurable({ url }: Pick<DatabaseOptions, 'url'>): Promise<void> {
  const { database } = await connect({ url, migrations: [] })
  try {
    await database.write((tx) => sql`update migrations set name = name`.execute(tx))
  } finally {
    await database.close()
  }
}

/** A migration that a database lacks, with its statements on the engine. */
export type MissingMigration = Pick<Migration, 'name' | 'summary'> & { statements: string[] }

/**
 * The migrations that a database does not have yet, in order. Nothing is created or changed.
 * @throws UnknownSchemaError, RestoreUnfinished, DatabaseUnavailable as `openDatabase` does
 */
export async function missingMigrations(options: DatabaseOptions): Promise<MissingMigration[]> {
  const path = options.url.replace(/^sqlite:/, '')
  const isThere = path === options.url || existsSync(path)
  const { database, kysely } = await connect(isThere ? options : { ...options, url: 'sqlite::memory:' })
  try {
    const missing = await findMissing(kysely, database.engine, options.migrations)
    return missing.map((one) => ({
      name: one.name,
      summary: one.summary,
      statements: statementsOf(kysely, database.engine, one),
    }))
  } finally {
    await database.close()
  }
}

/** A database that is being filled from a backup. No server starts on it before `finish`. */
export type RestoredDatabase = Pick<Database, 'engine' | 'close'> & {
  /**
   * Fills the database, and completes the restore in the same transaction: applies the later migrations, and fills the tables of
   * the search.
   * @param work inserts the rows; may be run again
   * @param also is done when all of that is done; may be run again
   */
  finish(all: readonly Migration[], work: (tx: Tx) => Promise<void>, also?: (tx: Tx) => Promise<void>): Promise<void>
}

/**
 * Begins a restore: creates the schema of the backup in an empty database, and marks it so that no server starts on it.
 * @param options.migrations those of the backup
 * @param options.mayContinue whether one that was begun and interrupted is gone on with
 * @throws DatabaseNotEmpty, RestoreUnfinished
 */
export async function openForRestore(
  options: DatabaseOptions & { mayContinue?: boolean | undefined },
): Promise<RestoredDatabase> {
  const { database, kysely } = await connect({ ...options, exclusive: true })
  const { engine } = database
  try {
    await beginRestore(kysely, engine, options.migrations, { mayContinue: options.mayContinue ?? false })
  } catch (error) {
    await database.close()
    throw error
  }
  return {
    engine,
    close: () => database.close(),
    finish: (all, work, also) =>
      database.write(async (tx) => {
        await work(tx)
        await migrateRestored(tx, engine, all)
        await fillSearch(tx)
        await also?.(tx)
        await endRestore(tx)
      }),
  }
}
