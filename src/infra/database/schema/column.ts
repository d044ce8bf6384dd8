import type { ColumnType, Generated } from 'kysely'

/** The types of columns. `id`, `given id` and `name` are written differently on the two engines (`ddl.ts`). */
export type ColumnKind =
  | 'id'
  | 'given id'
  | 'name'
  | 'text'
  | 'bigint'
  | 'integer'
  | 'double precision'
  | 'boolean'
  | 'timestamptz'
  | 'date'
  | 'jsonb'

/** What happens to a row when the row that it refers to is deleted. `refuse`: that row cannot be deleted. */
export type OnDelete = 'cascade' | 'set null' | 'refuse'

export type Reference = { table: string; column: string; onDelete: OnDelete }

type Facts = {
  kind: ColumnKind
  isNullable?: boolean
  isPrimaryKey?: boolean
  default?: string | number | boolean
  references?: Reference
  /** The condition on its values, after its name: `>= 0`. */
  check?: string
}

type WithNull<Type> =
  Type extends ColumnType<infer S, infer I, infer U> ? ColumnType<S | null, I | null, U | null> : Type | null
type WithDefault<Type> =
  Type extends ColumnType<infer S, infer I, infer U> ? ColumnType<S, I | undefined, U> : Generated<Type>

/** A column of a table. `Type` is its type in queries: a value, or a `ColumnType` of those selected, inserted and updated. */
export class Column<out Type> {
  /** Only for inference. */
  declare readonly type: Type
  readonly facts: Facts

  constructor(facts: Facts) {
    this.facts = facts
  }

  #with<Other>(facts: Partial<Facts>) {
    return new Column<Other>({ ...this.facts, ...facts })
  }

  /** Allows null. */
  nullable(): Column<WithNull<Type>> {
    return this.#with({ isNullable: true })
  }

  /** Sets the value of a row that is inserted without one. */
  default(value: (Type & (string | number | boolean)) | (Type extends ColumnType<unknown> ? string : never)) {
    return this.#with<WithDefault<Type>>({ default: value as string })
  }

  /** Sets a condition on its values, which follows its name: `check('>= 0')`. */
  check(condition: string): Column<Type> {
    return this.#with({ check: condition })
  }

  /** Refers to a unique column of another table that is not its `id`. */
  refers(table: string, other: string, onDelete: OnDelete): Column<Type> {
    return this.#with({ references: { table, column: other, onDelete } })
  }

  /** Makes it the primary key of the table. */
  primaryKey(): Column<Type> {
    return this.#with({ isPrimaryKey: true })
  }
}

const column = <Type>(facts: Facts) => new Column<Type>(facts)

/** A value in a statement. */
export function literal(value: string | number | boolean): string {
  return typeof value === 'string' ? `'${value.replaceAll("'", "''")}'` : String(value)
}

/** The columns that a table may have. They are not null unless they are declared `nullable()`. */
export const t = {
  /** The primary key: an ascending number that is never given twice. */
  id: () => column<Generated<number>>({ kind: 'id' }),
  /** A primary key whose value the writer gives: the id of a row of another table. */
  givenId: () => column<number>({ kind: 'given id' }),
  /** The id of a row of another table. @param onDelete what happens when that row is deleted */
  refers: (table: string, onDelete: OnDelete) =>
    column<number>({ kind: 'bigint', references: { table, column: 'id', onDelete } }),
  /** Text that is sorted by bytes, and whose case is folded in ASCII only, whatever the locale of the database. */
  name: () => column<string>({ kind: 'name' }),
  text: <Type extends string = string>() => column<Type>({ kind: 'text' }),
  /** One of these texts; the database refuses others. */
  oneOf: <const Type extends string>(...values: readonly Type[]) =>
    column<Type>({ kind: 'text', check: `in (${values.map(literal).join(', ')})` }),
  /** A number of 64 bits, of which JavaScript has 53. */
  bigint: <Type extends number = number>() => column<Type>({ kind: 'bigint' }),
  /** A number of 32 bits. */
  integer: <Type extends number = number>() => column<Type>({ kind: 'integer' }),
  float: () => column<number>({ kind: 'double precision' }),
  boolean: () => column<boolean>({ kind: 'boolean' }),
  /** ISO 8601 in UTC with milliseconds. */
  time: () => column<string>({ kind: 'timestamptz' }),
  /** `YYYY-MM-DD`. */
  date: () => column<string>({ kind: 'date' }),
  /** Selected as a value, inserted as text. */
  json: <Type>() => column<ColumnType<Type, string, string>>({ kind: 'jsonb' }),
}
