import { type Compilable, type CompiledQuery, type RawBuilder, sql } from 'kysely'
import type { Reader } from './database.ts'
import { within } from './portable.ts'
import type { Engine } from './tables.ts'

/** Takes the position of a parameter while the query is compiled. */
class Placeholder {
  readonly name: string

  constructor(name: string) {
    this.name = name
  }
}

/** Returns a placeholder for every property name, typed as the parameter. */
function placeholders<P extends object>(): P {
  return new Proxy({} as P, { get: (_target, name) => new Placeholder(String(name)) })
}

/**
 * Compiles a query once per engine, for the queries of every request, where compiling costs more than running.
 * @param build builds the query. Its parameters are placeholders, so it must not depend on their values
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

/**
 * Like `prepareQuery`, for the rows of some ids. One id has a query of its own: one with a list of ids is planned by PostgreSQL
 * anew at each run, which takes several times as long as the run.
 * @param build builds the query, with a condition that is true of these ids
 */
export function prepareQueryOfIds<Row, P extends object = object>(
  column: string,
  build: (db: Reader, hasId: RawBuilder<boolean>, parameters: P) => Compilable<Row>,
): (db: Reader, ids: readonly number[], parameters: P) => Promise<Row[]> {
  const ofOne = prepareQuery((db, parameters: P & { id: number }) =>
    build(db, sql<boolean>`${sql.ref(column)} = ${parameters.id}`, parameters),
  )
  const ofSeveral = prepareQuery((db, parameters: P & { ids: readonly number[] }) =>
    build(db, within(db, column, parameters.ids), parameters),
  )
  return (db, ids, parameters) => {
    const [id] = ids
    return id !== undefined && ids.length === 1
      ? ofOne(db, { ...parameters, id })
      : ofSeveral(db, { ...parameters, ids })
  }
}
