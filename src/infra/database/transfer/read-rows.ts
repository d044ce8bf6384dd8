import { type RawBuilder, sql } from 'kysely'
import type { Reader } from '../database.ts'
import type { TableDescription } from './describe.ts'

/** The values of a row, in the order of the columns. Times are ISO 8601, JSON is text. */
type RowValues = readonly (string | number | boolean | null)[]

/** Rows are read in portions of about this size, judged by the portion before. */
const portionBytes = 1024 * 1024
const firstPortion = 16
const largestPortion = 2_000

function nextPortion(rows: number, bytes: number): number {
  const fitting = Math.floor(portionBytes / Math.max(1, bytes / rows))
  const rowsOfNext = Math.max(1, Math.min(fitting, rows * 8, largestPortion))
  // A power of two, so that there are few different statements.
  return 2 ** Math.floor(Math.log2(rowsOfNext))
}

/** JSON is read as text, so that nothing of it changes. */
function selected({ columns }: TableDescription): RawBuilder<unknown> {
  return sql.join(
    columns.map(({ name, kind }) =>
      kind === 'json' ? sql`cast(${sql.ref(name)} as text) as ${sql.ref(name)}` : sql.ref(name),
    ),
  )
}

/** One line of JSON for each row. */
function linesOf({ columns }: TableDescription, rows: readonly Record<string, unknown>[]): string[] {
  return rows.map((row) => JSON.stringify(columns.map(({ name }) => row[name]) as RowValues))
}

/**
 * Reads all rows of a table, each as a line of JSON, in portions. Must be called in a snapshot. The memory does not depend on the
 * size of the table.
 */
export async function* readRows(db: Reader, table: TableDescription): AsyncGenerator<string[]> {
  const read = db.engine === 'postgres' ? byCursor(db, table) : byRowId(db, table)
  let limit = firstPortion
  await read.next()
  for (;;) {
    const { value, done } = await read.next(limit)
    if (done || !value || value.length === 0) return
    const lines = linesOf(table, value)
    yield lines
    limit = nextPortion(
      lines.length,
      lines.reduce((sum, { length }) => sum + length, 0),
    )
  }
}

type Portions = AsyncGenerator<Record<string, unknown>[], void, number>

async function* byCursor(db: Reader, table: TableDescription): Portions {
  const cursor = sql.ref(`rows_of_${table.name}`)
  await sql`declare ${cursor} no scroll cursor for select ${selected(table)} from ${sql.table(table.name)}`.execute(
    db as never,
  )
  let limit = yield []
  for (;;) {
    const { rows } = await sql<Record<string, unknown>>`fetch ${sql.lit(limit)} from ${cursor}`.execute(db as never)
    if (rows.length === 0) break
    limit = yield rows
  }
  await sql`close ${cursor}`.execute(db as never)
}

async function* byRowId(db: Reader, table: TableDescription): Portions {
  let after = Number.MIN_SAFE_INTEGER
  let limit = yield []
  for (;;) {
    const { rows } = await sql<Record<string, unknown>>`select rowid as "_rowid", ${selected(table)}
      from ${sql.table(table.name)} where rowid > ${after} order by rowid limit ${limit}`.execute(db as never)
    const last = rows.at(-1)
    if (!last) return
    after = Number(last._rowid)
    limit = yield rows
  }
}
