import { createHash } from 'node:crypto'
import type { CompiledQuery, DatabaseConnection, Driver, QueryResult } from 'kysely'
import type { Pool, PoolClient } from 'pg'
import { UniqueViolation } from '../violations.ts'

type Lease = DatabaseConnection & { release(): void; client: PoolClient; open: boolean }

/** PostgreSQL keeps a plan per statement name and connection; the text's digest is the name. */
const statementNames = new Map<string, string>()

function statementName(text: string): string {
  let name = statementNames.get(text)
  if (name === undefined) {
    name = createHash('sha1').update(text).digest('hex')
    if (statementNames.size > 2_000) statementNames.clear()
    statementNames.set(text, name)
  }
  return name
}

function translateError(error: unknown): unknown {
  const { code, constraint } = error as { code?: string; constraint?: string }
  return code === '23505' ? new UniqueViolation(constraint ?? '', error) : error
}

const counted = new Set(['INSERT', 'UPDATE', 'DELETE', 'MERGE'])

function lease(client: PoolClient, onQuery: () => void): Lease {
  const leased: Lease = {
    client,
    open: true,
    async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
      if (!leased.open) throw new Error('a query outlived its transaction')
      onQuery()
      try {
        const values = [...query.parameters]
        const result = await client.query({ name: statementName(query.sql), text: query.sql, values })
        return {
          rows: (result.rows ?? []) as R[],
          numAffectedRows: counted.has(result.command) ? BigInt(result.rowCount ?? 0) : undefined,
        }
      } catch (error) {
        throw translateError(error)
      }
    },
    async *streamQuery<R>(query: CompiledQuery): AsyncIterableIterator<QueryResult<R>> {
      yield await leased.executeQuery<R>(query)
    },
    release() {
      leased.open = false
      client.release()
    },
  }
  return leased
}

/** Kysely driver over a `pg` pool; statements are prepared once per connection. */
export function postgresDriver(pool: Pool, onQuery: () => void): Driver {
  const plain = (leased: DatabaseConnection, text: string) => (leased as Lease).client.query(text)
  const quote = (name: string) => `"${name.replaceAll('"', '""')}"`
  return {
    async init() {},
    async acquireConnection() {
      return lease(await pool.connect(), onQuery)
    },
    async releaseConnection(leased) {
      ;(leased as Lease).release()
    },
    async beginTransaction(leased, settings) {
      await plain(leased, settings.isolationLevel ? `begin isolation level ${settings.isolationLevel}` : 'begin')
    },
    async commitTransaction(leased) {
      await plain(leased, 'commit')
    },
    async rollbackTransaction(leased) {
      await plain(leased, 'rollback')
    },
    async savepoint(leased, name) {
      await plain(leased, `savepoint ${quote(name)}`)
    },
    async rollbackToSavepoint(leased, name) {
      await plain(leased, `rollback to ${quote(name)}`)
    },
    async releaseSavepoint(leased, name) {
      await plain(leased, `release ${quote(name)}`)
    },
    async destroy() {
      await pool.end()
    },
  }
}
