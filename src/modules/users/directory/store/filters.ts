import { sql } from 'kysely'
import {
  anyContains,
  atLeastOnIndex,
  atMostOnIndex,
  type Condition,
  type Filter,
  type FilterAmong,
  type Filters,
  type ListContext,
  onIndex,
  type Predicate,
  semiJoin,
  testColumn,
  textHits,
} from '../../../../infra/database/index.ts'
import { withAllAttributes } from '../../../custom-attributes/index.ts'
import { identityOf } from '../../accounts/rules.ts'
import type { UserFilterParams } from '../params.ts'
import { administratorFlags, flags } from './flags.ts'

/** @property isAdministrator whether the list is for an administrator */
export type UserContext = ListContext & { isAdministrator: boolean }

/** Shorter search terms must match exactly. */
const shortestPart = 3

const isLong = (term: string) => [...term].length >= shortestPart

/** Whether a text is the user name, the name, the public e-mail address or, for administrators, another one. */
export function isExactly(term: string, withEmail: boolean, table: 'users' | 'found' = 'users'): Condition {
  const columns = ['username', 'name', 'public_email', ...(withEmail ? ['email'] : [])]
  const all = columns.map((column) => sql`lower(${sql.ref(`${table}.${column}`)}) = ${term.toLowerCase()}`)
  return sql<boolean>`(${sql.join(all, sql` or `)})`
}

function matches(term: string, withEmail: boolean, table: 'users' | 'found'): Condition {
  const exact = isExactly(term, withEmail, table)
  if (!isLong(term)) return exact
  const columns = ['username', 'name', 'public_email'].map((column) => `${table}.${column}`)
  return sql<boolean>`(${exact} or ${anyContains(columns, term)})`
}

const search: Filter<UserContext, string> = ({ db, isAdministrator }, term) => {
  const holds = matches(term, isAdministrator, 'users')
  const hits = textHits(db, 'users', term)
  if (!hits) {
    const ids = sql`select found.id from users found where ${matches(term, isAdministrator, 'found')}`
    return { holds, driver: { ids, isSufficient: true } }
  }
  const isMatch = matches(term, false, 'found')
  const byText = sql`select found.id from (select rowid as hit from ${hits}) hits cross join users found
    where found.id = hits.hit and ${isMatch}`
  const byEmail = sql`select found.id from users found
    where lower(found.email) = ${term.toLowerCase()} and ${isMatch} is not true`
  return { holds, driver: { ids: isAdministrator ? sql`${byText} union all ${byEmail}` : byText, isSufficient: true } }
}

const username: Filter<UserContext, string> = (context, name) =>
  onIndex(context, 'username', (column) => sql<boolean>`lower(${column}) = ${name.toLowerCase()}`)

const publicEmail: Filter<UserContext, string> = (context, email) =>
  onIndex(context, 'public_email', (column) => sql<boolean>`${column} = ${email}`)

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
  public_email: publicEmail,
  search,
}

/** Those of administrators; ignored for other callers. */
export const administratorFilters: Filters<UserContext, UserFilterParams> = {
  ...switched(administratorFlags),
  custom_attributes: withAllAttributes('user'),
  extern_uid: identity,
  created_after: atLeastOnIndex('created_at'),
  created_before: atMostOnIndex('created_at'),
  two_factor: twoFactor,
}
