import type { Static, TOptional, TSchema } from '../operation/schema.ts'

/** A function of a row and a view; the field that has it knows their types. */
// biome-ignore lint/suspicious/noExplicitAny: fields of different rows stand side by side
type Read<Value = unknown> = (row: any, view: any) => Value

/** Where a value comes from: a member of the row, a function, or fields of the same row that are an object of their own. */
type Origin =
  | { kind: 'member'; path: readonly string[] }
  | { kind: 'computed'; read: Read }
  | { kind: 'nested'; fields: Readonly<Record<string, AnyField>> }

/** When a field is shown: of one row, and in the whole answer. */
type Conditions = {
  row: readonly Read<boolean>[]
  // biome-ignore lint/suspicious/noExplicitAny: as above
  view: readonly ((view: any) => boolean)[]
}

/** One field of an object: its schema, and where its value comes from. */
export class Field<Row, View, Facts, S extends TSchema = TSchema> {
  /** For the compiler only: what the value is made of. */
  declare readonly needs: (row: Row, view: View, facts: Facts) => void
  readonly schema: S
  readonly origin: Origin
  /** Names of the facts that the value is computed from. */
  readonly facts: readonly string[]
  readonly conditions: Conditions

  constructor(
    schema: S,
    origin: Origin,
    facts: readonly string[] = [],
    conditions: Conditions = { row: [], view: [] },
  ) {
    this.schema = schema
    this.origin = origin
    this.facts = facts
    this.conditions = conditions
  }
}

/** A field of rows that are not known here. */
// biome-ignore lint/suspicious/noExplicitAny: its functions take rows of their own
export type AnyField = Field<any, any, any>

/** Fields as they are written: a schema alone stands for the member of the row that has the name of the field. */
export type Fields<Row, View, Facts> = Readonly<Record<string, TSchema | Field<Row, View, Facts>>>

/** What the type of each field has to be; for a member that the row does not have like this, a type that says so. */
export type Fitting<Row, View, Facts, F> = {
  [K in keyof F]: F[K] extends AnyField ? Field<Row, View, Facts> : Copied<Row, K, F[K]>
}
type Copied<Row, K, S> = K extends keyof Row
  ? Row[K] extends ValueOf<S>
    ? S
    : { 'the member of the row has another type': Row[K] }
  : { 'the row has no member': K }

/** The schema of a field as it is written. */
export type SchemaOf<F> = F extends Field<never, never, never, infer S> ? S : F

/** A value that the schema takes: it may be read-only, and undefined when it is optional. */
type ValueOf<S> = S extends TSchema ? ReadOnly<Static<S>> | (S extends TOptional ? undefined : never) : never
type ReadOnly<T> = T extends object ? { readonly [K in keyof T]: ReadOnly<T[K]> } : T

/** The object that these fields make. */
export type Presented<F> = Flat<
  { -readonly [K in keyof F as IsOptional<F[K], never, K>]: Static<SchemaOf<F[K]> & TSchema> } & {
    -readonly [K in keyof F as IsOptional<F[K], K, never>]?: Static<SchemaOf<F[K]> & TSchema>
  }
>
type IsOptional<F, Yes, No> = SchemaOf<F> extends TOptional ? Yes : No
type Flat<T> = { [K in keyof T]: T[K] }

type Has<Name extends string, Value> = { readonly [K in Name]: Value }

/** Another member of the row, or a member of a member: `from(text, 'title')`, `from(text, 'project', 'name')`. */
export function from<S extends TSchema, A extends string>(
  schema: S,
  member: A,
): Field<Has<A, ValueOf<S>>, unknown, unknown, S>
export function from<S extends TSchema, A extends string, B extends string>(
  schema: S,
  member: A,
  inner: B,
): Field<Has<A, Has<B, ValueOf<S>>>, unknown, unknown, S>
export function from(schema: TSchema, ...path: string[]): AnyField {
  return new Field(schema, { kind: 'member', path })
}

/** A value that is computed from the row and the view. */
export function computed<Row, View, S extends TSchema>(
  schema: S,
  read: (row: Row, view: View) => ValueOf<NoInfer<S>>,
): Field<Row, View, unknown, S> {
  return new Field<Row, View, unknown, S>(schema, { kind: 'computed', read })
}

/** A value that is computed from facts as well, which are loaded for all rows at once. */
export function fact<Row, View, Facts, Name extends string & keyof Facts, S extends TSchema>(
  schema: S,
  names: Name | readonly Name[],
  read: (row: Row, view: View & Pick<Facts, Name>) => ValueOf<NoInfer<S>>,
): Field<Row, View, Facts, S> {
  return new Field<Row, View, Facts, S>(schema, { kind: 'computed', read }, [names].flat())
}

/** A schema alone as the field that it stands for. */
export function fieldOf(name: string, written: TSchema | AnyField): AnyField {
  return written instanceof Field ? written : new Field(written, { kind: 'member', path: [name] })
}

/** All fields as such, by name. */
export function fieldsOf(written: Readonly<Record<string, TSchema | AnyField>>): Record<string, AnyField> {
  return Object.fromEntries(Object.entries(written).map(([name, one]) => [name, fieldOf(name, one)]))
}

/** Some of the fields of an object. */
export function pick<F extends object, const Names extends readonly (keyof F)[]>(
  fields: F,
  ...names: Names
): Pick<F, Names[number]> {
  return Object.fromEntries(names.map((name) => [name, fields[name]])) as Pick<F, Names[number]>
}
