import { createHash } from 'node:crypto'
import type { CompiledQuery, DatabaseConnection, Driver, QueryResult } from 'kysely'
import { LRUCache } from 'lru-cache'
import type { Pool, PoolClient } from 'pg'
import { planComment } from '../portable.ts'
import { DatabaseUnavailable } from '../unavailable.ts'
import { isConnectionError, isOutdatedStatement, translateError } from './errors.ts'
import type { Watchdog } from './watchdog.ts'

/** A pool client for the duration of a query or a transaction. */
type Lease = DatabaseConnection & {
  /** Sends a statement without parameters, such as `begin`. */
  command(text: string): Promise<void>
  /** Whether the connection can still be used. */
  isUsable(): boolean
  release(): void
}

/**
 * The largest length of a statement that a connection keeps, in characters. From its sixth run on, PostgreSQL may plan a kept statement
 * for any values: a point read is faster then, but lists of a group of 5,000 projects took a minute. Lists also have countless texts.
 */
const LONGEST_KEPT = 2_000

/** Names of the statements that connections keep, by SQL text. */
const statementNames = new LRUCache<string, string>({ max: 2_000 })

/** Part of the names: with another one, all statements are prepared anew. */
let generation = 0

/** The name under which connections keep a statement. Undefined: it is planned for its values at each run. */
function statementName(text: string): string | undefined {
  if (text.length > LONGEST_KEPT || text.includes(planComment)) return undefined
  let name = statementNames.get(text)
  if (name === undefined) {
    name = createHash('sha1').update(`${generation}${text}`).digest('hex')
    statementNames.set(text, name)
  }
  return name
}

/** No connection uses again what it keeps: a newer release has added columns to the tables. */
function renameStatements(): void {
  generation += 1
  statementNames.clear()
}

/** Commands whose row count is the number of changed rows. */
const counted = new Set(['INSERT', 'UPDATE', 'DELETE', 'MERGE'])

/** Connections that have failed. They are destroyed on release instead of returned to the pool. */
const broken = new WeakSet<PoolClient>()

/**
 * Prepares a new pool client for use. A connection that is lost while it is checked out emits `error`, which would end the
 * process if there were no listener.
 */
export function onConnect(client: PoolClient): void {
  client.on('error', () => broken.add(client))
}

function lease(client: PoolClient, watchdog: Watchdog, onQuery: () => void): Lease {
  let isOpen = true
  let inTransaction = false
  const run = ({ sql, parameters }: CompiledQuery) =>
    send(sql, () => client.query({ name: statementName(sql), text: sql, values: [...parameters] }))
  /** Outside of a transaction the query is sent again; a transaction is repeated as a whole (`shouldRetry`). */
  const runCurrent = async (query: CompiledQuery) => {
    try {
      return await run(query)
    } catch (error) {
      if (!isOutdatedStatement(error)) throw error
      renameStatements()
      if (inTransaction) throw error
      return run(query)
    }
  }
  async function send<T>(statement: string, query: () => Promise<T>): Promise<T> {
    const ended = watchdog.watch(client)
    try {
      return await query()
    } catch (error) {
      if (isConnectionError(error)) broken.add(client)
      throw translateError(error, statement)
    } finally {
      ended()
    }
  }
  return {
    async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
      if (!isOpen) throw new Error('a query outlived its transaction')
      onQuery()
      const result = await runCurrent(query)
      return {
        rows: (result.rows ?? []) as R[],
        numAffectedRows: counted.has(result.command) ? BigInt(result.rowCount ?? 0) : undefined,
      }
    },
    async *streamQuery<R>(query: CompiledQuery): AsyncIterableIterator<QueryResult<R>> {
      yield await this.executeQuery<R>(query)
    },
    async command(text) {
      inTransaction = text.startsWith('begin')
      await send(text, () => client.query(text))
    },
    isUsable: () => !broken.has(client),
    release() {
      isOpen = false
      client.release(broken.has(client))
    },
  }
}

async function connect(pool: Pool): Promise<PoolClient> {
  try {
    return await pool.connect()
  } catch (error) {
    throw new DatabaseUnavailable(error)
  }
}

/**
 * Kysely driver over a `pg` pool. Short statements are prepared once per connection.
 * @param onQuery called once per query
 */
export function postgresDriver(pool: Pool, watchdog: Watchdog, onQuery: () => void): Driver {
  const command = (leased: DatabaseConnection, text: string) => (leased as Lease).command(text)
  return {
    async init() {},
    async acquireConnection() {
      return lease(await connect(pool), watchdog, onQuery)
    },
    async releaseConnection(leased) {
      ;(leased as Lease).release()
    },
    async beginTransaction(leased, settings) {
      await command(leased, settings.isolationLevel ? `begin isolation level ${settings.isolationLevel}` : 'begin')
    },
    async commitTransaction(leased) {
      await command(leased, 'commit')
    },
    async rollbackTransaction(leased) {
      // The server rolls back the transaction of a lost connection; an error here would hide the one that caused it.
      if (!(leased as Lease).isUsable()) return
      await command(leased, 'rollback').catch((error) => {
        if (!(error instanceof DatabaseUnavailable)) throw error
      })
    },
    async destroy() {
      await pool.end()
    },
  }
}
