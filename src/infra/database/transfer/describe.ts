import { sql } from 'kysely'
import type { Reader } from '../database.ts'

/** The type of a column, the same for both engines. */
export type ColumnKind = 'integer' | 'number' | 'text' | 'boolean' | 'time' | 'date' | 'json'

/** A table whose rows are copied between databases. */
export type TableDescription = {
  name: string
  columns: { name: string; kind: ColumnKind }[]
  /** The highest id that was ever given; null for a table without generated ids. */
  lastId: number | null
}

/** Types as they are declared (SQLite) or as the catalogue names them (PostgreSQL). */
const kinds: Record<string, ColumnKind> = {
  bigint: 'integer',
  integer: 'integer',
  'double precision': 'number',
  text: 'text',
  boolean: 'boolean',
  timestamptz: 'time',
  'timestamp with time zone': 'time',
  date: 'date',
  jsonb: 'json',
}

const searchSuffix = '_search'

async function tableNames(db: Reader): Promise<string[]> {
  const query =
    db.engine === 'postgres'
      ? sql<{ name: string }>`select tablename as name from pg_tables where schemaname = current_schema()`
      : sql<{ name: string }>`select name from pragma_table_list
          where schema = 'main' and type in ('table', 'virtual') and name not like 'sqlite_%'`
  return (await query.execute(db as never)).rows.map(({ name }) => name).toSorted()
}

/** The tables that have a search table (`search/substring-search.ts`). */
export async function searchedTables(db: Reader): Promise<string[]> {
  const names = new Set(await tableNames(db))
  return [...names].filter((name) => names.has(`${name}${searchSuffix}`))
}

type NamedType = { table: string; name: string; type: string }

/** The columns of all tables. */
async function columnsByTable(db: Reader): Promise<Map<string, NamedType[]>> {
  const query =
    db.engine === 'postgres'
      ? sql<NamedType>`select c.relname as "table", a.attname as name, format_type(a.atttypid, null) as type
          from pg_attribute a join pg_class c on c.oid = a.attrelid join pg_namespace n on n.oid = c.relnamespace
          where n.nspname = current_schema() and c.relkind = 'r' and a.attnum > 0 and not a.attisdropped
          order by a.attnum`
      : sql<NamedType>`select t.name as "table", c.name as name, c.type as type
          from pragma_table_list t join pragma_table_info(t.name) c where t.schema = 'main' and t.type = 'table' and t.name not like 'sqlite_%'
          order by c.cid`
  return Map.groupBy((await query.execute(db as never)).rows, ({ table }) => table)
}

function columnOf({ table, name, type }: NamedType): TableDescription['columns'][number] {
  const kind = kinds[type.toLowerCase()]
  if (!kind) throw new Error(`the column ${table}.${name} has a type that cannot be copied: ${type}`)
  return { name, kind }
}

/** SQLite creates its table of last ids with the first table that generates them. */
async function generatesIds(db: Reader): Promise<boolean> {
  if (db.engine === 'postgres') return true
  const query = sql`select 1 from sqlite_master where name = 'sqlite_sequence'`
  return (await query.execute(db as never)).rows.length > 0
}

/** The last ids that were given, by table. */
async function lastIds(db: Reader): Promise<Map<string, number>> {
  if (!(await generatesIds(db))) return new Map()
  const query =
    db.engine === 'postgres'
      ? sql<{ table: string; last: number | null }>`select t.relname as "table", q.last_value as last from pg_class s
          join pg_depend d on d.objid = s.oid and d.deptype = 'i' and d.classid = 'pg_class'::regclass
          join pg_class t on t.oid = d.refobjid join pg_namespace n on n.oid = s.relnamespace
          join pg_sequences q on q.schemaname = n.nspname and q.sequencename = s.relname
          where s.relkind = 'S' and n.nspname = current_schema()`
      : sql<{ table: string; last: number | null }>`select m.name as "table", q.seq as last from sqlite_master m
          left join sqlite_sequence q on q.name = m.name where m.type = 'table' and m.sql like '%autoincrement%'`
  const { rows } = await query.execute(db as never)
  return new Map(rows.map(({ table, last }) => [table, last ?? 0]))
}

/**
 * Describes the tables with their columns. Left out are the list of migrations, and the tables of the search, which are derived.
 * @throws Error for a column of an unknown type
 */
export async function describeTables(db: Reader): Promise<TableDescription[]> {
  const derived = new Set((await searchedTables(db)).map((name) => `${name}${searchSuffix}`))
  const [columns, ids] = [await columnsByTable(db), await lastIds(db)]
  const names = [...columns.keys()].filter((name) => name !== 'migrations' && !derived.has(name)).toSorted()
  return names.map((name) => ({
    name,
    columns: (columns.get(name) ?? []).map(columnOf),
    lastId: ids.get(name) ?? null,
  }))
}

/** The names of the migrations that a database has. */
export async function migrationNames(db: Reader): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`select name from migrations`.execute(db as never)
  return rows.map(({ name }) => name)
}
