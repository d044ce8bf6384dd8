import { type Kysely, sql } from 'kysely'
import pg from 'pg'
import type { Locks, Tx } from '../database.ts'
import { type Held, LockHeld } from '../locks.ts'
import type { Tables } from '../tables.ts'
import { DatabaseUnavailable } from '../unavailable.ts'

/** SQLSTATE of a lock that was not available in time. */
const lockNotAvailable = '55P03'

/** How long `hold` waits for those that look at the lock. */
const lookMs = 3_000

/** Locks by advisory locks of PostgreSQL. A held one has a connection of its own. */
export function namedLocks(url: string, read: Kysely<Tables>): Locks {
  return {
    async hold(name): Promise<Held> {
      const client = new pg.Client({ connectionString: url, application_name: 'fennec', keepAlive: true })
      let isBroken = false
      client.on('error', () => {
        isBroken = true
      })
      await client.connect().catch((error) => {
        throw new DatabaseUnavailable(error)
      })
      try {
        await client.query(`set lock_timeout = ${lookMs}`)
        await client.query('select pg_advisory_lock(hashtextextended($1, 0))', [name])
      } catch (error) {
        await client.end().catch(() => {})
        throw (error as { code?: string }).code === lockNotAvailable ? new LockHeld(name) : error
      }
      const isIntact = async () => {
        if (isBroken) return false
        return client.query('select 1').then(
          () => true,
          () => false,
        )
      }
      return { isIntact, release: () => client.end().catch(() => {}) }
    },
    async isHeld(name, tx?: Tx) {
      const query = sql<{
        free: boolean
      }>`select pg_try_advisory_xact_lock_shared(hashtextextended(${name}, 0)) as free`
      const { rows } = await query.execute(tx ?? read)
      return rows[0]?.free === false
    },
  }
}
