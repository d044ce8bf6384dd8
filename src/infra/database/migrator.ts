import { type Kysely, sql } from 'kysely'
import { type Dialect, dialectOf } from './dialect.ts'
import { type Migration, migrations } from './migrations/index.ts'
import type { Engine, Tables } from './tables.ts'

/** The database holds migrations that this release does not know: it was written by a newer one. */
export class UnknownSchemaError extends Error {
  constructor(names: string[]) {
    super(
      `The database was written by a newer release (unknown migrations: ${names.join(', ')}). ` +
        'Start that release, or restore a backup made by this one.',
    )
    this.name = 'UnknownSchemaError'
  }
}

/** An arbitrary number that all processes share: the advisory lock under which PostgreSQL migrates. */
const migrationLock = 7_305_318

async function appliedNames(db: Kysely<Tables>): Promise<Set<string>> {
  const rows = await sql<{ name: string }>`select name from migrations`.execute(db)
  return new Set(rows.rows.map((row) => row.name))
}

async function apply(db: Kysely<Tables>, dialect: Dialect, migration: Migration): Promise<void> {
  await db.transaction().execute(async (tx) => {
    // Two processes may start at once: whoever gets the lock second finds the work done.
    if (dialect.engine === 'postgres') await sql`select pg_advisory_xact_lock(${migrationLock})`.execute(tx)
    if ((await appliedNames(tx)).has(migration.name)) return
    for (const statement of migration.up(dialect)) await statement.execute(tx)
    await sql`insert into migrations (name) values (${migration.name})`.execute(tx)
  })
}

/**
 * Applies every migration that the database lacks, each in a transaction, in order (design §4: forward only).
 * @throws UnknownSchemaError when the database knows migrations that this release does not
 */
export async function migrate(db: Kysely<Tables>, engine: Engine): Promise<void> {
  const exists =
    engine === 'postgres'
      ? sql`select 1 from pg_tables where schemaname = current_schema() and tablename = 'migrations'`
      : sql`select 1 from sqlite_master where type = 'table' and name = 'migrations'`
  if ((await exists.execute(db)).rows.length === 0) {
    await db.transaction().execute(async (tx) => {
      if (engine === 'postgres') await sql`select pg_advisory_xact_lock(${migrationLock})`.execute(tx)
      await sql`create table if not exists migrations (name text primary key)`.execute(tx)
    })
  }
  const applied = await appliedNames(db)
  const known = new Set(migrations.map((migration) => migration.name))
  const unknown = [...applied].filter((name) => !known.has(name))
  if (unknown.length > 0) throw new UnknownSchemaError(unknown)
  const dialect = dialectOf(engine)
  for (const migration of migrations) {
    if (!applied.has(migration.name)) await apply(db, dialect, migration)
  }
}
