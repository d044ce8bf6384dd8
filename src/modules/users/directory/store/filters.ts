import { sql } from 'kysely'
import {
  anyContains,
  type Condition,
  comparedOnIndex,
  type Filter,
  type FilterAmong,
  type Filters,
  type ListContext,
  oneOf,
  onIndex,
  onText,
  type Predicate,
  semiJoin,
  testColumn,
} from '../../../../infra/database/index.ts'
import { withAllAttributes } from '../../../custom-attributes/index.ts'
import { identityOf } from '../../accounts/rules.ts'
import type { UserFilterParams } from '../params.ts'
import { administratorFlags, flags } from './flags.ts'

/** @property isAdministrator whether the list is for an administrator */
export type UserContext = ListContext & { isAdministrator: boolean }

/** Shorter search terms must match exactly. */
const shortestPart = 3

/** Whether a text is the user name, the name, the public e-mail address or, for administrators, another one. */
export function isExactly(term: string, withEmail: boolean, table = 'users'): Condition {
  const columns = ['username', 'name', 'public_email', ...(withEmail ? ['email'] : [])]
  const all = columns.map((column) => sql`lower(${sql.ref(`${table}.${column}`)}) = ${term.toLowerCase()}`)
  return sql<boolean>`(${sql.join(all, sql` or `)})`
}

/** Whether a term is a part of the names or the public e-mail address; a short one has to be all of it. */
function matches(term: string, table: string): Condition {
  if ([...term].length < shortestPart) return isExactly(term, false, table)
  const columns = ['username', 'name', 'public_email'].map((column) => `${table}.${column}`)
  return sql<boolean>`${anyContains(columns, term)}`
}

const search: Filter<UserContext, string> = (context, term) => {
  const byText = onText(context, term, (table) => matches(term, table))
  if (!context.isAdministrator) return byText
  const hasEmail = (table: string) =>
    sql<boolean>`lower(${sql.ref(`${table}.email`)}) = ${term.toLowerCase()} and (${matches(term, table)}) is not true`
  const ids = sql`select found.id from users found where ${hasEmail('found')}`
  return oneOf([byText, { holds: hasEmail('users'), driver: { ids, isSufficient: true } }])
}

const username: Filter<UserContext, string> = (context, name) =>
  onIndex(context, 'username', (column) => sql<boolean>`lower(${column}) = ${name.toLowerCase()}`)

const identity: FilterAmong<UserContext, string, UserFilterParams> = (context, _, params) => {
  const wanted = identityOf(params)
  if (!wanted) return []
  const { provider, externUid } = wanted
  const rows = sql`identities found where found.provider = ${provider} and found.extern_uid = ${externUid}`
  return semiJoin(context, rows, 'user_id')
}

const twoFactor: Filter<UserContext, 'enabled' | 'disabled'> = (context, wanted) =>
  wanted === 'enabled'
    ? onIndex(context, 'two_factor_enabled', (column) => sql<boolean>`${column}`)
    : testColumn(context, 'two_factor_enabled', (column) => sql<boolean>`not ${column}`)

type Flags = Readonly<Record<string, (context: ListContext) => Predicate>>

/** Flags as filters: those that are true. */
const switched = <Names extends Flags>(all: Names) =>
  Object.fromEntries(
    Object.entries(all).map(([name, flag]) => [name, (context: UserContext, on: boolean) => (on ? flag(context) : [])]),
  ) as { [Name in keyof Names]: Filter<UserContext, boolean> }

/** The filters of users by their parameters, in the order in which rows are tested (contract 20, x.users_list). */
export const userFilters: Filters<UserContext, UserFilterParams> = {
  ...switched(flags),
  username,
  public_email: comparedOnIndex('public_email', '='),
  search,
}

/** Those of administrators; ignored for other callers. */
export const administratorFilters: Filters<UserContext, UserFilterParams> = {
  ...switched(administratorFlags),
  custom_attributes: withAllAttributes('user'),
  extern_uid: identity,
  created_after: comparedOnIndex('created_at', '>='),
  created_before: comparedOnIndex('created_at', '<='),
  two_factor: twoFactor,
}
