import type { Condition, Filter, First, ListContext } from './filter.ts'

/** A table with the condition by which a row of the list has at most one row of it. */
export type Join = { table: string; on: Condition }

/** What a list selects from, besides its filters. */
export type Selection = {
  filters: readonly Filter[]
  /** Joined tables, for filters that need them. */
  joins: readonly Join[]
  first?: First
  /** The condition of the project or group of the list. Its column may be used by an index. */
  scope: Condition | null
  /** Some rows of the list: when these are many, all are. */
  sample?: () => Promise<Sample | null>
}

/** What selects some rows of a list. */
export type Sample = { context: ListContext; selection: Selection & { joins: readonly []; scope: Condition } }
