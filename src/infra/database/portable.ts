import { type ColumnType, type Expression, type RawBuilder, sql } from 'kysely'
import type { Tx } from './database.ts'
import type { Engine } from './tables.ts'

/** A column of JSON: an object when read, its text when written. */
export type Json<T> = ColumnType<T, string, string>

type HasEngine = { readonly engine: Engine }

/**
 * `column in values`, as one parameter however many values there are: the text of the query stays the same, so the
 * statement cache holds it, and no engine's limit of parameters is met.
 */
export function within(db: HasEngine, column: string, values: readonly (number | string)[]): RawBuilder<boolean> {
  const ref = sql.ref(column)
  if (db.engine === 'postgres') return sql<boolean>`${ref} = any(${values})`
  return sql<boolean>`${ref} in (select value from json_each(${JSON.stringify(values)}))`
}

/** As `within`, for `lower(column)`, on which there are indexes. */
export function withinLower(db: HasEngine, column: string, values: readonly string[]): RawBuilder<boolean> {
  const lowered = sql`lower(${sql.ref(column)})`
  if (db.engine === 'postgres') return sql<boolean>`${lowered} = any(${values})`
  return sql<boolean>`${lowered} in (select value from json_each(${JSON.stringify(values)}))`
}

/** Escapes what `like` would take for a wildcard. Used with `escape '\'`. */
export function escapeLike(text: string): string {
  return text.replace(/[\\%_]/g, '\\$&')
}

/** As `lower` does it in the databases: letters of ASCII alone. Other letters must be written as they are stored. */
export function foldCase(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
}

/** Case-insensitive "the column contains this text", wildcards taken literally. */
export function contains(column: string, text: string): RawBuilder<boolean> {
  const pattern = `%${escapeLike(foldCase(text))}%`
  return sql<boolean>`lower(${sql.ref(column)}) like ${pattern} escape '\\'`
}

/** The smaller of two values; SQLite and PostgreSQL name this function differently. */
export function least(db: HasEngine, a: Expression<number>, b: Expression<number>): RawBuilder<number> {
  return db.engine === 'postgres' ? sql<number>`least(${a}, ${b})` : sql<number>`min(${a}, ${b})`
}

/**
 * Waits until no other transaction holds this name, and holds it until the own one ends: for rules over many rows that no
 * index can keep. SQLite has one writer at a time as it is.
 */
export async function holdName(tx: Tx, name: string): Promise<void> {
  if (tx.engine === 'postgres') await sql`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`.execute(tx)
}

/** A value as it is stored in a JSON column. Both engines get text, so an array never becomes an SQL array. */
export function jsonText(value: unknown): string {
  return JSON.stringify(value)
}

/** A point in time as it is stored: ISO 8601 in UTC with milliseconds. */
export function now(clock: { now(): Date }): string {
  return clock.now().toISOString()
}
