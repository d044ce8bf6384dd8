import { type RawBuilder, sql } from 'kysely'
import type { Tx } from '../database.ts'
import type { Dialect } from '../dialect.ts'
import type { Predicate } from '../lists/predicate.ts'
import { escapeLike } from '../portable.ts'
import type { Engine } from '../tables.ts'
import { shortestTrigram } from './text-index.ts'

/** Columns of a table that are searched. */
export type SearchedColumn = 'title' | 'description'

/** Longer descriptions are not indexed, because indexing 1 MiB blocks SQLite for a second; a search reads them. */
const longestIndexed = 16_384

/** Ends every stored text, so that its last characters begin a trigram, too. No term ends with a blank. */
const padding = '  '

/** The text in which case is ignored. Both engines compare folded texts only, so they agree about all alphabets. */
const fold = (text: string) => text.toLowerCase()

const searchTableOf = (table: string) => sql.table(`${table}_search`)
const trigramsOf = (table: string) => sql.table(`${table}_search_trigrams`)

/**
 * The statements that create the table by which rows of `table` are found by parts of their title and description. The
 * table must have the columns `id` and `description`. SQLite indexes trigrams by FTS5, PostgreSQL by pg_trgm where the
 * server has it. Terms of one or two characters are found by the trigrams that begin with them, and on PostgreSQL by an index of
 * characters and pairs of them.
 */
export function searchTable({ engine }: Dialect, table: string): RawBuilder<unknown>[] {
  const long = sql`create index ${sql.table(`${table}_long_description`)} on ${sql.table(table)} (id)
    where length(description) > ${sql.lit(longestIndexed)}`
  if (engine === 'sqlite') {
    return [
      sql`create virtual table ${searchTableOf(table)} using fts5 (
        title, description, long_description unindexed, tokenize = 'trigram case_sensitive 1')`,
      sql`create virtual table ${trigramsOf(table)} using fts5vocab (${sql.lit(`${table}_search`)}, 'instance')`,
      sql`create trigger ${sql.table(`${table}_search_delete`)} after delete on ${sql.table(table)} begin
        delete from ${searchTableOf(table)} where rowid = old.id; end`,
      long,
    ]
  }
  return [
    sql`create table ${searchTableOf(table)} (
      rowid bigint primary key references ${sql.table(table)} (id) on delete cascade,
      title text not null,
      description text not null,
      long_description text not null
    )`,
    trigramIndexes(table),
    ...shortIndex(table),
    long,
    // Without them the planner expects a third of all rows to be long, and reads the table instead of that index.
    sql.raw(`create statistics ${table}_description_length on (length(description)) from ${table}`),
  ]
}

/** Without the right to create the extension, or without the extension, searches read the table. */
function trigramIndexes(table: string): RawBuilder<unknown> {
  const index = (column: SearchedColumn) =>
    `create index ${table}_search_${column} on ${table}_search using gin (${column} gin_trgm_ops)`
  return sql.raw(`do $$ begin
    if exists (select 1 from pg_available_extensions where name = 'pg_trgm') then
      begin create extension if not exists pg_trgm; exception when insufficient_privilege then null; end;
    end if;
    if exists (select 1 from pg_extension where extname = 'pg_trgm') then
      ${index('title')}; ${index('description')};
    end if;
  end $$`)
}

/** Columns in the index of characters and pairs. */
const shortPrefix: Record<SearchedColumn, string> = { title: 't', description: 'd' }

/**
 * An index of the characters and the pairs of characters of each row, on PostgreSQL. Without its cost the planner computes the
 * function for each row of a table instead of reading the index.
 */
function shortIndex(table: string): RawBuilder<unknown>[] {
  const name = `${table}_search`
  const parts = Object.entries(shortPrefix).map(
    ([column, prefix]) => `select '${prefix}' || part from (
      select letter, letter || lead(letter) over (order by place) as pair
      from unnest(string_to_array(${column}, null)) with ordinality letters (letter, place)
    ) pairs cross join lateral (values (letter), (pair)) parts (part) where part is not null`,
  )
  return [
    sql.raw(`create function ${name}_parts (title text, description text) returns text[] language sql immutable parallel safe cost 10000
      as $$ select array(${parts.join(' union ')}) $$`),
    sql.raw(`create index ${name}_short on ${name} using gin (${name}_parts(title, description))`),
  ]
}

type SearchedText = { title: string; description: string | null }

function stored({ title, description }: SearchedText) {
  const text = description ?? ''
  const isLong = text.length > longestIndexed && [...text].length > longestIndexed
  const padded = fold(text) + padding
  return { title: fold(title) + padding, description: isLong ? '' : padded, long: isLong ? padded : '' }
}

/** Makes new rows of `table` searchable. */
export async function insertSearched(
  tx: Tx,
  table: string,
  ...rows: readonly (SearchedText & { id: number })[]
): Promise<void> {
  const values = rows.map((row) => {
    const { title, description, long } = stored(row)
    return sql`(${row.id}, ${title}, ${description}, ${long})`
  })
  await sql`insert into ${searchTableOf(table)} (rowid, title, description, long_description)
    values ${sql.join(values)}`.execute(tx)
}

/** Replaces the searched text of a row. */
export async function updateSearched(tx: Tx, table: string, id: number, text: SearchedText): Promise<void> {
  const { title, description, long } = stored(text)
  await sql`update ${searchTableOf(table)} set title = ${title}, description = ${description},
    long_description = ${long} where rowid = ${id}`.execute(tx)
}

/** So many terms are compared one by one, which is faster. */
const mostCompared = 8

/** The index finds rows by so many of the longest terms; the others are only checked. */
const mostIndexed = 16

/**
 * The rows in whose text every term occurs, whatever its case, each as a part of one of the columns.
 * @param table also the name by which the query selects from it
 */
export function searchFor(
  { engine }: { engine: Engine },
  table: string,
  columns: readonly SearchedColumn[],
  terms: readonly string[],
): Predicate & Required<Pick<Predicate, 'driver'>> {
  const folded = terms.map(fold)
  const stored: string[] = columns.includes('description') ? [...columns, 'long_description'] : [...columns]
  const position = sql.raw(engine === 'sqlite' ? 'instr' : 'strpos')
  const absence = (term: RawBuilder<unknown>) =>
    sql.join(
      stored.map((column) => sql`${position}(${sql.ref(`searched.${column}`)}, ${term}) = 0`),
      sql` and `,
    )
  // One parameter for many terms, because SQLite limits the depth of an expression.
  const all = engine === 'sqlite' ? sql`json_each(${folded}) term` : sql`unnest(${folded}::text[]) term (value)`
  const isAbsent =
    folded.length > mostCompared
      ? sql`exists (select 1 from ${all} where ${absence(sql.ref('term.value'))})`
      : sql`(${sql.join(
          folded.map((term) => absence(sql`${term}`)),
          sql` or `,
        )})`
  // PostgreSQL would make a join of it, and read all texts.
  const lookedUp = sql.raw(engine === 'postgres' ? 'offset 0' : '')
  const holds = sql<boolean>`exists (select 1 from ${searchTableOf(table)} searched
    where searched.rowid = ${sql.ref(`${table}.id`)}
    and not ${isAbsent} ${lookedUp})`
  const byLength = folded.toSorted((left, right) => right.length - left.length)
  const indexable = byLength.filter((term) => [...term].length >= shortestTrigram).slice(0, mostIndexed)
  const find = engine === 'sqlite' ? { long: byFts, short: byBeginning } : { long: byTrigrams, short: byParts }
  const common = (term: string) => byReading(table, absence(sql`${term}`))
  const [longest = ''] = byLength
  const indexed =
    indexable.length > 0 ? find.long(table, columns, indexable) : find.short(table, columns, longest, common(longest))
  if (!columns.includes('description')) return { holds, driver: { ids: indexed } }
  const long = sql`select ${sql.ref(`${table}.id`)} from ${sql.table(table)}
    where length(${sql.ref(`${table}.description`)}) > ${sql.lit(longestIndexed)}`
  return { holds, driver: { ids: sql`${indexed} union all ${long}` } }
}

/** So many rows show whether a term is common, and in so many of them it is then. */
const [sampled, commonFrom] = [1_000, 250]

/** How rows are found whose text has a term that many have: one after the other is read and compared. */
type Common = {
  /** Whether the term is common; decided once in a query. */
  isCommon: RawBuilder<boolean>
  rows: RawBuilder<unknown>
}

/** @param isAbsent whether a row of `searched` lacks the term */
function byReading(table: string, isAbsent: RawBuilder<unknown>): Common {
  const name = searchTableOf(table)
  const isCommon = sql<boolean>`(select count(*) from (select * from ${name} limit ${sql.lit(sampled)}) searched
    where not (${isAbsent})) >= ${sql.lit(commonFrom)}`
  return {
    isCommon,
    rows: sql`select searched.rowid as id from ${name} searched where not (${isAbsent}) and ${isCommon}`,
  }
}

type FindShort = (
  table: string,
  columns: readonly SearchedColumn[],
  term: string,
  common: Common,
) => RawBuilder<unknown>

/** Rows with a trigram that begins with a term of one or two characters. */
const byBeginning: FindShort = (table, columns, term, { isCommon, rows }) => sql`${rows} union all
  select distinct doc as id from ${trigramsOf(table)} where term >= ${term} and term <= ${`${term}\u{10ffff}\u{10ffff}`}
  and col in (${sql.join(columns.map((column) => sql.lit(column)))}) and not ${isCommon}`

/** Rows with one of the characters or pairs of characters. */
const byParts: FindShort = (table, columns, term, { isCommon, rows }) => {
  const parts = columns.map((column) => `${shortPrefix[column]}${term}`)
  return sql`${rows} union all select rowid as id from ${searchTableOf(table)}
    where ${sql.raw(`${table}_search_parts`)}(title, description) && ${parts}::text[] and not ${isCommon}`
}

function byFts(table: string, columns: readonly SearchedColumn[], terms: readonly string[]): RawBuilder<unknown> {
  const phrases = terms.map((term) => `{${columns.join(' ')}} : "${term.replaceAll('"', '""')}"`)
  return sql`select rowid as id from ${searchTableOf(table)} where ${searchTableOf(table)} match ${phrases.join(' AND ')}`
}

function byTrigrams(table: string, columns: readonly SearchedColumn[], terms: readonly string[]): RawBuilder<unknown> {
  const like = (term: string) => {
    const pattern = `%${escapeLike(term)}%`
    return sql`(${sql.join(
      columns.map((column) => sql`${sql.ref(column)} like ${pattern} escape '\\'`),
      sql` or `,
    )})`
  }
  return sql`select rowid as id from ${searchTableOf(table)} where ${sql.join(terms.map(like), sql` and `)}`
}
