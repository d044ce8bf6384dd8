import { type RawBuilder, sql } from 'kysely'
import type { Tx } from '../database.ts'
import { insertSearched } from '../search/substring-search.ts'
import { type ColumnKind, describeTables, searchedTables, type TableDescription } from './describe.ts'

/** The description of a table does not fit the schema. */
export class UnknownTable extends Error {
  constructor(table: string) {
    super(`the schema has no table ${table} with these columns`)
    this.name = 'UnknownTable'
  }
}

type PostgresType = 'bigint' | 'double precision' | 'text' | 'boolean' | 'timestamptz' | 'date' | 'jsonb'

const postgresTypes: Record<ColumnKind, PostgresType> = {
  integer: 'bigint',
  number: 'double precision',
  text: 'text',
  boolean: 'boolean',
  time: 'timestamptz',
  date: 'date',
  json: 'jsonb',
}

/** Checks that the schema has these tables with these columns. @throws UnknownTable */
export async function expectTables(tx: Tx, tables: readonly TableDescription[]): Promise<void> {
  const signature = ({ name, columns }: TableDescription) =>
    `${name}(${columns
      .map((column) => `${column.name} ${column.kind}`)
      .toSorted()
      .join()})`
  const known = new Set((await describeTables(tx)).map(signature))
  const unknown = tables.find((table) => !known.has(signature(table)))
  if (unknown) throw new UnknownTable(unknown.name)
}

/** Inserts rows. @param lines as `readRows` yields them */
export async function loadRows(tx: Tx, { name, columns }: TableDescription, lines: readonly string[]): Promise<void> {
  if (lines.length === 0) return
  const rows = `[${lines.join(',')}]`
  const names = sql.join(columns.map((column) => sql.ref(column.name)))
  const value = ({ kind }: { kind: ColumnKind }, index: number): RawBuilder<unknown> =>
    tx.engine === 'postgres'
      ? sql`(row ->> ${sql.lit(index)})::${sql.raw(postgresTypes[kind])}`
      : sql`json_extract(value, ${sql.lit(`$[${index}]`)})`
  const source = tx.engine === 'postgres' ? sql`json_array_elements(${rows}::json) as row` : sql`json_each(${rows})`
  await sql`insert into ${sql.table(name)} (${names}) select ${sql.join(columns.map(value))} from ${source}`.execute(tx)
}

/** Lets the ids of a table continue after the last one that was given. */
export async function continueIds(tx: Tx, { name, lastId }: TableDescription): Promise<void> {
  if (lastId === null) return
  const table = sql.table(name)
  if (tx.engine === 'sqlite') {
    await sql`delete from sqlite_sequence where name = ${name}`.execute(tx)
    await sql`insert into sqlite_sequence (name, seq)
      values (${name}, max(${lastId}, (select coalesce(max(id), 0) from ${table})))`.execute(tx)
    return
  }
  await sql`select setval(pg_get_serial_sequence(${name}, 'id'), greatest(last, 1), last > 0) from (
    select greatest(${lastId}::bigint, coalesce(max(id), 0)) as last from ${table}) ids`.execute(tx)
}

/**
 * Runs work that inserts rows in any order: foreign keys are checked afterwards.
 * @throws Error when a row refers to one that does not exist
 */
export async function withoutForeignKeys(tx: Tx, work: () => Promise<void>): Promise<void> {
  if (tx.engine === 'sqlite') {
    await sql`pragma defer_foreign_keys = on`.execute(tx)
    return work()
  }
  await sql`set local statement_timeout = 0`.execute(tx)
  const { rows } = await sql<{ table: string; name: string; definition: string }>`
    select t.relname as "table", c.conname as name, pg_get_constraintdef(c.oid) as definition from pg_constraint c
    join pg_class t on t.oid = c.conrelid join pg_namespace n on n.oid = t.relnamespace
    where c.contype = 'f' and n.nspname = current_schema() order by t.relname, c.conname`.execute(tx)
  for (const { table, name } of rows) {
    await sql`alter table ${sql.table(table)} drop constraint ${sql.ref(name)}`.execute(tx)
  }
  await work()
  for (const { table, name, definition } of rows) {
    await sql`alter table ${sql.table(table)} add constraint ${sql.ref(name)} ${sql.raw(definition)}`.execute(tx)
  }
}

/** Triggers that keep an index of texts, whose rows are not copied (`search/text-index.ts`). */
const indexesTexts = /_text_(insert|update|delete)$/

/**
 * Runs work that inserts rows into the tables that it copies, while no trigger adds rows to these: they have all of them already.
 */
export async function withoutTriggers(tx: Tx, work: () => Promise<void>): Promise<void> {
  if (tx.engine === 'sqlite') {
    const all = await sql<{ name: string; text: string }>`
      select name, sql as text from sqlite_master where type = 'trigger'`.execute(tx)
    const triggers = all.rows.filter(({ name }) => !indexesTexts.test(name))
    for (const { name } of triggers) await sql`drop trigger ${sql.ref(name)}`.execute(tx)
    await work()
    for (const { text } of triggers) await sql.raw(text).execute(tx)
    return
  }
  const { rows: tables } = await sql<{ name: string }>`select distinct t.relname as name from pg_trigger g
    join pg_class t on t.oid = g.tgrelid join pg_namespace n on n.oid = t.relnamespace
    where not g.tgisinternal and n.nspname = current_schema()`.execute(tx)
  for (const { name } of tables) await sql`alter table ${sql.table(name)} disable trigger user`.execute(tx)
  await work()
  for (const { name } of tables) await sql`alter table ${sql.table(name)} enable trigger user`.execute(tx)
}

const searchedPortion = 100

/** Fills the tables of the search, which are derived from titles and descriptions. */
export async function fillSearch(tx: Tx): Promise<void> {
  for (const table of await searchedTables(tx)) {
    for (let after = 0; ; ) {
      const { rows } = await sql<{ id: number; title: string; description: string | null }>`
        select id, title, description from ${sql.table(table)}
        where id > ${after} order by id limit ${searchedPortion}`.execute(tx)
      if (rows.length > 0) await insertSearched(tx, table, ...rows)
      if (rows.length < searchedPortion) break
      after = rows.at(-1)?.id ?? 0
    }
  }
}
