import { type RawBuilder, sql } from 'kysely'
import type { Dialect } from '../dialect.ts'

/**
 * A trigger that runs for each row.
 * @property event when it runs, for instance `after update of state`
 * @property isMet the condition on the rows `old` and `new` under which it runs. Default: always
 * @property statement one statement, or several with semicolons between them
 */
export type Trigger = { name: string; event: string; table: string; isMet?: string; statement: string }

/** The statements that create a trigger. On PostgreSQL it calls a function of the same name. */
export function forEachRow({ engine }: Dialect, trigger: Trigger): RawBuilder<unknown>[] {
  const { name, event, table, isMet = '1 = 1', statement } = trigger
  const start = `create trigger ${name} ${event} on ${table} for each row when (${isMet})`
  if (engine === 'sqlite') return [sql.raw(`${start} begin ${statement}; end`)]
  const result = event.startsWith('before') ? 'old' : 'null'
  const body = `begin ${statement}; return ${result}; end`
  return [
    sql.raw(`create function ${name}() returns trigger language plpgsql as $$ ${body} $$`),
    sql.raw(`${start} execute function ${name}()`),
  ]
}
