import { type TSchema, type TUnsafe, Type } from '../operation/schema.ts'
import { type AnyField, Field, type Fields, type Fitting, fieldsOf, type Presented, type SchemaOf } from './field.ts'
import { type Present, presenterOf } from './presenter.ts'
import type { Loader, Source } from './source.ts'

/** The view, unless the rows are enough. */
type ViewArgument<View> = unknown extends View ? [] : [view: View]

/** The schema of an object, with the functions that present it. */
export type ObjectSchema<Row, View, Facts, F> = TUnsafe<Presented<F>> & {
  readonly properties: { readonly [K in keyof F]: SchemaOf<F[K]> }
  /** For other objects that have the same. */
  readonly fields: F
  /** Presents a row. */
  readonly present: (row: Row, ...view: ViewArgument<View & Facts>) => Presented<F>
  /** Presents rows, with the facts that their shown fields take: each is loaded once for all. */
  readonly presentAll: (rows: readonly Row[], ...view: ViewArgument<View>) => Promise<Presented<F>[]>
  /** The same for one row. */
  readonly presentOne: (row: Row, ...view: ViewArgument<View>) => Promise<Presented<F>>
  /** The view with these facts, for a caller that presents one row after the other. */
  readonly load: (rows: readonly Row[], ...view: ViewArgument<View>) => Promise<View & Facts>
}

/** The schemas of fields by name. */
function schemasOf(fields: Readonly<Record<string, AnyField>>): Record<string, TSchema> {
  return Object.fromEntries(Object.entries(fields).map(([name, { schema }]) => [name, schema]))
}

/** Names of the facts that the fields take that are shown in a view. */
function factsFor(fields: Readonly<Record<string, AnyField>>, view: unknown): string[] {
  const shown = Object.values(fields).filter(({ conditions }) => conditions.view.every((holds) => holds(view)))
  return shown.flatMap(({ facts, origin }) => [
    ...facts,
    ...(origin.kind === 'nested' ? factsFor(origin.fields, view) : []),
  ])
}

type Loaders = Readonly<Record<string, Loader<unknown, unknown>>>

async function load(loaders: Loaders, names: readonly string[], rows: readonly unknown[], view: unknown) {
  const loaded = [...new Set(names)].map(async (name) => [name, await loaders[name]?.(rows, view)] as const)
  return { ...(view as object), ...Object.fromEntries(await Promise.all(loaded)) }
}

/**
 * Declares an object of the API: its JSON schema, the type of what is presented, and the presenter (README of this folder).
 * @param name of the schema in the OpenAPI document; without one the schema is written where it is used
 */
export function object<Row, View, Facts, const F extends Fields<Row, View, Facts>>(
  name: string | null,
  source: Source<Row, View, Facts>,
  fields: F & Fitting<Row, View, Facts, F>,
): ObjectSchema<Row, View, Facts, F> {
  const all = fieldsOf(fields)
  // The code is generated for the first row, since most objects are not shown soon after the start.
  let present: Present = (row, view) => {
    present = presenterOf(all)
    return present(row, view)
  }
  const withFacts = (rows: readonly unknown[], view: unknown) =>
    load(source.loaders as Loaders, factsFor(all, view), rows, view)
  const functions = {
    fields,
    present: (row: unknown, view: unknown) => present(row, view),
    load: withFacts,
    async presentAll(rows: readonly unknown[], view: unknown) {
      const loaded = rows.length === 0 ? view : await withFacts(rows, view)
      return rows.map((row) => present(row, loaded))
    },
    presentOne: async (row: unknown, view: unknown) => present(row, await withFacts([row], view)),
  }
  const schema = Type.Object(schemasOf(all), name === null ? {} : { title: name })
  // Not enumerable: what reads or copies the schema sees plain JSON Schema.
  for (const [key, value] of Object.entries(functions)) Object.defineProperty(schema, key, { value })
  return schema as unknown as ObjectSchema<Row, View, Facts, F>
}

/** An object inside of an object, whose fields are of the same row. */
export function nested<Row, View, Facts, const F extends Fields<Row, View, Facts>>(
  fields: F & Fitting<Row, View, Facts, F>,
): Field<Row, View, Facts, TUnsafe<Presented<F>>> {
  const all = fieldsOf(fields)
  const schema = Type.Unsafe<Presented<F>>(Type.Object(schemasOf(all)))
  return new Field<Row, View, Facts, TUnsafe<Presented<F>>>(schema, { kind: 'nested', fields: all })
}
