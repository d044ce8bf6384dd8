import { Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler, sql } from 'kysely'
import pg from 'pg'
import type { Database, DatabaseOptions, Reader } from '../database.ts'
import { asReader, writer } from '../handles.ts'
import type { Tables } from '../tables.ts'
import { ReferenceViolation } from '../violations.ts'
import { onConnect, postgresDriver } from './driver.ts'
import { isOutdatedStatement } from './errors.ts'
import { namedLocks } from './named-locks.ts'
import { Watchdog } from './watchdog.ts'

const { builtins } = pg.types

/** Converts `2026-01-02 03:04:05.678901+00` to `2026-01-02T03:04:05.678Z`. The time zone of the session is UTC. */
function isoText(text: string): string {
  const [day = '', clock = ''] = text.split(' ')
  const [seconds = '', fraction = ''] = clock.replace(/\+00(:00)?$/, '').split('.')
  return `${day}T${seconds}.${fraction.padEnd(3, '0').slice(0, 3)}Z`
}

const parsers: Record<number, (text: string) => unknown> = {
  [builtins.INT8]: Number,
  [builtins.NUMERIC]: Number,
  [builtins.TIMESTAMPTZ]: isoText,
  [builtins.DATE]: (text) => text,
  [builtins.JSONB]: (text) => JSON.parse(text),
}

const types = {
  getTypeParser: (oid: number, format?: string) =>
    parsers[oid] ?? pg.types.getTypeParser(oid, format === 'binary' ? 'binary' : 'text'),
} as typeof pg.types

/** Another transaction was in the way, or has changed what this one had read or prepared: it sees that when it is repeated. */
function shouldRetry(error: unknown): boolean {
  const { code } = error as { code?: string }
  return code === '40001' || code === '40P01' || isOutdatedStatement(error) || error instanceof ReferenceViolation
}

/**
 * Deletes all rows in one statement. A truncation takes twenty times as long for tables that are nearly empty, because it
 * replaces the files of every table and index, and after it every connection plans its statements again. Only a superuser may
 * delete without the checks of the foreign keys.
 */
async function deleteRows(tx: Kysely<Tables>, names: readonly string[]): Promise<void> {
  const { rows } = await sql<{ is: string }>`select current_setting('is_superuser') as is`.execute(tx)
  if (rows[0]?.is !== 'on') {
    await sql`truncate ${sql.join(names.map((name) => sql.table(name)))} cascade`.execute(tx)
    return
  }
  await sql`set local session_replication_role = replica`.execute(tx)
  const deletions = names.map((name, index) => sql`${sql.ref(`deletion_${index}`)} as (delete from ${sql.table(name)})`)
  await sql`with ${sql.join(deletions)} select`.execute(tx)
}

async function clear(tx: Kysely<Tables>, keepIdsOf: readonly string[]): Promise<void> {
  const tables = await sql<{ name: string }>`
    select tablename as name from pg_tables where schemaname = current_schema() and tablename <> 'migrations'`.execute(
    tx,
  )
  if (tables.rows.length === 0) return
  const names = tables.rows.map(({ name }) => name)
  await deleteRows(tx, names)
  await sql`
    select setval(s.seqrelid::regclass, s.seqstart, false) from pg_sequence s
    join pg_depend d on d.objid = s.seqrelid and d.deptype = 'i' join pg_class t on t.oid = d.refobjid
    where t.relname = any(${names.filter((name) => !keepIdsOf.includes(name))})`.execute(tx)
}

async function integrityProblems(db: Kysely<Tables>): Promise<string[]> {
  const invalid = await sql<{ name: string }>`
    select c.relname as name from pg_index i join pg_class c on c.oid = i.indexrelid where not i.indisvalid`.execute(db)
  return invalid.rows.map(({ name }) => `index ${name} is not valid`)
}

/** How long a query waits for a connection: for a free one in the pool, or for the server to accept a new one. */
const connectionTimeoutMs = 5_000

/** The server cancels a statement that runs longer. Migrations have no limit. */
const statementTimeoutMs = 60_000

/** Opens the PostgreSQL database of a `postgres://…` URL. Connections are opened on demand. */
export function openPostgres(options: DatabaseOptions): { database: Database; kysely: Kysely<Tables> } {
  const pool = new pg.Pool({
    connectionString: options.url,
    max: options.poolSize ?? 10,
    types,
    // Compiling a plan takes longer than the pages of lists do: up to 0.4 s of 0.5 s.
    options:
      `-c timezone=UTC -c jit=off -c statement_timeout=${statementTimeoutMs} ` +
      `-c synchronous_commit=${options.durable === false ? 'off' : 'on'}`,
    application_name: 'fennec',
    connectionTimeoutMillis: connectionTimeoutMs,
    keepAlive: true,
  })
  // The pool discards an idle connection that was lost. Without a listener the event would end the process.
  pool.on('error', () => {})
  pool.on('connect', onConnect)
  const watchdog = new Watchdog(options.url)
  let queries = 0
  const kysely = new Kysely<Tables>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () =>
        postgresDriver(pool, watchdog, () => {
          queries += 1
        }),
      createIntrospector: (db) => new PostgresIntrospector(db),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
  })
  const write = writer((work) => kysely.transaction().execute(work), 'postgres', shouldRetry)
  const writeSoon = writer(
    (work) =>
      kysely.transaction().execute(async (tx) => {
        await sql`set local synchronous_commit = off`.execute(tx)
        return work(tx)
      }),
    'postgres',
    shouldRetry,
  )
  const database: Database = {
    engine: 'postgres',
    ...namedLocks(options.url, kysely),
    read: asReader(kysely, 'postgres'),
    readInThreads() {},
    write,
    writeSoon,
    snapshot: (work) => {
      const run = () =>
        kysely
          .transaction()
          .setIsolationLevel('repeatable read')
          .execute((tx) => work(asReader(tx, 'postgres') as Reader))
      return run().catch((error) => {
        if (isOutdatedStatement(error)) return run()
        throw error
      })
    },
    integrityProblems: () => integrityProblems(kysely),
    queryCount: () => queries,
    clear: (keepIdsOf = []) => write((tx) => clear(tx, keepIdsOf)),
    async close() {
      await kysely.destroy()
      if (!pool.ended) await pool.end()
    },
  }
  return { database, kysely }
}
