import type { Compilable, CompiledQuery } from 'kysely'
import type { Reader } from './database.ts'
import type { Engine } from './tables.ts'

/** Stands in a query for a value that comes later. */
class Placeholder {
  readonly name: string

  constructor(name: string) {
    this.name = name
  }
}

/** Gives a placeholder for every name, typed as the value that will take its place. */
function placeholders<P extends object>(): P {
  return new Proxy({} as P, { get: (_target, name) => new Placeholder(String(name)) })
}

/**
 * A query that is built and compiled once and then only run: for the few that every request needs, where building the
 * text would cost more than running it.
 * @param build makes the query; gets each parameter by name and must not look at its value
 */
export function prepareQuery<P extends object, Row>(
  build: (db: Reader, parameters: P) => Compilable<Row>,
): (db: Reader, parameters: P) => Promise<Row[]> {
  const compiled = new Map<Engine, CompiledQuery<Row>>()
  return async function runPrepared(db, parameters) {
    let query = compiled.get(db.engine)
    if (!query) {
      query = build(db, placeholders<P>()).compile()
      compiled.set(db.engine, query)
    }
    const values = query.parameters.map((value) =>
      value instanceof Placeholder ? (parameters as Record<string, unknown>)[value.name] : value,
    )
    return (await db.executeQuery({ ...query, parameters: values } as CompiledQuery<Row>)).rows
  }
}
