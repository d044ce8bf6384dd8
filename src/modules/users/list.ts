import { type RawBuilder, sql } from 'kysely'
import {
  badRequest,
  cursorFor,
  type KeysetRequest,
  maximumTotal,
  type OffsetRequest,
  type Page,
  type PageRequest,
  parseDateTime,
} from '../../api/index.ts'
import { contains, type Reader } from '../../infra/database/index.ts'
import { sharesMembershipWith } from './store/visibility.ts'
import type { UserRow } from './tables.ts'

/** Filters that are on or off, and what each lets through (contract 20, x.users_list). */
export const flags = {
  active: sql<boolean>`(users.state = 'active' and users.bot_kind is null)`,
  blocked: sql<boolean>`users.state in ('blocked', 'ldap_blocked')`,
  external: sql<boolean>`users.external`,
  humans: sql<boolean>`users.bot_kind is null`,
  without_projects: sql<boolean>`(
    not exists (select 1 from members m where m.user_id = users.id and m.project_id is not null)
    and not exists (
      select 1 from namespaces n join projects p on p.namespace_id = n.id where n.kind = 'user' and n.owner_id = users.id))`,
  admins: sql<boolean>`users.is_admin`,
  exclude_active: sql<boolean>`users.state <> 'active'`,
  exclude_external: sql<boolean>`not users.external`,
  exclude_humans: sql<boolean>`users.bot_kind is not null`,
  exclude_internal: sql<boolean>`(users.bot_kind is null or users.bot_kind not in ('ghost', 'alert_bot'))`,
  without_project_bots: sql<boolean>`(users.bot_kind is null or users.bot_kind not in ('project_bot', 'group_bot'))`,
  skip_ldap: sql<boolean>`not exists (
    select 1 from identities i where i.user_id = users.id and i.provider like 'ldap%')`,
} as const

export type Flag = keyof typeof flags
export const sortColumns = ['id', 'name', 'username', 'created_at', 'updated_at'] as const
type SortColumn = (typeof sortColumns)[number]

/** Which users are asked for. */
export type UserFilter = {
  /** Who asks, as far as it limits what is found: administrators find everybody. */
  reader: 'administrator' | 'anybody' | { externalUserId: number }
  flags: readonly Flag[]
  username?: string
  publicEmail?: string
  search?: string
  identity?: { provider: string; externUid: string }
  createdAfter?: string
  createdBefore?: string
  twoFactor?: 'enabled' | 'disabled'
  orderBy: SortColumn
  sort: 'asc' | 'desc'
}

/** Terms shorter than this must match as a whole. */
const shortestPart = 3

function isExactly(term: string, withEmail: boolean): RawBuilder<boolean> {
  const text = term.toLowerCase()
  const email = withEmail ? sql`or lower(users.email) = ${text}` : sql``
  return sql<boolean>`(lower(users.username) = ${text} or lower(users.name) = ${text}
    or lower(users.public_email) = ${text} ${email})`
}

function matches(term: string, withEmail: boolean): RawBuilder<boolean> {
  const exact = isExactly(term, withEmail)
  if ([...term].length < shortestPart) return exact
  const parts = ['users.username', 'users.name', 'users.public_email'].map((column) => contains(column, term))
  return sql<boolean>`(${exact} or ${sql.join(parts, sql` or `)})`
}

/** Blocked accounts and those of the server itself are found by administrators only (contract 20 R9). */
function visibleTo(reader: UserFilter['reader']): RawBuilder<boolean>[] {
  if (reader === 'administrator') return []
  const common = [sql<boolean>`users.state = 'active'`, flags.exclude_internal]
  return reader === 'anybody' ? common : [...common, sharesMembershipWith(reader.externalUserId)]
}

function conditions(filter: UserFilter): RawBuilder<boolean>[] {
  const { username, publicEmail, search, identity, createdAfter, createdBefore, twoFactor } = filter
  return [
    sql<boolean>`users.removed_at is null`,
    ...visibleTo(filter.reader),
    ...filter.flags.map((flag) => flags[flag]),
    ...(username === undefined ? [] : [sql<boolean>`lower(users.username) = ${username.toLowerCase()}`]),
    ...(publicEmail === undefined ? [] : [sql<boolean>`users.public_email = ${publicEmail}`]),
    ...(search ? [matches(search, filter.reader === 'administrator')] : []),
    ...(identity
      ? [
          sql<boolean>`exists (select 1 from identities i where i.user_id = users.id
            and i.provider = ${identity.provider} and i.extern_uid = ${identity.externUid})`,
        ]
      : []),
    ...(createdAfter === undefined ? [] : [sql<boolean>`users.created_at >= ${createdAfter}`]),
    ...(createdBefore === undefined ? [] : [sql<boolean>`users.created_at <= ${createdBefore}`]),
    // Two-factor sign-in is nobody's here.
    ...(twoFactor === 'enabled' ? [sql<boolean>`1 = 0`] : []),
  ]
}

function listQuery(db: Reader, filter: UserFilter) {
  return db.selectFrom('users').where(sql<boolean>`${sql.join(conditions(filter), sql` and `)}`)
}

async function offsetPage(db: Reader, filter: UserFilter, page: OffsetRequest): Promise<Page<UserRow>> {
  const { search, orderBy, sort, reader } = filter
  const query = listQuery(db, filter)
  const ranked = search
    ? query.orderBy(sql`case when ${isExactly(search, reader === 'administrator')} then 0 else 1 end`)
    : query
  const ordered = ranked.orderBy(`users.${orderBy}`, sort)
  const rows = (orderBy === 'id' ? ordered : ordered.orderBy('users.id', sort)).selectAll()
  const counted = db
    .selectFrom(
      query
        .select('users.id')
        .limit(maximumTotal + 1)
        .as('found'),
    )
    .select((eb) => eb.fn.countAll<number>().as('count'))
  const [items, { count }] = await Promise.all([
    rows.limit(page.limit).offset(page.offset).execute(),
    counted.executeTakeFirstOrThrow(),
  ])
  const total = count > maximumTotal ? undefined : count
  return { items, total, hasNext: total === undefined && items.length === page.limit }
}

/** The values of a cursor, as far as they can be compared with the columns. */
function cursorValuesOf(after: readonly unknown[], orderBy: SortColumn): (string | number)[] {
  const id = after.at(-1)
  const value = after[0]
  const isId = typeof id === 'number' && Number.isSafeInteger(id)
  if (orderBy === 'id') {
    if (isId && after.length === 1) return [id]
  } else if (isId && after.length === 2 && typeof value === 'string' && !value.includes('\u0000')) {
    const isDate = orderBy === 'created_at' || orderBy === 'updated_at'
    if (!isDate || parseDateTime(value) !== null) return [value, id]
  }
  throw badRequest('invalid cursor')
}

async function keysetPage(db: Reader, filter: UserFilter, page: KeysetRequest): Promise<Page<UserRow>> {
  const { orderBy, sort } = filter
  const columns = orderBy === 'id' ? ['id' as const] : [orderBy, 'id' as const]
  let query = listQuery(db, filter).selectAll()
  if (page.after) {
    const values = cursorValuesOf(page.after, orderBy)
    const left = sql.join(columns.map((column) => sql.ref(`users.${column}`)))
    const beyond = sql.raw(sort === 'asc' ? '>' : '<')
    query = query.where(sql<boolean>`(${left}) ${beyond} (${sql.join(values)})`)
  }
  for (const column of columns) query = query.orderBy(`users.${column}`, sort)
  const rows = await query.limit(page.limit + 1).execute()
  const items = rows.slice(0, page.limit)
  const last = items.at(-1)
  if (rows.length <= page.limit || !last) return { items }
  return { items, next: { cursor: cursorFor(columns.map((column) => last[column])) } }
}

/** One page of the users that a filter lets through. With a search those that match it as a whole come first. */
export async function listUsers(db: Reader, filter: UserFilter, page: PageRequest): Promise<Page<UserRow>> {
  return page.kind === 'keyset' ? keysetPage(db, filter, page) : offsetPage(db, filter, page)
}
