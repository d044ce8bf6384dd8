/** What a database says of its schema, as a list of texts that is the same for equal schemas. */
import { sql } from 'kysely'
import type { Reader } from '../../src/infra/database/index.ts'

/** The parts of a text that commas separate outside of parentheses and quotes. */
function partsOf(text: string): string[] {
  const parts = ['']
  let depth = 0
  for (const [token] of text.matchAll(/'[^']*'|[(),]|[^'(),]+/g)) {
    depth += token === '(' ? 1 : token === ')' ? -1 : 0
    if (token === ',' && depth === 0) parts.push('')
    else parts[parts.length - 1] += token
  }
  return parts.map((part) => part.replaceAll(/\s+/g, ' ').trim())
}

/** SQLite keeps the statements. Where a column stands among others says nothing: one that was added is the last. */
async function factsOnSqlite(db: Reader): Promise<string[]> {
  const query = sql<{ name: string; sql: string }>`select name, sql from sqlite_master where sql is not null
    and name not like 'sqlite_%' and name <> 'migrations'`
  const { rows } = await query.execute(db as never)
  return rows.map(({ name, sql: text }) => {
    const isTable = /^create table/i.test(text)
    const parts = isTable ? partsOf(text.slice(text.indexOf('(') + 1, text.lastIndexOf(')'))).toSorted() : [text]
    return `${name}: ${parts.join('\n')}`
  })
}

/** The catalogue of PostgreSQL. */
const catalogue = [
  sql`select 'column ' || c.relname || '.' || a.attname || ' ' || format_type(a.atttypid, a.atttypmod) || ' ' || a.attnotnull::text
    || ' ' || a.attidentity::text || ' ' || coalesce(co.collname, '') || ' ' || coalesce(pg_get_expr(d.adbin, d.adrelid), '') as fact
    from pg_attribute a join pg_class c on c.oid = a.attrelid left join pg_collation co on co.oid = a.attcollation
    left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
    where c.relnamespace = current_schema()::regnamespace and c.relkind = 'r' and a.attnum > 0 and not a.attisdropped`,
  sql`select 'constraint ' || conrelid::regclass || ' ' || conname || ' ' || pg_get_constraintdef(oid) as fact from pg_constraint
    where connamespace = current_schema()::regnamespace and contype <> 'n'`,
  sql`select 'index ' || indexdef as fact from pg_indexes where schemaname = current_schema()`,
  sql`select 'trigger ' || pg_get_triggerdef(t.oid) as fact from pg_trigger t join pg_class c on c.oid = t.tgrelid
    where c.relnamespace = current_schema()::regnamespace and not t.tgisinternal`,
  sql`select 'function ' || pg_get_functiondef(p.oid) as fact from pg_proc p
    where p.pronamespace = current_schema()::regnamespace and p.prokind = 'f' and p.probin is null`,
]

async function factsOnPostgres(db: Reader): Promise<string[]> {
  const found: string[] = []
  for (const query of catalogue) {
    const { rows } = await query.execute(db as never)
    found.push(...(rows as { fact: string }[]).map(({ fact }) => fact))
  }
  return found
}

/** One text for each table, index, trigger, constraint and function, sorted. */
export async function schemaFacts(db: Reader): Promise<string[]> {
  return (await (db.engine === 'postgres' ? factsOnPostgres(db) : factsOnSqlite(db))).toSorted()
}
