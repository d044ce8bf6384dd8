import { sql } from 'kysely'
import {
  amongValues,
  equal,
  equalOrWord,
  type Filter,
  hasNoValue,
  onColumn,
  testColumn,
} from '../../../../../infra/database/index.ts'
import type { IssuableContext } from '../../context.ts'
import { type DueWord, dueWindow } from '../../due-dates.ts'

/** `state` */
export const state: Filter<IssuableContext, string> = (context, wanted) =>
  wanted === 'all' ? [] : equal('state')(context, wanted)

/** `issue_type`. The index leaves out plain issues, and the query has to say so. */
export const issueType: Filter<IssuableContext, string> = (context, type) =>
  type === 'issue'
    ? testColumn(context, 'issue_type', (column) => sql<boolean>`${column} = 'issue'`)
    : onColumn(context, 'issue_type', (column) => sql<boolean>`(${column} = ${type} and ${column} <> 'issue')`)

/** `confidential`. Which confidential rows the caller may see is decided elsewhere. Most rows are not confidential. */
export const confidential: Filter<IssuableContext, boolean> = (context, wanted) => {
  const predicate = wanted ? onColumn : testColumn
  return predicate(context, 'confidential', (column) => sql<boolean>`${column} = ${sql.lit(wanted)}`)
}

/** `not[weight]`: rows without weight are kept. */
export const otherWeight: Filter<IssuableContext, number> = (context, weight) =>
  [equalOrWord('weight')(context, weight)].flat().map(({ holds }) => ({
    holds: sql<boolean>`coalesce(not ${holds}, true)`,
  }))

/** More numbers than these are compared with each row, instead of being searched in each project. */
const fewIids = 5

/** `iids`; in lists of several projects they match in each. */
export const iids: Filter<IssuableContext, readonly number[]> = (context, numbers) => {
  const predicates = [amongValues('iid')(context, numbers)].flat()
  if (context.parent || numbers.length <= fewIids) return predicates
  return predicates.map(({ holds }) => ({ holds }))
}

/** `due_date` (contract 16, the table of windows). */
export const dueDate: Filter<IssuableContext, DueWord> = (context, word) => {
  if (word === '0') return hasNoValue(context, 'due_date')
  const { from, to } = dueWindow(word, context.today)
  return onColumn(context, 'due_date', (column) => {
    const ends = [
      ...(from === undefined ? [] : [sql`${column} >= ${from}`]),
      ...(to === undefined ? [] : [sql`${column} <= ${to}`]),
    ]
    return ends.length === 0 ? sql<boolean>`${column} is not null` : sql<boolean>`(${sql.join(ends, sql` and `)})`
  })
}
