import type { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { type CompiledQuery, type DatabaseConnection, type Driver, type QueryResult, RawNode } from 'kysely'
import { DatabaseUnavailable } from '../unavailable.ts'
import { run as runStatement, type StatementCache, translateError } from './statements.ts'

/** A SQLite connection with its statement cache. */
export type Connection = { handle: DatabaseSync; statements: StatementCache }

/** The purpose of a connection. */
export type Role = 'write' | 'read' | 'snapshot'

type Lease = DatabaseConnection & { release(): void }

/**
 * A first-come-first-served lock. SQLite has one writer, and a transaction spans several turns of the event loop. The package
 * async-mutex takes 5 µs for an acquisition, this one 0.4 µs.
 */
function mutex(): () => Promise<() => void> {
  let last: Promise<void> = Promise.resolve()
  return () => {
    let release: () => void = () => {}
    const previous = last
    last = new Promise((resolve) => {
      release = resolve
    })
    return previous.then(() => release)
  }
}

/** Runs a query synchronously. */
export function execute<R>({ handle, statements }: Connection, query: CompiledQuery): QueryResult<R> {
  try {
    const { rows, changes } = runStatement(statements.prepare(query.sql), query.parameters)
    return { rows: rows as R[], numAffectedRows: changes }
  } catch (error) {
    throw translateError(error, handle, query.sql)
  }
}

/** Runs a query, here or elsewhere. */
export type Run = <R>(query: CompiledQuery) => QueryResult<R> | Promise<QueryResult<R>>

function lease(run: Run, onQuery: () => void, onRelease: () => void): Lease {
  let open = true
  return {
    async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
      if (!open) throw new Error('a query outlived its transaction')
      onQuery()
      return run<R>(query)
    },
    async *streamQuery<R>(query: CompiledQuery): AsyncIterableIterator<QueryResult<R>> {
      yield await this.executeQuery<R>(query)
    },
    release() {
      open = false
      onRelease()
    },
  }
}

/** How long a writer waits for a writer in another process. */
const busyTimeoutMs = 10_000

/**
 * Begins a write transaction, waiting for writers in other processes. SQLite's own busy handler would block the event loop of
 * this process.
 */
async function beginWriting(begin: () => Promise<unknown>): Promise<void> {
  for (let waitedMs = 0; ; waitedMs += 5) {
    try {
      await begin()
      return
    } catch (error) {
      const busy = (error as { errcode?: number }).errcode === 5
      if (!busy) throw error
      if (waitedMs >= busyTimeoutMs) throw new DatabaseUnavailable(error)
      await sleep(5)
    }
  }
}

/**
 * Kysely driver over a `node:sqlite` connection.
 * @param role connections for `write` and `snapshot` hold transactions, so they are leased one at a time; queries of a `read`
 *   connection are single calls
 * @param onQuery called once per query
 * @param run for a connection that reads, where it does not do that itself
 */
export function sqliteDriver(
  connection: Connection,
  role: Role,
  onQuery: () => void,
  run: Run = (query) => execute(connection, query),
): Driver {
  const lock = mutex()
  const query = (leased: DatabaseConnection, text: string) =>
    leased.executeQuery({ sql: text, parameters: [], query: RawNode.createWithSql(text), queryId: { queryId: '' } })
  return {
    async init() {},
    async acquireConnection() {
      const release = role !== 'read' ? await lock() : () => {}
      return lease(run, onQuery, release)
    },
    async releaseConnection(leased) {
      ;(leased as Lease).release()
    },
    async beginTransaction(leased) {
      if (role === 'write') await beginWriting(() => query(leased, 'begin immediate'))
      else await query(leased, 'begin')
    },
    async commitTransaction(leased) {
      await query(leased, 'commit')
    },
    async rollbackTransaction(leased) {
      // SQLite ends the transaction itself after some errors, such as a full disk.
      if (connection.handle.isTransaction) await query(leased, 'rollback')
    },
    async destroy() {
      connection.statements.clear()
      if (connection.handle.isOpen) connection.handle.close()
    },
  }
}
