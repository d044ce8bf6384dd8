import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'

/** Fills tables by statements, on either engine. */
export type Seeding = {
  /** Runs statements, separated by `;`, in one transaction. */
  run(statements: string): Promise<void>
  /** Text after `from`: the numbers 1 to `count`, as `n.i`. */
  numbers(count: number): string
  /** A time so many seconds after a fixed one. */
  at(seconds: string): string
  /** A day so many days after a fixed one. */
  day(days: string): string
  /** Lets the ids that the server gives continue after those of the rows. */
  continueIds(table: string): Promise<void>
  /** What the server or the database does from time to time for the planner. */
  optimize(): Promise<void>
  close(): Promise<void>
}

function onSqlite(path: string): Seeding {
  const database = new DatabaseSync(path, { timeout: 60_000 })
  return {
    async run(statements) {
      database.exec(`begin immediate; ${statements}; commit`)
    },
    numbers: (count) =>
      `(with recursive n (i) as (select 1 union all select i + 1 from n where i < ${count}) select i from n) n`,
    at: (seconds) => `strftime('%Y-%m-%dT%H:%M:%fZ', 1700000000 + (${seconds}), 'unixepoch')`,
    day: (days) => `date('2024-01-01', '+' || (${days}) || ' days')`,
    continueIds: async () => {},
    optimize: async () => {},
    async close() {
      database.close()
    },
  }
}

async function onPostgres(url: string): Promise<Seeding> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  return {
    async run(statements) {
      await client.query(`begin; ${statements}; commit`)
    },
    numbers: (count) => `(select i from generate_series(1, ${count}) i) n`,
    at: (seconds) => `to_timestamp(1700000000 + (${seconds}))`,
    day: (days) => `date '2024-01-01' + (${days})::int`,
    async optimize() {
      await client.query('vacuum analyze')
    },
    async continueIds(table) {
      await client.query(`select setval(pg_get_serial_sequence('${table}', 'id'), (select max(id) from ${table}))`)
    },
    close: () => client.end(),
  }
}

/** Opens the database of a server beside it. */
export async function openSeeding(databaseUrl: string): Promise<Seeding> {
  return databaseUrl.startsWith('sqlite:') ? onSqlite(databaseUrl.slice('sqlite:'.length)) : onPostgres(databaseUrl)
}
