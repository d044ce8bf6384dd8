import { type RawBuilder, sql } from 'kysely'
import type { Tx } from './database.ts'
import type { Dialect } from './dialect.ts'
import { escapeLike } from './portable.ts'
import type { Engine } from './tables.ts'

/** Columns of a table that are searched. */
export type SearchedColumn = 'title' | 'description'

/** Longer descriptions are not indexed, because indexing 1 MiB blocks SQLite for a second; a search reads them. */
const longestIndexed = 16_384

/** Terms of fewer characters have no trigram, so no index can find them. */
const shortestIndexed = 3

/** The text in which case is ignored. Both engines compare folded texts only, so they agree about all alphabets. */
const fold = (text: string) => text.toLowerCase()

const searchTableOf = (table: string) => sql.table(`${table}_search`)

/**
 * The statements that create the table by which rows of `table` are found by parts of their title and description. The
 * table must have the columns `id` and `description`. SQLite indexes trigrams by FTS5, PostgreSQL by pg_trgm where the
 * server has it.
 */
export function searchTable({ engine }: Dialect, table: string): RawBuilder<unknown>[] {
  const long = sql`create index ${sql.table(`${table}_long_description`)} on ${sql.table(table)} (id)
    where length(description) > ${sql.lit(longestIndexed)}`
  if (engine === 'sqlite') {
    return [
      sql`create virtual table ${searchTableOf(table)} using fts5 (
        title, description, long_description unindexed, tokenize = 'trigram case_sensitive 1')`,
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
    long,
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

type SearchedText = { title: string; description: string | null }

function stored({ title, description }: SearchedText) {
  const text = description ?? ''
  const isLong = text.length > longestIndexed && [...text].length > longestIndexed
  return { title: fold(title), description: isLong ? '' : fold(text), long: isLong ? fold(text) : '' }
}

/** Makes a new row of `table` searchable. */
export async function insertSearched(tx: Tx, table: string, id: number, text: SearchedText): Promise<void> {
  const { title, description, long } = stored(text)
  await sql`insert into ${searchTableOf(table)} (rowid, title, description, long_description)
    values (${id}, ${title}, ${description}, ${long})`.execute(tx)
}

/** Replaces the searched text of a row. */
export async function updateSearched(tx: Tx, table: string, id: number, text: SearchedText): Promise<void> {
  const { title, description, long } = stored(text)
  await sql`update ${searchTableOf(table)} set title = ${title}, description = ${description},
    long_description = ${long} where rowid = ${id}`.execute(tx)
}

/** A search for rows in whose text every term occurs, whatever its case. */
export type SubstringSearch = {
  /** Whether the row of `table` in a query has all terms. */
  matches: RawBuilder<boolean>
  /** Ids among which are all rows that have them, by the index; undefined when all terms are too short for it. */
  ids: RawBuilder<unknown> | undefined
}

/** The index finds rows by so many of the longest terms; the others are only checked. */
const mostIndexed = 16

/**
 * Searches for terms, each as a part of one of the columns.
 * @param table also the name by which the query selects from it
 */
export function searchFor(
  { engine }: { engine: Engine },
  table: string,
  columns: readonly SearchedColumn[],
  terms: readonly string[],
): SubstringSearch {
  const folded = terms.map(fold)
  const stored: string[] = columns.includes('description') ? [...columns, 'long_description'] : [...columns]
  const position = sql.raw(engine === 'sqlite' ? 'instr' : 'strpos')
  // One parameter for all terms, because SQLite limits the depth of an expression.
  const all = engine === 'sqlite' ? sql`json_each(${folded}) term` : sql`unnest(${folded}::text[]) term (value)`
  const absent = stored.map((column) => sql`${position}(${sql.ref(`searched.${column}`)}, term.value) = 0`)
  const matches = sql<boolean>`exists (select 1 from ${searchTableOf(table)} searched
    where searched.rowid = ${sql.ref(`${table}.id`)}
    and not exists (select 1 from ${all} where ${sql.join(absent, sql` and `)}))`
  const indexable = folded
    .filter((term) => [...term].length >= shortestIndexed)
    .toSorted((left, right) => right.length - left.length)
    .slice(0, mostIndexed)
  if (indexable.length === 0) return { matches, ids: undefined }
  const indexed = engine === 'sqlite' ? byFts(table, columns, indexable) : byTrigrams(table, columns, indexable)
  if (!columns.includes('description')) return { matches, ids: indexed }
  const long = sql`select ${sql.ref(`${table}.id`)} from ${sql.table(table)}
    where length(${sql.ref(`${table}.description`)}) > ${sql.lit(longestIndexed)}`
  return { matches, ids: sql`${indexed} union all ${long}` }
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
