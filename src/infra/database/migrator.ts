import { createHash } from 'node:crypto'
import { type Kysely, type RawBuilder, sql } from 'kysely'
import { type Dialect, dialectOf } from './dialect.ts'
import type { Engine, Tables } from './tables.ts'

/**
 * A step of the schema. `up` returns the statements, which run in order.
 * @property summary what it brings, in a few words
 * @property checksums of the statements by engine, which the database records: a migration that a database has is never changed
 */
export type Migration = {
  name: string
  summary?: string
  checksums?: Record<Engine, string>
  up: (dialect: Dialect) => RawBuilder<unknown>[]
}

/** The database has migrations that this release does not have, or has them with other statements. */
export class UnknownSchemaError extends Error {
  constructor(names: readonly string[], what: string) {
    super(
      `The database has migrations that this release ${what}: ${names.join(', ')}. A newer release wrote it, or a version that was ` +
        'never released. Start the one that wrote it, or restore a backup that this release made.',
    )
    this.name = 'UnknownSchemaError'
  }
}

/** Stands among the names of the migrations while a backup is restored, so that no release starts on half of the data. */
const restoreMark = 'a restore that has not ended'

/** A restore into the database was begun, and has not ended. */
export class RestoreUnfinished extends Error {
  constructor() {
    super(
      'A restore into this database was begun and has not ended. ' +
        'If it was interrupted, empty the database, the storages and the objects, and restore again.',
    )
    this.name = 'RestoreUnfinished'
  }
}

/** A backup is to be restored into a database that has tables. */
export class DatabaseNotEmpty extends Error {
  constructor() {
    super('The database is not empty.')
    this.name = 'DatabaseNotEmpty'
  }
}

/** The database lacks migrations of this release. */
export class OlderSchemaError extends Error {
  constructor() {
    super('The database was written by an older release, or by none. Use the release that serves it.')
    this.name = 'OlderSchemaError'
  }
}

/** Key of the advisory lock that is held on PostgreSQL while migrations run. */
const migrationLock = 7_305_318

/** The checksums of the migrations that the database has, by name. */
async function appliedChecksums(db: Kysely<Tables>): Promise<Map<string, string | null | undefined>> {
  const { rows } = await sql<{ name: string; checksum?: string | null }>`select * from migrations`.execute(db)
  return new Map(rows.map(({ name, checksum }) => [name, checksum]))
}

/** Checks that the database has no migrations but these. @throws UnknownSchemaError, RestoreUnfinished */
function expectKnown(
  applied: ReadonlyMap<string, string | null | undefined>,
  engine: Engine,
  migrations: readonly Migration[],
): void {
  if (applied.has(restoreMark)) throw new RestoreUnfinished()
  const known = new Map(migrations.map((migration) => [migration.name, migration]))
  const unknown = [...applied.keys()].filter((name) => !known.has(name))
  if (unknown.length > 0) throw new UnknownSchemaError(unknown, 'does not have')
  const changed = migrations.filter(
    ({ name, checksums }) => checksums && applied.has(name) && applied.get(name) !== checksums[engine],
  )
  if (changed.length > 0) {
    const names = changed.map(({ name }) => name)
    throw new UnknownSchemaError(names, 'has with other statements')
  }
}

/** The statements of a file, which end with `;` and an empty line. None of them has one within. */
export function statementsIn(text: string): RawBuilder<unknown>[] {
  return text
    .replace(/;\n$/, '')
    .split(';\n\n')
    .map((statement) => sql.raw(statement))
}

/** The statements of a migration on an engine. @param db any, which writes them down */
export function statementsOf(db: Kysely<Tables>, engine: Engine, { up }: Migration): string[] {
  return up(dialectOf(engine)).map((statement) => statement.compile(db).sql)
}

/** The SHA-256 of the statements of a migration on an engine. */
export function checksumOf(db: Kysely<Tables>, engine: Engine, migration: Migration): string {
  return createHash('sha256')
    .update(statementsOf(db, engine, migration).join(';\n'))
    .digest('hex')
}

async function hasMigrations(db: Kysely<Tables>, engine: Engine): Promise<boolean> {
  const exists =
    engine === 'postgres'
      ? sql`select 1 from pg_tables where schemaname = current_schema() and tablename = 'migrations'`
      : sql`select 1 from sqlite_master where type = 'table' and name = 'migrations'`
  return (await exists.execute(db)).rows.length > 0
}

async function hasTables(db: Kysely<Tables>, engine: Engine): Promise<boolean> {
  const tables =
    engine === 'postgres'
      ? sql`select 1 from pg_tables where schemaname = current_schema() limit 1`
      : sql`select 1 from sqlite_master where type = 'table' limit 1`
  return (await tables.execute(db)).rows.length > 0
}

/** Applies what is missing. When two processes start at once, the second one waits here and finds everything applied. */
async function apply(tx: Kysely<Tables>, engine: Engine, migrations: readonly Migration[]): Promise<void> {
  if (engine === 'postgres') {
    await sql`set local statement_timeout = 0`.execute(tx)
    await sql`select pg_advisory_xact_lock(${migrationLock})`.execute(tx)
  }
  await sql`create table if not exists migrations (name text primary key, checksum text)`.execute(tx)
  const applied = await appliedChecksums(tx)
  const dialect = dialectOf(engine)
  for (const { name, checksums, up } of migrations) {
    if (applied.has(name)) continue
    for (const statement of up(dialect)) await statement.execute(tx)
    await sql`insert into migrations (name, checksum) values (${name}, ${checksums?.[engine] ?? null})`.execute(tx)
  }
}

/**
 * The migrations that a database does not have yet, in order. Nothing is written.
 * @throws UnknownSchemaError, RestoreUnfinished as `migrate` does
 */
export async function findMissing(
  db: Kysely<Tables>,
  engine: Engine,
  migrations: readonly Migration[],
): Promise<Migration[]> {
  const applied = (await hasMigrations(db, engine)) ? await appliedChecksums(db) : new Map<string, string>()
  expectKnown(applied, engine, migrations)
  return migrations.filter(({ name }) => !applied.has(name))
}

/**
 * Applies the migrations that the database does not have yet, in order (design §4: forward only). All of them are one
 * transaction: a release is installed completely or not at all, and a first start waits for the disk once.
 * @param options.mayApply whether to apply them; else a database without all of them is refused
 * @throws UnknownSchemaError when the database has other migrations than those of the list
 * @throws RestoreUnfinished while a backup is restored into it, or after that was interrupted
 * @throws OlderSchemaError when it lacks migrations and they may not be applied
 */
export async function migrate(
  db: Kysely<Tables>,
  engine: Engine,
  migrations: readonly Migration[],
  { mayApply = true }: { mayApply?: boolean | undefined } = {},
): Promise<void> {
  if ((await findMissing(db, engine, migrations)).length === 0) return
  if (!mayApply) throw new OlderSchemaError()
  await db.transaction().execute((tx) => apply(tx, engine, migrations))
}

/** Whether a database has the schema of these migrations and the mark of a restore. Its rows are written in one transaction with the end. */
async function isBegun(db: Kysely<Tables>, migrations: readonly Migration[]): Promise<boolean> {
  const applied = await appliedChecksums(db)
  return applied.size === migrations.length + 1 && migrations.every(({ name }) => applied.has(name))
}

/**
 * Creates the schema in an empty database, marked as that of a restore, so that `migrate` refuses it.
 * @param options.mayContinue whether a database is accepted into which the same was begun, and has no rows therefore
 * @throws DatabaseNotEmpty, RestoreUnfinished
 */
export async function beginRestore(
  db: Kysely<Tables>,
  engine: Engine,
  migrations: readonly Migration[],
  { mayContinue = false } = {},
): Promise<void> {
  if (await hasMigrations(db, engine)) {
    if (!(await appliedChecksums(db)).has(restoreMark)) throw new DatabaseNotEmpty()
    if (mayContinue && (await isBegun(db, migrations))) return
    throw new RestoreUnfinished()
  }
  if (await hasTables(db, engine)) throw new DatabaseNotEmpty()
  await db.transaction().execute(async (tx) => {
    await apply(tx, engine, migrations)
    await sql`insert into migrations (name) values (${restoreMark})`.execute(tx)
  })
}

/** Applies the later migrations to a restored database. */
export async function migrateRestored(
  tx: Kysely<Tables>,
  engine: Engine,
  migrations: readonly Migration[],
): Promise<void> {
  await apply(tx, engine, migrations)
}

/** Removes the mark of a restore. */
export async function endRestore(tx: Kysely<Tables>): Promise<void> {
  await sql`delete from migrations where name = ${restoreMark}`.execute(tx)
}
