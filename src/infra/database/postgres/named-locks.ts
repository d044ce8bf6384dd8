import { type Kysely, sql } from 'kysely'
import pg from 'pg'
import type { Locks, Tx } from '../database.ts'
import { type Held, type HoldOptions, LockHeld } from '../locks.ts'
import { lockIsFree } from '../portable.ts'
import type { Tables } from '../tables.ts'
import { DatabaseUnavailable } from '../unavailable.ts'

/** SQLSTATE of a lock that was not available in time. */
const lockNotAvailable = '55P03'

/** How long `hold` waits for those that look at the lock. */
const lookMs = 3_000

/**
 * The server ends a session when its machine does not answer for some ten seconds, which frees the lock, and never because the
 * session is idle.
 */
const sessionSettings = `-c tcp_keepalives_idle=5 -c tcp_keepalives_interval=2 -c tcp_keepalives_count=3 -c lock_timeout=${lookMs}`

/** Locks by advisory locks of PostgreSQL. A held one has a connection of its own. */
export function namedLocks(url: string, read: Kysely<Tables>): Locks {
  return {
    async hold(name, { onLost }: HoldOptions = {}): Promise<Held> {
      const client = new pg.Client({
        connectionString: url,
        application_name: 'fennec lock',
        options: sessionSettings,
        keepAlive: true,
      })
      let state: 'acquiring' | 'held' | 'lost' | 'released' = 'acquiring'
      const lose = () => {
        const wasHeld = state === 'held'
        if (state !== 'released') state = 'lost'
        if (wasHeld) onLost?.()
      }
      client.on('error', lose)
      client.on('end', lose)
      await client.connect().catch((error) => {
        throw new DatabaseUnavailable(error)
      })
      try {
        // A setting of PostgreSQL 14; older servers have no such limit.
        await client.query('set idle_session_timeout = 0').catch(() => {})
        await client.query('select pg_advisory_lock(hashtextextended($1, 0))', [name])
      } catch (error) {
        await client.end().catch(() => {})
        throw (error as { code?: string }).code === lockNotAvailable ? new LockHeld(name) : error
      }
      if (state === 'acquiring') state = 'held'
      const isIntact = async () => {
        if (state !== 'held') return false
        return client.query('select 1').then(
          () => true,
          () => false,
        )
      }
      const release = async () => {
        state = 'released'
        await client.end().catch(() => {})
      }
      return { isIntact, release }
    },
    async isHeld(name, tx?: Tx) {
      const query = sql<{ free: boolean }>`select ${lockIsFree(name)} as free`
      const { rows } = await query.execute(tx ?? read)
      return rows[0]?.free === false
    },
  }
}
