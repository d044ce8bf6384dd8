import { type RawBuilder, sql } from 'kysely'
import type { Actor } from '../../../../api/index.ts'
import { isFound, type Reader, unindexed } from '../../../../infra/database/index.ts'
import type { callerOf } from '../../../projects/index.ts'
import type { IssuableType } from '../../issuable.ts'

/** A condition on the rows of a list. */
export type Condition = RawBuilder<boolean>

/** A table with issuables, and their type in the tables that refer to them. */
export type Target = { table: 'issues' | 'merge_requests' | 'epics'; type: IssuableType }

/** What conditions depend on besides the parameters. */
export type ListContext = {
  db: Reader
  target: Target
  actor: Actor
  /** The caller with their roles. */
  caller: Awaited<ReturnType<typeof callerOf>>
  /** The current day in UTC. */
  today: string
  /** Set when the list is that of one project. */
  projectId?: number
  /** Whether the list is that of a group whose projects are a small part of the instance (`isSmallGroup`). */
  isSmallGroup?: boolean
}

/** Tables that are read before the rows of the list, with the condition by which these follow from them. */
export type First = { table: RawBuilder<unknown>; on: Condition }

/** One condition of a list. */
export type Filter = {
  /** Whether a row of the target's table meets it; checked row by row. */
  matches: Condition
  /** The same for many rows, when they are counted. */
  counts?: Condition
  /** The same where rows are found by their project: an index that begins with it may serve. */
  within?: Condition
  /** Ids among which are all rows that meet it, found by an index; used when they are few. */
  ids?: RawBuilder<unknown>
  /** Whether every row of `ids` meets it, and each is there once. */
  isSound?: boolean
  /** Whether `ids` are also none but rows of the list. */
  isExact?: boolean
  /** Projects that have all rows that meet it, and no others. They find the rows when no other filter finds few. */
  places?: First
  /**
   * Selects of the projects whose rows `ids` are, by whose number it is decided whether they find the rows: asked only when no other
   * filter finds few rows.
   */
  projects?: readonly RawBuilder<unknown>[]
  /** The same projects, each once, as what is read before the rows where many are counted. Not each of these rows meets the filter. */
  candidates?: First
}

/** Turns the parameters that it names into conditions; none when they are not given. */
export type FilterOf<Params> = (context: ListContext, params: Params) => readonly Filter[]

/** A column of the target, for conditions that are checked row by row. */
export function checked({ db, target }: ListContext, name: string): RawBuilder<unknown> {
  return unindexed(db, `${target.table}.${name}`)
}

/** The id of the row in the query of the list. */
export const rowId = ({ target }: ListContext) => sql.ref(`${target.table}.id`)

export const not = ({ matches }: Filter): Filter => ({ matches: sql<boolean>`not ${matches}` })

/** All of several filters as one, for negation. */
export function every(filters: readonly Filter[]): Filter {
  const conditions = filters.map(({ matches }) => matches)
  return { matches: sql<boolean>`(${sql.join([sql`1 = 1`, ...conditions], sql` and `)})` }
}

/** No row meets it. */
export const nothing: Filter = { matches: sql<boolean>`1 = 0` }

/**
 * A condition on a column of the target.
 * @param condition of the column, which it gets as an expression
 * @param use `indexed` when an index begins with `project_id` and this column: it finds the rows of one project
 */
export function onColumn(
  context: ListContext,
  name: string,
  condition: (column: RawBuilder<unknown>) => Condition,
  use: 'indexed' | 'checked' = 'indexed',
): Filter {
  const { target, projectId } = context
  const matches = sql<boolean>`(${condition(checked(context, name))})`
  if (use === 'checked') return { matches }
  const within = sql<boolean>`(${condition(sql.ref(`${target.table}.${name}`))})`
  if (projectId === undefined) return { matches, within }
  const found = sql`select found.id from ${sql.table(target.table)} found
    where found.project_id = ${projectId} and ${condition(sql.ref(`found.${name}`))}`
  return { matches, ids: found, isSound: true, isExact: true }
}

/** Whether there is a row, looked up for each row of the list. @param rows the text after `from` */
export const exists = ({ db }: ListContext, rows: RawBuilder<unknown>): Condition => isFound(db, rows)

/**
 * Whether rows of a table that refers to issuables belong to the row of the list.
 * @param table has the columns `issuable_type` and `issuable_id`
 * @param condition of the rows, which are `linked`
 * @param isUnique whether at most one of an issuable meets it
 */
export function linkedBy(
  context: ListContext,
  table: string,
  condition: Condition = sql<boolean>`1 = 1`,
  isUnique = false,
): Filter {
  const { db, target, projectId } = context
  const type = sql.lit(target.type)
  const linked = sql`${sql.table(table)} linked where`
  const inProject = projectId === undefined ? sql`` : sql`and linked.project_id = ${projectId}`
  return {
    matches: exists(
      context,
      sql`${linked} linked.issuable_type = ${type} and linked.issuable_id = ${rowId(context)} and ${condition}`,
    ),
    // Most issuables have one of the types, so what the condition names is looked up.
    ids: sql`select ${sql.raw(isUnique ? '' : 'distinct')} linked.issuable_id as id from ${linked} ${unindexed(db, 'linked.issuable_type')} = ${type}
      ${inProject} and ${condition}`,
    isSound: true,
    isExact: projectId !== undefined,
  }
}
