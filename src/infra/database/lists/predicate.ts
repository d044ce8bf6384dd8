import { type RawBuilder, sql } from 'kysely'
import type { Reader } from '../database.ts'
import type { Condition } from './reading.ts'

/**
 * How a predicate is used, of which the best form of a condition depends:
 * - `drives`: it finds the rows, so an index may serve it;
 * - `counts`: many rows are tested by it, so what it compares them with is computed once;
 * - `tests`: few rows are tested by it, or rows in the order of a list until a page is full, so what it needs is looked up for each.
 */
export type PredicateUse = 'drives' | 'counts' | 'tests'

/** The uses of a predicate that finds no rows. */
export type TestUse = Exclude<PredicateUse, 'drives'>

/** What a list is about: rows of a table, which are tested and found by predicates. */
export type ListContext = {
  db: Reader
  table: string
  /** The one parent of all rows, such as a project, by the column that names it. */
  parent?: { column: string; id: number }
  /** Whether the parents of the rows, such as the projects of a group, are few: they find the rows where no predicate does. */
  hasFewParents?: boolean
}

/** A table that is read before the rows of a list: the text after `from`, and the condition by which the rows follow from it. */
export type DrivingTable = { table: RawBuilder<unknown>; on: Condition }

/** Rows among which are all that meet a predicate, found by an index. */
export type Driver = {
  /** Selects their ids. */
  ids: RawBuilder<unknown>
  /** Whether every one of them meets it, and each is there once: then it is not tested again. */
  isSufficient?: boolean
  /** Whether all of them are rows of the list. */
  isScoped?: boolean
}

/** Parents, such as projects, whose rows are all that meet a predicate. */
export type Parents = DrivingTable & {
  /** The name of the table. */
  named?: string
  /** Selects of them, by whose number it is decided whether they find the rows. Without these they are known to be few. */
  counted?: readonly RawBuilder<unknown>[]
}

/** One condition of a list, in the forms that the planner may use. */
export type Predicate = {
  /** Tests one row after another. */
  holds: Condition
  /** The same, where many rows are tested. */
  holdsForMany?: Condition
  /** The same, where rows are found by their parent: an index that begins with the parent may serve. */
  holdsWithParent?: Condition
  /** Finds rows; used when these are few. */
  driver?: Driver
  parents?: Parents
}

/** The id of the row of the list in a query. */
export const idOf = ({ table }: Pick<ListContext, 'table'>): RawBuilder<unknown> => sql.ref(`${table}.id`)

/** No row meets it. */
export const never: Predicate = {
  holds: sql<boolean>`1 = 0`,
  driver: { ids: sql`select 0 as id where 1 = 0`, isSufficient: true, isScoped: true },
}

/** Is met by the rows that meet one of some predicates; no row meets two of them. */
export function oneOf(predicates: readonly Predicate[]): Predicate {
  if (predicates.length === 0) return never
  const either = (conditions: readonly Condition[]) => sql<boolean>`(${sql.join(conditions, sql` or `)})`
  const drivers = predicates.flatMap(({ driver }) => (driver ? [driver] : []))
  const ids = sql.join(
    drivers.map((driver) => driver.ids),
    sql` union all `,
  )
  return {
    holds: either(predicates.map(({ holds }) => holds)),
    holdsForMany: either(predicates.map(({ holds, holdsForMany = holds }) => holdsForMany)),
    ...(drivers.length === predicates.length && {
      driver: { ids, isSufficient: drivers.every(({ isSufficient }) => isSufficient === true) },
    }),
  }
}

/** Is met by the rows that do not meet another. It finds no rows. */
export const not = ({ holds }: Predicate): Predicate => ({ holds: sql<boolean>`not ${holds}` })
