/**
 * Requests that look up the same rows before any of them changes one.
 *
 * On PostgreSQL every table is locked against changes, and not against reads, until all transactions wait or have ended; on SQLite,
 * the one writer is busy until all requests have asked for it.
 */
import pg from 'pg'
import { expect } from 'vitest'
import { onPostgres, type TestServer } from '../src/testing/index.ts'

type HeldWrites = {
  /** How many transactions wait. */
  waiting(): Promise<number>
  release(): Promise<void>
}

async function holdTables({ app }: TestServer): Promise<HeldWrites> {
  // A connection of its own: the pool of the server is as large as the requests need.
  const client = new pg.Client({ connectionString: app.platform.config.databaseUrl })
  await client.connect()
  const tables = await client.query('select tablename as name from pg_tables where schemaname = current_schema()')
  await client.query('begin')
  const names = tables.rows.map(({ name }) => client.escapeIdentifier(name))
  await client.query(`lock table ${names.join(', ')} in exclusive mode`)
  const waiting = `select count(*)::int as n from pg_locks join pg_database on pg_database.oid = pg_locks.database
    where not granted and datname = current_database()`
  return {
    waiting: async () => (await client.query(waiting)).rows[0].n,
    async release() {
      await client.query('commit')
      await client.end()
    },
  }
}

async function holdWriter({ app }: TestServer): Promise<HeldWrites> {
  const { database } = app.platform
  const [begun, over] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const holding = database.write(async () => {
    begun.resolve()
    await over.promise
  })
  await begun.promise
  let count = 0
  const { write, writeSoon } = database
  const counted =
    (original: typeof write): typeof write =>
    (work) => {
      count += 1
      return original(work)
    }
  Object.assign(database, { write: counted(write), writeSoon: counted(writeSoon) })
  return {
    waiting: async () => count,
    async release() {
      Object.assign(database, { write, writeSoon })
      over.resolve()
      await holding
    },
  }
}

/**
 * Sends requests at once, and keeps all transactions from changing rows until the requests wait for them.
 * @param arriving how many of the requests the database sees, where the process lets them in one after another
 */
export async function atOnce<T>(
  server: TestServer,
  requests: readonly (() => Promise<T>)[],
  arriving = requests.length,
): Promise<T[]> {
  // What runs in the background would wait as well.
  await server.app.platform.jobs.drain()
  const held = await (onPostgres ? holdTables(server) : holdWriter(server))
  let answered = 0
  const answers = requests.map(async (request) => {
    const answer = await request()
    answered += 1
    return answer
  })
  try {
    const arrived = async () => answered + (await held.waiting())
    await expect.poll(arrived).toBeGreaterThanOrEqual(arriving)
  } finally {
    await held.release()
  }
  return Promise.all(answers)
}
