import type { Insertable, RawBuilder, Selectable, Updateable } from 'kysely'
import type { Dialect } from '../dialect.ts'
import type { SearchedColumn } from '../search/substring-search.ts'
import type { Engine } from '../tables.ts'
import type { Column } from './column.ts'

export type Columns = Record<string, Column<unknown>>

/** A column of an index, with the direction in which it is read, or an expression: `lower(title)`; by engine where they differ. */
export type IndexKey<Name extends string> = Name | `${Name} desc` | `${string}(${string})` | Record<Engine, string>

/** The keys of an index, or its keys and what else there is to say about it. */
export type IndexSpec<Name extends string> =
  | readonly IndexKey<Name>[]
  | {
      on: readonly IndexKey<Name>[]
      /** The condition on the rows that it has. */
      where?: string
      /** The only engine that has it. */
      engine?: Engine
      /**
       * The column by which a list is ordered with rows without a value last: PostgreSQL has a second index for the descending
       * order, `<table>_<name>_descending`. SQLite reads the first one backwards.
       */
      nullsLast?: Name
      /** PostgreSQL creates it last: of indexes that serve a query equally it takes the newest. */
      isPreferred?: boolean
    }

/**
 * What a table has besides its columns. Names of indexes follow from the table and the key: `labels_title` is the index `title` of
 * `labels`, `labels_project_unique` its unique index `project`.
 * @property primaryKey where it is not a column `id`
 * @property checks conditions on rows
 * @property constraints others, in SQL
 * @property unique unique indexes; the only one of a table needs no name
 * @property indexes the others, in the order in which they are created: of those that serve a query equally, the engines take the last
 * @property text columns whose parts are found by `contains` and `findsText`
 * @property search columns whose parts are found by `searchFor`; the store writes the searched texts with `insertSearched`
 * @property triggers statements that run when all tables exist: they keep a table that is derived from others
 */
export type TableFacts<Name extends string> = {
  primaryKey?: readonly Name[]
  checks?: readonly string[]
  constraints?: readonly string[]
  unique?: readonly IndexKey<Name>[] | Record<string, IndexSpec<Name>>
  indexes?: Record<string, IndexSpec<Name>>
  text?: readonly Name[]
  search?: readonly (Name & SearchedColumn)[]
  triggers?: (dialect: Dialect) => RawBuilder<unknown>[]
}

/** A table: its statements, the types of its rows and the tests of its keys follow from it. */
export class Table<Name extends string = string, C extends Columns = Columns> {
  readonly name: Name
  readonly columns: C
  readonly facts: TableFacts<keyof C & string>

  constructor(name: Name, columns: C, facts: TableFacts<keyof C & string>) {
    this.name = name
    this.columns = columns
    this.facts = facts
  }
}

/** A table of any columns. */
// biome-ignore lint/suspicious/noExplicitAny: the names of columns are not known
export type AnyTable = Table<string, any>

/** Declares a table (README of this folder). */
export function table<const Name extends string, C extends Columns>(
  name: Name,
  columns: C,
  facts: TableFacts<keyof C & string> = {},
): Table<Name, C> {
  return new Table(name, columns, facts)
}

/** A partial index: of the rows that have a value in its first column. */
export function partial<const Keys extends readonly [string, ...string[]]>(...keys: Keys) {
  return { on: keys, where: `${keys[0]} is not null` }
}

/** A table in queries. */
export type TableOf<T extends { columns: Columns }> = { [K in keyof T['columns']]: T['columns'][K]['type'] }
/** A row that is selected. */
export type RowOf<T extends { columns: Columns }> = Selectable<TableOf<T>>
/** A row that is inserted; what has a default or may be null can be left out. */
export type NewRowOf<T extends { columns: Columns }> = Insertable<TableOf<T>>
/** The columns of a row that are updated. */
export type ChangesOf<T extends { columns: Columns }> = Updateable<TableOf<T>>

/** For `interface Tables extends TablesOf<typeof a | typeof b> {}`. */
export type TablesOf<T extends { name: string; columns: Columns }> = { [One in T as One['name']]: TableOf<One> }
