import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import {
  type Compilable,
  type CompiledQuery,
  Kysely,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  sql,
  type Transaction,
  type ValueNode,
} from 'kysely'
import type { Database, DatabaseOptions, Reader } from '../database.ts'
import { asReader, writer } from '../handles.ts'
import type { Tables } from '../tables.ts'
import { beginAsCopy } from './begin.ts'
import { type Connection, type Role, type Run, sqliteDriver } from './driver.ts'
import { lockDatabase } from './lock.ts'
import { type LogFlush, logFlush } from './log-flush.ts'
import { namedLocks } from './named-locks.ts'
import { type Reads, readsThrough } from './reads/reads.ts'
import { statementCache } from './statements.ts'

/** How long SQLite waits for a lock, with the event loop blocked. The driver waits longer without blocking it. */
const busyTimeoutMs = 50

/** A commit leaves the flush of the log to `logFlush`; SQLite flushes it before it is copied into the database. */
function connect(path: string, durable: boolean): Connection {
  const handle = new DatabaseSync(path, { timeout: busyTimeoutMs })
  handle.exec(`
    pragma journal_mode = wal;
    pragma synchronous = ${durable ? 'normal' : 'off'};
    pragma foreign_keys = on;
    pragma temp_store = memory;
    pragma cache_size = -16000;
  `)
  return { handle, statements: statementCache(handle) }
}

/**
 * Writes booleans into the text of a query. As a parameter, one that decides whether a partial index applies makes SQLite
 * prepare the statement again at each run, which takes longer than most reads of a row.
 */
export class QueryCompiler extends SqliteQueryCompiler {
  protected override visitValue(node: ValueNode): void {
    super.visitValue(typeof node.value === 'boolean' ? { ...node, immediate: true } : node)
  }
}

function kyselyOver(connection: Connection, role: Role, onQuery: () => void, run?: Run): Kysely<Tables> {
  return new Kysely<Tables>({
    dialect: {
      createAdapter: () => new SqliteAdapter(),
      createDriver: () => sqliteDriver(connection, role, onQuery, run),
      createIntrospector: (db) => new SqliteIntrospector(db),
      createQueryCompiler: () => new QueryCompiler(),
    },
  })
}

/** The read handle. A compiled query is run directly, which saves the overhead of Kysely's executor. */
function readerOver(reads: Reads, kysely: Kysely<Tables>, onQuery: () => void): Reader {
  return Object.assign(asReader(kysely, 'sqlite'), {
    async executeQuery<R>(query: CompiledQuery<R> | Compilable<R>) {
      onQuery()
      return reads.run<R>('compile' in query ? query.compile() : query)
    },
  })
}

/** The tables that have rows: to prepare the deletion of others, with all that refers to them, is most of the time of a clearance. */
async function filled(tx: Kysely<Tables>, tables: readonly { name: string }[]): Promise<string[]> {
  if (tables.length === 0) return []
  const columns = tables.map(({ name }) => sql`exists (select 1 from ${sql.table(name)}) as ${sql.ref(name)}`)
  const { rows } = await sql<Record<string, number>>`select ${sql.join(columns)}`.execute(tx)
  return tables.map(({ name }) => name).filter((name) => rows[0]?.[name] === 1)
}

async function clear(tx: Kysely<Tables>, keepIdsOf: readonly string[]): Promise<void> {
  const tables = await sql<{ name: string }>`
    select name from pragma_table_list where schema = 'main' and type in ('table', 'virtual') and name not like 'sqlite_%'
      and name <> 'migrations' and name not in (select name from sqlite_master where sql like '%using fts5vocab%')`.execute(
    tx,
  )
  for (const name of await filled(tx, tables.rows)) await sql`delete from ${sql.table(name)}`.execute(tx)
  const excluded = JSON.stringify(keepIdsOf)
  await sql`delete from sqlite_sequence where name not in (select value from json_each(${excluded}))`.execute(tx)
}

type Transact = <T>(work: (tx: Transaction<Tables>) => Promise<T>) => Promise<T>

/** Transactions that end when they are on the disk. Others can begin while the log is flushed. */
function flushed(transact: Transact, { flush }: LogFlush): Transact {
  return async (work) => {
    const result = await transact(work)
    await flush()
    return result
  }
}

type Opened = { database: Database; kysely: Kysely<Tables> }

/**
 * Opens the SQLite database of `sqlite:<path>`.
 * @throws DatabaseInUse when `exclusive` is set and another server uses the database
 */
export function openSqlite(options: DatabaseOptions): Opened {
  const path = options.url.replace(/^sqlite:/, '')
  mkdirSync(dirname(path), { recursive: true })
  if (!options.exclusive) return openConnections(path, options)
  const unlock = lockDatabase(path)
  try {
    if (options.model !== undefined) beginAsCopy(path, options.model)
    const { database, kysely } = openConnections(path, options)
    const close = () => database.close().finally(unlock)
    return { database: { ...database, close }, kysely }
  } catch (error) {
    unlock()
    throw error
  }
}

/** Opens one connection that writes, and one that reads beside it (WAL); those of threads are opened on demand. */
function openConnections(path: string, options: DatabaseOptions): Opened {
  let queries = 0
  const count = () => {
    queries += 1
  }
  const durable = options.durable !== false
  const writing = kyselyOver(connect(path, durable), 'write', count)
  const reading = connect(path, durable)
  reading.handle.exec('pragma query_only = on')
  const reads = readsThrough(reading, path)
  const reader = kyselyOver(reading, 'read', count, reads.run)
  // A snapshot is a transaction over several turns of the event loop, so it has a connection of its own, opened on demand.
  let snapshots: Kysely<Tables> | undefined
  const snapshotHandle = () => {
    snapshots ??= kyselyOver(connect(path, durable), 'snapshot', count)
    return snapshots
  }
  // All tables are emptied at once: for each row of a table to which many others refer, SQLite would look into all of them.
  let clearings: Kysely<Tables> | undefined
  const clearingHandle = () => {
    if (clearings) return clearings
    const connection = connect(path, durable)
    connection.handle.exec('pragma foreign_keys = off')
    clearings = kyselyOver(connection, 'write', count)
    return clearings
  }
  const log = logFlush(path)
  const transact: Transact = (work) => writing.transaction().execute(work)
  const writeSoon = writer(transact, 'sqlite', () => false)
  const write = durable ? writer(flushed(transact, log), 'sqlite', () => false) : writeSoon
  const locks = namedLocks(path, () => writeSoon(async () => {}))
  const database: Database = {
    engine: 'sqlite',
    hold: locks.hold,
    isHeld: locks.isHeld,
    read: readerOver(reads, reader, count),
    readInThreads: reads.useThreads,
    write,
    writeSoon,
    snapshot: (work) =>
      snapshotHandle()
        .transaction()
        .execute((tx) => work(asReader(tx, 'sqlite') as Reader)),
    async integrityProblems() {
      const check = await sql<{ integrity_check: string }>`pragma integrity_check`.execute(reader)
      const keys = await sql<{ table: string; rowid: number }>`pragma foreign_key_check`.execute(reader)
      return [
        ...check.rows.map((row) => row.integrity_check).filter((text) => text !== 'ok'),
        ...keys.rows.map((row) => `${row.table} row ${row.rowid} refers to a row that does not exist`),
      ]
    },
    queryCount: () => queries,
    clear: (keepIdsOf = []) =>
      clearingHandle()
        .transaction()
        .execute((tx) => clear(tx, keepIdsOf)),
    async close() {
      await reads.close()
      await reader.destroy()
      await snapshots?.destroy()
      await clearings?.destroy()
      await writing.destroy()
      log.close()
      locks.close()
      // Kysely closes the connection only when it has run a query.
      if (reading.handle.isOpen) reading.handle.close()
    },
  }
  return { database, kysely: writing }
}
