import { sql } from 'kysely'
import {
  contains,
  equal,
  type Filters,
  type ListContext,
  onColumn,
  onText,
  type Predicate,
  predicatesOf,
  shortestTrigram,
  testColumn,
} from '../../../../infra/database/index.ts'
import { listedStatuses } from '../../core/words.ts'
import type { PackageFilter } from '../params.ts'

/** Packages whose name contains a word, in any case. */
function named(context: ListContext, word: string): Predicate {
  const matches = (table: string) => contains(`${table}.name`, word)
  return [...word].length < shortestTrigram ? { holds: matches(context.table) } : onText(context, word, matches)
}

const words = (text: string) => text.split(/\s+/).filter((word) => word !== '')

const filters: Filters<ListContext, Pick<PackageFilter, 'package_type' | 'package_name' | 'package_version'>> = {
  package_version: equal('version'),
  package_name: (context, text) => words(text).map((word) => named(context, word)),
  package_type: equal('package_type'),
}

/** The states of a list: one, or those that lists show. */
function inStatus(context: ListContext, status: PackageFilter['status']): Predicate {
  if (status !== undefined) return onColumn(context, 'status', (column) => sql<boolean>`${column} = ${status}`)
  const listed = sql.join(listedStatuses.map((one) => sql.lit(one)))
  return testColumn(context, 'status', (column) => sql<boolean>`${column} in (${listed})`)
}

/** What the parameters of a list mean. */
export function packagePredicates(context: ListContext, params: PackageFilter): Predicate[] {
  const { status, include_versionless: withVersionless = false, package_version: version } = params
  const isAny = withVersionless || version !== undefined
  return [
    ...predicatesOf(filters, context, params),
    inStatus(context, status),
    ...(isAny ? [] : [testColumn(context, 'version', (column) => sql<boolean>`${column} <> ''`)]),
  ]
}
