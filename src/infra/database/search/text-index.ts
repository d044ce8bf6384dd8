import { type RawBuilder, sql } from 'kysely'
import type { Reader } from '../database.ts'
import type { Dialect } from '../dialect.ts'

const textTableOf = (table: string) => sql.table(`${table}_text`)

/**
 * The statements that index short texts of a table, so that rows are found by parts of them, whatever the case of ASCII letters:
 * by `contains` on PostgreSQL where the server has pg_trgm, by `findsText` on SQLite. The table has the column `id`. Triggers
 * follow its changes on SQLite. Rows that the table has already are indexed.
 */
export function textIndex({ engine }: Dialect, table: string, columns: readonly string[]): RawBuilder<unknown>[] {
  if (engine === 'postgres') {
    const indexed = columns.map((column) => `lower(${column}) gin_trgm_ops`)
    return [
      sql.raw(`do $$ begin
        if exists (select 1 from pg_available_extensions where name = 'pg_trgm') then
          begin create extension if not exists pg_trgm; exception when insufficient_privilege then null; end;
        end if;
        if exists (select 1 from pg_extension where extname = 'pg_trgm') then
          create index ${table}_text on ${table} using gin (${indexed.join(', ')});
        end if;
      end $$`),
    ]
  }
  const list = columns.join(', ')
  const of = (row: 'old' | 'new') => columns.map((column) => `${row}.${column}`).join(', ')
  const isChanged = columns.map((column) => `new.${column} is not old.${column}`).join(' or ')
  const insert = `insert into ${table}_text (rowid, ${list}) values (new.id, ${of('new')})`
  const remove = `delete from ${table}_text where rowid = old.id`
  return [
    `create virtual table ${table}_text using fts5 (${list}, content = '', contentless_delete = 1, tokenize = 'trigram')`,
    `insert into ${table}_text (rowid, ${list}) select id, ${list} from ${table}`,
    `create trigger ${table}_text_insert after insert on ${table} begin ${insert}; end`,
    `create trigger ${table}_text_delete after delete on ${table} begin ${remove}; end`,
    `create trigger ${table}_text_update after update of ${list} on ${table} when ${isChanged}
      begin ${remove}; ${insert}; end`,
  ].map((statement) => sql.raw(statement))
}

/** Terms of fewer characters have no trigram. */
export const shortestTrigram = 3

/** More rows than this are read in the order of their list until the page is full. */
const few = 10_000

const hasHits = (db: Reader, text: string) =>
  db.engine === 'sqlite' && [...text].length >= shortestTrigram && !text.includes('\0')

function rowsWith(table: string, text: string): RawBuilder<unknown> {
  const phrase = `"${text.replaceAll('"', '""')}"`
  return sql`${textTableOf(table)} where ${textTableOf(table)} match ${phrase}`
}

const hitsOf = (table: string, text: string) => sql`select rowid from ${rowsWith(table, text)}`

/**
 * The rows of the index of a table in which a text may occur: the text after `from`, with their id as `rowid`. Null when the index has
 * no use: the text is too short, or the engine is PostgreSQL, which uses the index itself.
 */
export function textHits(db: Reader, table: string, text: string): RawBuilder<unknown> | null {
  return hasHits(db, text) ? rowsWith(table, text) : null
}

/**
 * A condition that finds the rows of a table in which a text may occur, by the table's index. Null when the index has no use:
 * the text is too short or in too many rows, or the engine is PostgreSQL, which uses the index itself.
 * @param others selects the ids of further rows that match
 */
export async function findsText(
  db: Reader,
  table: string,
  text: string,
  others?: RawBuilder<unknown>,
): Promise<RawBuilder<boolean> | null> {
  if (!hasHits(db, text)) return null
  const hits = hitsOf(table, text)
  const counted = sql<{ count: number }>`select count(*) as count from (${hits} limit ${few + 1}) hits`
  const { rows } = await db.executeQuery(counted.compile(db as never))
  if ((rows[0]?.count ?? 0) > few) return null
  const found = others ? sql`${hits} union all ${others}` : hits
  return sql<boolean>`${sql.ref(`${table}.id`)} in (${found})`
}
