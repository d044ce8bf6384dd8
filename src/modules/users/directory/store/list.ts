import { type RawBuilder, sql } from 'kysely'
import { type OffsetRequest, type Page, pageOfRows } from '../../../../api/index.ts'
import {
  anyContains,
  findsText,
  type Reader,
  sortedBy,
  type TestUse,
  unindexed,
} from '../../../../infra/database/index.ts'
import { haveAttributes } from '../../../custom-attributes/index.ts'
import { isPresent } from '../../store.ts'
import type { UserRow, UserState } from '../../tables.ts'
import { sharesMembershipWith } from './visibility.ts'
import { findsWithoutProjects, isWithoutProjects } from './without-projects.ts'

/** All states but `active`: SQLite finds the users of these by an index, but would compare all users with `active`. */
const inactiveStates = Object.keys({
  blocked: true,
  deactivated: true,
  banned: true,
  ldap_blocked: true,
  blocked_pending_approval: true,
} satisfies Record<Exclude<UserState, 'active'>, true>)

/** Filters that are on or off, with their conditions (contract 20, x.users_list). */
export const flags = {
  active: sql<boolean>`(users.state = 'active' and users.bot_kind is null)`,
  blocked: sql<boolean>`users.state in ('blocked', 'ldap_blocked')`,
  external: sql<boolean>`users.external`,
  humans: sql<boolean>`users.bot_kind is null`,
  without_projects: isWithoutProjects('users.id'),
  admins: sql<boolean>`users.is_admin`,
  exclude_active: sql<boolean>`users.state in (${sql.join(inactiveStates.map((state) => sql.lit(state)))})`,
  exclude_external: sql<boolean>`not users.external`,
  exclude_humans: sql<boolean>`users.bot_kind is not null`,
  exclude_internal: sql<boolean>`(users.bot_kind is null or users.bot_kind not in ('ghost', 'alert_bot', 'automation_bot'))`,
  without_project_bots: sql<boolean>`(users.bot_kind is null or users.bot_kind not in ('project_bot', 'group_bot'))`,
  skip_ldap: sql<boolean>`not exists (
    select 1 from identities i where i.user_id = users.id and i.provider like 'ldap%')`,
} as const

export type Flag = keyof typeof flags
export const sortColumns = ['id', 'name', 'username', 'created_at', 'updated_at'] as const
export type SortColumn = (typeof sortColumns)[number]

/** The users that a list contains. */
export type UserFilter = {
  /** Whom the list is for, which decides who is visible: administrators see all users. */
  reader: 'administrator' | 'anyone' | { externalUserId: number; today: string }
  flags: readonly Flag[]
  username?: string
  public_email?: string
  search?: string
  /** Values of custom attributes by key. */
  attributes?: Readonly<Record<string, string>>
  identity?: { provider: string; externUid: string }
  created_after?: string
  created_before?: string
  two_factor?: 'enabled' | 'disabled'
  orderBy: SortColumn
  sort: 'asc' | 'desc'
}

/** Shorter search terms must match exactly. */
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
  return sql<boolean>`(${exact} or ${anyContains(['users.username', 'users.name', 'users.public_email'], term)})`
}

/** Blocked and internal accounts are visible to administrators only (contract 20 R9). */
function visibleTo(reader: UserFilter['reader']): RawBuilder<boolean>[] {
  if (reader === 'administrator') return []
  const common = [sql<boolean>`users.state = 'active'`, flags.exclude_internal]
  return reader === 'anyone' ? common : [...common, sharesMembershipWith(reader.externalUserId, reader.today)]
}

function conditions(db: Reader, filter: UserFilter, use: TestUse): RawBuilder<boolean>[] {
  const createdAt =
    use === 'tests' && filter.orderBy === 'id' ? unindexed(db, 'users.created_at') : sql`users.created_at`
  const { username, public_email: publicEmail, search, identity, created_after: after, created_before: before } = filter
  const wanted = [
    isPresent('users.id'),
    ...visibleTo(filter.reader),
    ...filter.flags.map((flag) => flags[flag]),
    ...haveAttributes(db, 'user', filter.attributes ?? {}),
    username ? sql<boolean>`lower(users.username) = ${username.toLowerCase()}` : null,
    publicEmail ? sql<boolean>`users.public_email = ${publicEmail}` : null,
    search ? matches(search, filter.reader === 'administrator') : null,
    identity
      ? sql<boolean>`users.id in (select i.user_id from identities i
          where i.provider = ${identity.provider} and i.extern_uid = ${identity.externUid})`
      : null,
    after ? sql<boolean>`${createdAt} >= ${after}` : null,
    before ? sql<boolean>`${createdAt} <= ${before}` : null,
    filter.two_factor === 'enabled' ? sql<boolean>`users.two_factor_enabled` : null,
    filter.two_factor === 'disabled' ? sql<boolean>`not users.two_factor_enabled` : null,
  ]
  return wanted.filter((condition) => condition !== null)
}

/** The users that match a search, when an index finds them. */
async function findsSearched(db: Reader, { search, reader }: UserFilter): Promise<RawBuilder<boolean>[]> {
  if (!search) return []
  const byEmail = sql`select id from users where lower(email) = ${search.toLowerCase()}`
  const found = await findsText(db, 'users', search, reader === 'administrator' ? byEmail : undefined)
  return found ? [found] : []
}

async function listQuery(db: Reader, filter: UserFilter) {
  const without = filter.flags.includes('without_projects') ? await findsWithoutProjects(db) : null
  const found = [...(await findsSearched(db, filter)), ...(without ? [without] : [])]
  return (use: TestUse) => {
    const all = [...found, ...conditions(db, filter, use)]
    return db.selectFrom('users').where(sql<boolean>`${sql.join(all, sql` and `)}`)
  }
}

/** A page of the users that match a filter. Exact matches of a search come first. */
export async function pageByOffset(db: Reader, filter: UserFilter, page: OffsetRequest): Promise<Page<UserRow>> {
  const { search, orderBy, sort, reader, created_after: after, created_before: before } = filter
  const listed = await listQuery(db, filter)
  const ordered = (use: TestUse) => {
    const query = listed(use).selectAll()
    const ranked = search
      ? query.orderBy(sql`case when ${isExactly(search, reader === 'administrator')} then 0 else 1 end`)
      : query
    const isTimed = after !== undefined || before !== undefined
    // Else all users would be read by their ids, and their times tested.
    if (orderBy === 'id' && isTimed && use === 'counts') return ranked.orderBy(sortedBy(db, 'users.id'), sort)
    const byColumn = ranked.orderBy(`users.${orderBy}`, sort)
    return orderBy === 'id' ? byColumn : byColumn.orderBy('users.id', sort)
  }
  return pageOfRows(db, ordered('tests'), page, ordered('counts'), 'users.id')
}

/** The columns that order a keyset walk. */
export function walkColumns(orderBy: SortColumn) {
  return orderBy === 'id' ? ['id' as const] : [orderBy, 'id' as const]
}

/**
 * The next users of a keyset walk.
 * @param after the values of `walkColumns` in the previous row
 */
export async function usersBehind(
  db: Reader,
  filter: UserFilter,
  after: readonly (string | number)[] | null,
  limit: number,
): Promise<UserRow[]> {
  const { orderBy, sort } = filter
  const columns = walkColumns(orderBy)
  let query = (await listQuery(db, filter))('tests').selectAll()
  if (after) {
    const left = sql.join(columns.map((column) => sql.ref(`users.${column}`)))
    const beyond = sql.raw(sort === 'asc' ? '>' : '<')
    query = query.where(sql<boolean>`(${left}) ${beyond} (${sql.join(after)})`)
  }
  for (const column of columns) query = query.orderBy(`users.${column}`, sort)
  return query.limit(limit).execute()
}
