import type { Engine } from '../tables.ts'
import type { AnyTable, IndexSpec } from './table.ts'

type Full = Exclude<IndexSpec<string>, readonly unknown[]>

const full = (spec: IndexSpec<string>): Full => ('on' in spec ? spec : { on: spec })

/** The unique indexes of a table by name; the only one may have none. */
const uniqueOf = ({ facts: { unique = {} } }: AnyTable): [string, IndexSpec<string>][] =>
  Array.isArray(unique) ? [['', unique]] : Object.entries(unique)

/** An expression that is no call of a function stands in brackets of its own. */
const keyText = (key: string) => (/^\w+(\(.*\))?( desc)?$/s.test(key) || key.startsWith('(') ? key : `(${key})`)

const descending = (key: string, nullsLast: string) => {
  if (key === nullsLast) return `${key} desc nulls last`
  return key === 'id' ? 'id desc' : key
}

/** The indexes of a table in the order in which they are created: what follows `create`. */
export function indexesOf(table: AnyTable, engine: Engine): string[] {
  const index = (kind: string, name: string, spec: IndexSpec<string>): string[] => {
    const { on, where, nullsLast, engine: only = engine } = full(spec)
    if (only !== engine) return []
    const keys = on.map((key) => keyText(typeof key === 'string' ? key : key[engine]))
    const create = (called: string, list: readonly string[]) =>
      `${kind} ${called} on ${table.name} (${list.join(', ')})${where ? ` where ${where}` : ''}`
    if (!nullsLast || engine === 'sqlite') return [create(name, keys)]
    return [
      create(name, keys),
      create(
        `${name}_descending`,
        keys.map((key) => descending(key, nullsLast)),
      ),
    ]
  }
  const isLast = (spec: IndexSpec<string>) => engine === 'postgres' && full(spec).isPreferred === true
  const unique = (last: boolean) =>
    uniqueOf(table)
      .filter(([, spec]) => isLast(spec) === last)
      .flatMap(([name, spec]) => index('unique index', [table.name, name, 'unique'].filter(Boolean).join('_'), spec))
  const others = Object.entries(table.facts.indexes ?? {}).flatMap(([name, spec]) =>
    index('index', `${table.name}_${name}`, spec),
  )
  return [...unique(false), ...others, ...unique(true)]
}

/** The foreign keys of a table whose column is not the first one of an index that has all rows with a value. */
export function unindexedReferences(table: AnyTable): string[] {
  const { indexes = {}, primaryKey = [] } = table.facts
  const specs = [...Object.values(indexes), ...uniqueOf(table).map(([, spec]) => spec)].map(full)
  const isServed = (column: string) =>
    primaryKey[0] === column ||
    table.columns[column].facts.isPrimaryKey ||
    specs.some(({ on, where }) => on[0] === column && (!where || where === `${column} is not null`))
  return Object.keys(table.columns)
    .filter((column) => table.columns[column].facts.references && !isServed(column))
    .map((column) => `${table.name}.${column}`)
}
