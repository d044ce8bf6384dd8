import { sql } from 'kysely'
import { isAnyOf } from '../../../../infra/database/index.ts'
import { type DueWord, dueWindow } from '../due-dates.ts'
import type { Wanted } from '../params.ts'
import { type Filter, type FilterOf, type ListContext, not, onColumn } from './filter.ts'

const isNull = (context: ListContext, name: string): Filter => ({
  matches: onColumn(context, name, (column) => sql<boolean>`${column} is null`).matches,
})
const isNotNull = (context: ListContext, name: string): Filter =>
  onColumn(context, name, (column) => sql<boolean>`${column} is not null`)

const equals = (context: ListContext, name: string, value: string | number): Filter =>
  onColumn(context, name, (column) => sql<boolean>`${column} = ${value}`)

/** A column that may have no value: a value, `none` or `any`. */
function byValue(context: ListContext, name: string, wanted: string | number | undefined): Filter[] {
  if (wanted === undefined) return []
  if (wanted === 'none') return [isNull(context, name)]
  return [wanted === 'any' ? isNotNull(context, name) : equals(context, name, wanted)]
}

/** `state` */
export const byState: FilterOf<{ state?: string }> = (context, { state = 'all' }) =>
  state === 'all' ? [] : [equals(context, 'state', state)]

/** `issue_type`. The index leaves out plain issues, and the query has to say so. */
export const byIssueType: FilterOf<{ issue_type?: string }> = (context, { issue_type: type }) => {
  if (type === undefined) return []
  if (type === 'issue')
    return [onColumn(context, 'issue_type', (column) => sql<boolean>`${column} = 'issue'`, 'checked')]
  return [onColumn(context, 'issue_type', (column) => sql<boolean>`(${column} = ${type} and ${column} <> 'issue')`)]
}

/** `confidential`. Which confidential rows the caller may see is decided elsewhere. */
export const byConfidentiality: FilterOf<{ confidential?: boolean }> = (context, { confidential }) => {
  if (confidential === undefined) return []
  const use = confidential ? 'indexed' : 'checked'
  return [onColumn(context, 'confidential', (column) => sql<boolean>`${column} = ${sql.lit(confidential)}`, use)]
}

/** `weight` */
export const byWeight: FilterOf<{ weight?: Wanted<'none' | 'any'> }> = (context, { weight }) =>
  byValue(context, 'weight', weight)

/** `not[weight]`: rows without weight are kept. */
export const byOtherWeight: FilterOf<{ weight?: number }> = (context, { weight }) =>
  byValue(context, 'weight', weight).map(({ matches }) => ({ matches: sql<boolean>`coalesce(not ${matches}, true)` }))

/** `health_status` */
export const byHealth: FilterOf<{ health_status?: string }> = (context, { health_status: health }) =>
  byValue(context, 'health_status', health)

/** More numbers than these are compared with each row, instead of being searched in each project. */
const fewIids = 5

/** `iids`; in lists of several projects they match in each. */
export const byIids: FilterOf<{ iids?: readonly number[] }> = (context, { iids = [] }) => {
  const use = context.projectId === undefined && iids.length > fewIids ? 'checked' : 'indexed'
  return iids.length === 0
    ? []
    : [onColumn(context, 'iid', (column) => isAnyOf(context.db, column as never, iids), use)]
}

/** `not[iids]` */
export const byOtherIids: FilterOf<{ iids?: readonly number[] }> = (context, params) => byIids(context, params).map(not)

type Times = { created_after?: string; created_before?: string; updated_after?: string; updated_before?: string }

/** `created_after`, `created_before`, `updated_after`, `updated_before`; both ends are included. */
export const byTimes: FilterOf<Times> = (context, params) => {
  const after = (name: string, at?: string) =>
    at === undefined ? [] : [onColumn(context, name, (column) => sql<boolean>`${column} >= ${at}`)]
  const before = (name: string, at?: string) =>
    at === undefined ? [] : [onColumn(context, name, (column) => sql<boolean>`${column} <= ${at}`)]
  return [
    ...after('created_at', params.created_after),
    ...before('created_at', params.created_before),
    ...after('updated_at', params.updated_after),
    ...before('updated_at', params.updated_before),
  ]
}

/** `due_date` (contract 16, the table of windows). */
export const byDueDate: FilterOf<{ due_date?: DueWord }> = (context, { due_date: word }) => {
  if (word === undefined) return []
  if (word === '0') return [isNull(context, 'due_date')]
  const { from, to } = dueWindow(word, context.today)
  return [
    onColumn(context, 'due_date', (column) => {
      const ends = [
        ...(from === undefined ? [] : [sql`${column} >= ${from}`]),
        ...(to === undefined ? [] : [sql`${column} <= ${to}`]),
      ]
      return ends.length === 0 ? sql<boolean>`${column} is not null` : sql<boolean>`(${sql.join(ends, sql` and `)})`
    }),
  ]
}
