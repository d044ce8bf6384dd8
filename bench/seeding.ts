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
  /** A number in hexadecimal, with so many digits. */
  hex(number: string, digits: number): string
  /** A text as JSON. */
  json(text: string): string
  /**
   * Fills tables that are empty or nearly so, in a tenth of the time: indexes, the tables of `textIndex` and checks of foreign keys
   * come afterwards. The statements have to do what triggers would do.
   */
  inBulk(fill: () => Promise<void>): Promise<void>
  /** Lets the ids that the server gives continue after those of the rows. */
  continueIds(table: string): Promise<void>
  /** What the server or the database does from time to time for the planner. */
  optimize(): Promise<void>
  close(): Promise<void>
}

type Made = { name: string; type: 'index' | 'trigger'; sql: string; tbl_name: string }

/** Makes the tables of `textIndex` anew. */
function fillTextTables(database: DatabaseSync): void {
  const tables = database
    .prepare(
      `select name from sqlite_master where type = 'table' and sql like 'create virtual table %\\_text using%' escape '\\'`,
    )
    .all() as { name: string }[]
  for (const { name } of tables) {
    const columns = database.prepare('select name from pragma_table_info(?)').all(name) as { name: string }[]
    const list = columns.map((column) => column.name).join(', ')
    database.exec(
      `delete from ${name}; insert into ${name} (rowid, ${list}) select id, ${list} from ${name.replace(/_text$/, '')}`,
    )
  }
}

function onSqlite(path: string): Seeding {
  const database = new DatabaseSync(path, { timeout: 60_000 })
  return {
    async run(statements) {
      database.exec(`begin immediate; ${statements}; commit`)
    },
    async inBulk(fill) {
      database.exec(
        'pragma journal_mode = off; pragma synchronous = off; pragma foreign_keys = off; pragma cache_size = -1000000',
      )
      const made = database
        .prepare(
          `select name, type, sql, tbl_name from sqlite_master where type in ('index', 'trigger') and sql is not null`,
        )
        .all() as Made[]
      for (const { name, type } of made) database.exec(`drop ${type} ${name}`)
      await fill()
      fillTextTables(database)
      for (const { sql } of made) database.exec(sql)
      database.exec('pragma journal_mode = wal; pragma synchronous = normal')
    },
    numbers: (count) =>
      `(with recursive n (i) as (select 1 union all select i + 1 from n where i < ${count}) select i from n) n`,
    at: (seconds) => `strftime('%Y-%m-%dT%H:%M:%fZ', 1700000000 + (${seconds}), 'unixepoch')`,
    day: (days) => `date('2024-01-01', '+' || (${days}) || ' days')`,
    hex: (number, digits) => `printf('%0${digits}x', ${number})`,
    json: (text) => text,
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
  const listed = async <Row>(query: string) => (await client.query(query)).rows as Row[]
  const continueIds = async (table: string) => {
    const { rowCount } = await client.query(
      `select 1 from information_schema.columns where table_schema = current_schema() and table_name = '${table}'
        and column_name = 'id' and is_identity = 'YES'`,
    )
    if (rowCount === 0) return
    const largest = `greatest((select max(id) from ${table}), 1)`
    await client.query(`select setval(pg_get_serial_sequence('${table}', 'id'), ${largest})`)
  }
  return {
    async run(statements) {
      await client.query(`begin; ${statements}; commit`)
    },
    async inBulk(fill) {
      await client.query(
        `set session_replication_role = replica; set maintenance_work_mem = '512MB'; set work_mem = '256MB'`,
      )
      const made = await listed<{ indexname: string; indexdef: string }>(
        `select indexname, indexdef from pg_indexes where schemaname = current_schema() and not exists (
          select 1 from pg_constraint c where c.conname = indexname)`,
      )
      for (const { indexname } of made) await client.query(`drop index ${indexname}`)
      await fill()
      for (const { indexdef } of made) await client.query(indexdef)
      await client.query('reset session_replication_role')
    },
    numbers: (count) => `(select i from generate_series(1::bigint, ${count}) i) n`,
    at: (seconds) => `to_timestamp(1700000000 + (${seconds}))`,
    day: (days) => `(date '2024-01-01' + (${days})::int)`,
    hex: (number, digits) => `lpad(to_hex(${number}), ${digits}, '0')`,
    json: (text) => `(${text})::jsonb`,
    async optimize() {
      await client.query('vacuum analyze')
    },
    continueIds,
    close: () => client.end(),
  }
}

/** Opens the database of a server beside it. */
export async function openSeeding(databaseUrl: string): Promise<Seeding> {
  return databaseUrl.startsWith('sqlite:') ? onSqlite(databaseUrl.slice('sqlite:'.length)) : onPostgres(databaseUrl)
}
