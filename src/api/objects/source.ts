import { type Availability, onlyIn } from '../operation/availability.ts'
import { type TOptional, type TSchema, Type } from '../operation/schema.ts'
import { type AnyField, Field, type Fields, type Fitting, fieldsOf, type SchemaOf } from './field.ts'

/** Loads a fact for all rows at once: mostly a map by id. */
export type Loader<Row, View> = (rows: readonly Row[], view: View) => unknown

type Loaders<Row, View> = Readonly<Record<string, Loader<Row, View>>>
type FactsOf<L> = { [N in keyof L]: L[N] extends (...of: never[]) => infer T ? Awaited<T> : never }

/** The same fields with other schemas, of which the source is known. */
type Optional<Row, View, Facts, F> = {
  [K in keyof F]: Field<Row, View, Facts, SchemaOf<F[K]> extends infer S extends TSchema ? TOptional<S> : never>
}
type Same<Row, View, Facts, F> = {
  [K in keyof F]: Field<Row, View, Facts, SchemaOf<F[K]> extends infer S extends TSchema ? S : never>
}

function mapped(written: object, change: (field: AnyField) => AnyField): never {
  const fields = Object.entries(fieldsOf(written as Record<string, TSchema>))
  return Object.fromEntries(fields.map(([name, one]) => [name, change(one)])) as never
}

/**
 * What objects are presented from: rows, a view, which all rows of an answer share (the caller, what was requested, addresses),
 * and facts. It types the fields, and makes sets of fields to be spread into objects.
 */
export class Source<Row, View, Facts> {
  readonly loaders: Loaders<Row, View>

  constructor(loaders: Loaders<Row, View>) {
    this.loaders = loaders
  }

  /** The same source with facts; of an answer, only those are loaded that a shown field takes. */
  facts<const L extends Loaders<Row, View>>(loaders: L): Source<Row, View, FactsOf<L>> {
    return new Source<Row, View, FactsOf<L>>(loaders)
  }

  /** The same source of rows that have more. */
  ofRows<More>(): Source<Row & More, View, Facts> {
    return new Source<Row & More, View, Facts>(this.loaders as Loaders<Row & More, View>)
  }

  /** The same source in a view that has more. */
  inView<More>(): Source<Row, View & More, Facts> {
    return new Source<Row, View & More, Facts>(this.loaders as Loaders<Row, View & More>)
  }

  /** Fields that several objects have. */
  fields<F extends Fields<Row, View, Facts>>(fields: F & Fitting<Row, View, Facts, F>): F {
    return fields
  }

  /** Fields that only some rows have. */
  ifRow<F extends Fields<Row, View, Facts>>(
    condition: (row: Row, view: View) => boolean,
    fields: F & Fitting<Row, View, Facts, F>,
  ): Optional<Row, View, Facts, F> {
    return mapped(fields, ({ schema, origin, facts, conditions }) => {
      const both = { ...conditions, row: [...conditions.row, condition] }
      return new Field(Type.Optional(schema), origin, facts, both)
    })
  }

  /** Fields that only some answers have: for certain callers, or on request. */
  ifView<F extends Fields<Row, View, Facts>>(
    condition: (view: View) => boolean,
    fields: F & Fitting<Row, View, Facts, F>,
  ): Optional<Row, View, Facts, F> {
    return mapped(fields, ({ schema, origin, facts, conditions }) => {
      const both = { ...conditions, view: [...conditions.view, condition] }
      return new Field(Type.Optional(schema), origin, facts, both)
    })
  }

  /** Fields that only some editions of the server have. */
  ifEdition<F extends Fields<Row, View, Facts>>(
    availability: Availability,
    fields: F & Fitting<Row, View, Facts, F>,
  ): Same<Row, View, Facts, F> {
    return mapped(fields, ({ schema, origin, facts, conditions }) => {
      return new Field(onlyIn(availability, schema), origin, facts, conditions)
    })
  }
}

/** What an object is presented from: `of<LabelRow, LabelView>()`. */
export function of<Row, View = unknown>(): Source<Row, View, unknown> {
  return new Source<Row, View, unknown>({})
}
