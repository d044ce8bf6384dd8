import { type RawBuilder, sql } from 'kysely'
import { isAnyOf, isFound, unindexed } from '../portable.ts'
import { textHits } from '../search/text-index.ts'
import { idOf, type ListContext, not, type Predicate } from './predicate.ts'
import type { Condition } from './reading.ts'

type Predicates = Predicate | readonly Predicate[]

/** What a parameter of a list means: the predicates of its value. */
export type Filter<Context, Value> = (context: Context, value: Value) => Predicates

/** A filter that depends on other parameters. */
export type FilterAmong<Context, Value, Params> = (context: Context, value: Value, params: Params) => Predicates

/** The filters of a list, by the names of their parameters. */
export type Filters<Context, Params> = {
  readonly [Name in keyof Params]?: FilterAmong<Context, NonNullable<Params[Name]>, Params>
}

/** The predicates of the parameters that are given, in the order of the filters. An empty text is as none. */
export function predicatesOf<Context, Params extends object>(
  filters: Filters<Context, Params>,
  context: Context,
  params: Params,
): Predicate[] {
  const all = Object.entries(filters) as [keyof Params, FilterAmong<Context, unknown, Params>][]
  return all.flatMap(([name, filter]) => {
    const value = params[name]
    return value === undefined || value === null || value === '' ? [] : filter(context, value, params)
  })
}

/** A filter that leaves out the rows which another one finds. */
export const negated =
  <Context, Value>(filter: Filter<Context, Value>): Filter<Context, Value> =>
  (context, value) =>
    [filter(context, value)].flat().map(not)

/** A filter whose value may be several, of which a row has to meet all; empty texts do not count. */
export const each =
  <Context, Value>(filter: Filter<Context, Value>): Filter<Context, readonly Value[]> =>
  (context, values) =>
    values.filter((value) => value !== '').flatMap((value) => filter(context, value))

/** A column of the rows that is only compared: no engine finds rows by it. */
export function compare({ db, table }: ListContext, name: string): RawBuilder<unknown> {
  return unindexed(db, `${table}.${name}`)
}

type Test = (column: RawBuilder<unknown>) => Condition

/** A predicate on a column that only tests rows. */
export const testColumn = (context: ListContext, name: string, test: Test): Predicate => ({
  holds: sql<boolean>`(${test(compare(context, name))})`,
})

/** A predicate on a column. An index that begins with the parent and this column finds the rows of one parent. */
export function onColumn(context: ListContext, name: string, test: Test): Predicate {
  const { table, parent } = context
  const predicate = testColumn(context, name, test)
  if (!parent) return { ...predicate, holdsWithParent: sql<boolean>`(${test(sql.ref(`${table}.${name}`))})` }
  const ids = sql`select found.id from ${sql.table(table)} found
    where ${sql.ref(`found.${parent.column}`)} = ${parent.id} and ${test(sql.ref(`found.${name}`))}`
  return { ...predicate, driver: { ids, isSufficient: true, isScoped: true } }
}

/** A predicate on a column that begins an index of the table, for values that few rows have. */
export const onIndex = (context: ListContext, name: string, test: Test): Predicate => ({
  ...testColumn(context, name, test),
  driver: {
    ids: sql`select found.id from ${sql.table(context.table)} found where ${test(sql.ref(`found.${name}`))}`,
    isSufficient: true,
  },
})

/**
 * Rows whose ids other rows have: a semi-join.
 * @param others the text after `from`, with `found` as the name of their table, and a condition
 * @param column of `found`, with the id
 * @param options.isRepeated whether several of them may have the same id
 */
export function semiJoin(
  context: ListContext,
  others: RawBuilder<unknown>,
  column: string,
  { isRepeated = false } = {},
): Predicate {
  const id = sql.ref(`found.${column}`)
  return {
    holds: isFound(context.db, sql`${others} and ${id} = ${idOf(context)}`),
    driver: {
      ids: sql`select ${sql.raw(isRepeated ? 'distinct ' : '')}${id} as id from ${others}`,
      isSufficient: true,
    },
  }
}

/**
 * Rows that match a text, which an index of texts finds where it has a use.
 * @param matches the condition on the rows of the list, by the name of their table in the query
 */
export function onText(context: ListContext, text: string, matches: (table: string) => Condition): Predicate {
  const { db, table } = context
  const hits = textHits(db, table, text)
  const rows = hits
    ? sql`(select rowid as hit from ${hits}) hits cross join ${sql.table(table)} found where found.id = hits.hit and`
    : sql`${sql.table(table)} found where`
  return {
    holds: matches(table),
    driver: { ids: sql`select found.id from ${rows} ${matches('found')}`, isSufficient: true },
  }
}

type Value = string | number | RawBuilder<unknown>

/** Rows whose column has a value. */
export const equal =
  (name: string): Filter<ListContext, Value> =>
  (context, value) =>
    onColumn(context, name, (column) => sql<boolean>`${column} = ${value}`)

/** As `equal`, for a column that no index has behind the parent. */
export const equalTested =
  (name: string): Filter<ListContext, Value> =>
  (context, value) =>
    testColumn(context, name, (column) => sql<boolean>`${column} = ${value}`)

/** Rows whose column has one of some values. */
export const amongValues =
  (name: string): Filter<ListContext, readonly (string | number)[]> =>
  (context, values) =>
    values.length === 0 ? [] : onColumn(context, name, (column) => isAnyOf(context.db, column, values))

/** Rows whose column has a value from this one on. */
export const atLeast =
  (name: string): Filter<ListContext, Value> =>
  (context, value) =>
    onColumn(context, name, (column) => sql<boolean>`${column} >= ${value}`)

/** Rows whose column has a value up to this one. */
export const atMost =
  (name: string): Filter<ListContext, Value> =>
  (context, value) =>
    onColumn(context, name, (column) => sql<boolean>`${column} <= ${value}`)

/** Rows whose column, which begins an index of the table, compares with a value. */
export const comparedOnIndex =
  (name: string, operator: '=' | '<' | '<=' | '>' | '>='): Filter<ListContext, Value> =>
  (context, value) =>
    onIndex(context, name, (column) => sql<boolean>`${column} ${sql.raw(operator)} ${value}`)

/** Rows whose column has any value. */
export const hasValue = (context: ListContext, name: string): Predicate =>
  onColumn(context, name, (column) => sql<boolean>`${column} is not null`)

/** Rows whose column has no value; most have none, so they are only tested. */
export const hasNoValue = (context: ListContext, name: string): Predicate =>
  testColumn(context, name, (column) => sql<boolean>`${column} is null`)

/** Rows whose column has a value, or the words for none and any. */
export const equalOrWord =
  (name: string): Filter<ListContext, string | number> =>
  (context, wanted) => {
    if (wanted === 'none') return hasNoValue(context, name)
    return wanted === 'any' ? hasValue(context, name) : equal(name)(context, wanted)
  }
