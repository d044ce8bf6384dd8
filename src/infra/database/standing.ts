import { type RawBuilder, sql } from 'kysely'
import type { Reader } from './database.ts'

async function askServer<T>(db: Reader, query: RawBuilder<{ value: T }>): Promise<T | null> {
  // SQLite has no server: nothing of this can be asked there.
  if (db.engine !== 'postgres') return null
  return (await query.execute(db as never)).rows[0]?.value ?? null
}

/** Whether a database of PostgreSQL is a replica that follows another server, and accepts no writes. */
export async function isReplica(db: Reader): Promise<boolean> {
  return (await askServer(db, sql<{ value: boolean }>`select pg_is_in_recovery() as value`)) === true
}

/**
 * The time, at the server that it has followed, of the last transaction that a former replica has.
 * @returns null when it was none, or was restarted since
 */
export async function followedUntil(db: Reader): Promise<string | null> {
  const at = await askServer(db, sql<{ value: Date | string }>`select pg_last_xact_replay_timestamp() as value`)
  return at === null ? null : new Date(at).toISOString()
}

/** Whether a server uses a database of PostgreSQL: each holds a lock by a session of its own while it lives. */
export async function isServed(db: Reader): Promise<boolean> {
  const served = sql<{ value: boolean }>`select exists (
    select 1 from pg_stat_activity where application_name = 'fennec lock' and datname = current_database()) as value`
  return (await askServer(db, served)) === true
}
