import { type Kysely, type RawBuilder, sql } from 'kysely'
import { type Dialect, dialectOf } from './dialect.ts'
import type { Engine, Tables } from './tables.ts'

/** A step of the schema. `up` returns the statements, which run in order. */
export type Migration = { name: string; up: (dialect: Dialect) => RawBuilder<unknown>[] }

/** The database has migrations that this release does not know: a newer release wrote it. */
export class UnknownSchemaError extends Error {
  constructor(names: string[]) {
    super(
      `The database was written by a newer release (unknown migrations: ${names.join(', ')}). ` +
        'Start that release, or restore a backup made by this one.',
    )
    this.name = 'UnknownSchemaError'
  }
}

/** Key of the advisory lock that is held on PostgreSQL while migrations run. */
const migrationLock = 7_305_318

async function appliedNames(db: Kysely<Tables>): Promise<Set<string>> {
  const rows = await sql<{ name: string }>`select name from migrations`.execute(db)
  return new Set(rows.rows.map((row) => row.name))
}

async function hasMigrations(db: Kysely<Tables>, engine: Engine): Promise<boolean> {
  const exists =
    engine === 'postgres'
      ? sql`select 1 from pg_tables where schemaname = current_schema() and tablename = 'migrations'`
      : sql`select 1 from sqlite_master where type = 'table' and name = 'migrations'`
  return (await exists.execute(db)).rows.length > 0
}

/** Applies what is missing. When two processes start at once, the second one waits here and finds everything applied. */
async function apply(tx: Kysely<Tables>, engine: Engine, migrations: readonly Migration[]): Promise<void> {
  if (engine === 'postgres') {
    await sql`set local statement_timeout = 0`.execute(tx)
    await sql`select pg_advisory_xact_lock(${migrationLock})`.execute(tx)
  }
  await sql`create table if not exists migrations (name text primary key)`.execute(tx)
  const applied = await appliedNames(tx)
  const dialect = dialectOf(engine)
  for (const { name, up } of migrations) {
    if (applied.has(name)) continue
    for (const statement of up(dialect)) await statement.execute(tx)
    await sql`insert into migrations (name) values (${name})`.execute(tx)
  }
}

/**
 * Applies the migrations that the database does not have yet, in order (design §4: forward only). All of them are one
 * transaction: a release is installed completely or not at all, and a first start waits for the disk once.
 * @throws UnknownSchemaError when the database has migrations that are not in the list
 */
export async function migrate(db: Kysely<Tables>, engine: Engine, migrations: readonly Migration[]): Promise<void> {
  const applied = (await hasMigrations(db, engine)) ? await appliedNames(db) : new Set<string>()
  const known = new Set(migrations.map((migration) => migration.name))
  const unknown = [...applied].filter((name) => !known.has(name))
  if (unknown.length > 0) throw new UnknownSchemaError(unknown)
  if (applied.size < migrations.length) await db.transaction().execute((tx) => apply(tx, engine, migrations))
}
