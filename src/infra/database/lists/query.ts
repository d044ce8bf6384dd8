import type { DrivingTable, ListContext, Predicate } from './predicate.ts'
import type { Condition } from './reading.ts'

/** A table of which a row of the list has at most one row, which is looked up. */
export type LookUp = { table: string; on: Condition }

/** What a list selects. */
export type ListQuery = {
  predicates: readonly Predicate[]
  /** Tables that predicates name. */
  lookUps: readonly LookUp[]
  /** Where each of its rows has some rows of the list. */
  driving?: DrivingTable
  /** The condition of the one parent that the list has; null for lists of many. An index may begin with its column. */
  scope: Condition | null
  /** Some rows of the list: when these are many, all are. */
  sample?: () => Promise<Sample | null>
}

/** Some rows of a list, those of one parent. */
export type Sample = { context: ListContext; query: ListQuery & { lookUps: readonly []; scope: Condition } }

/** A list with one more predicate. */
export const restricted = (query: ListQuery, holds: Condition | null): ListQuery =>
  holds ? { ...query, predicates: [...query.predicates, { holds }] } : query
