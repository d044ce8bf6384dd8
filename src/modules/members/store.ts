import { type RawBuilder, sql } from 'kysely'
import { maximumTotal, type OffsetRequest, type Page, type PageRequest, pageOfRows } from '../../api/index.ts'
import {
  findsText,
  isFound,
  lockClause,
  type Reader,
  shortestTrigram,
  sortedBy,
  type Tx,
  within,
} from '../../infra/database/index.ts'
import {
  effectiveMembers,
  effectiveMemberships,
  gives,
  live,
  type MemberSource,
  type Membership,
  memberColumnOf,
  membershipColumns,
} from '../access/index.ts'
import { isNamed, isPresent } from '../users/index.ts'

type MemberFilter = {
  /** Part of the name or the user name. */
  query?: string
  userIds?: readonly number[]
  skipUserIds?: readonly number[]
  /** Only users with a SAML identity of the group. */
  withSamlIdentity?: boolean
}

/** The direct memberships of a group or project. @param userIds only of these users */
export function directMemberships(
  db: Reader,
  source: MemberSource,
  { today, userIds }: { today: string; userIds?: readonly number[] },
): RawBuilder<Membership> {
  const only = userIds === undefined ? sql`` : sql`and ${within(db, 'm.user_id', userIds)}`
  return sql<Membership>`
    select ${membershipColumns} from members m
    where ${sql.ref(`m.${memberColumnOf(source)}`)} = ${source.id} and ${live('m', today)} ${only}`
}

/** The provider of SAML identities of groups. */
const groupSamlProvider = 'group_saml'

/** The SAML identities of these users. */
export async function samlIdentitiesOf(
  db: Reader,
  userIds: readonly number[],
): Promise<Map<number, { user_id: number; provider: string; extern_uid: string }>> {
  if (userIds.length === 0) return new Map()
  const rows = await db
    .selectFrom('identities')
    .select(['user_id', 'provider', 'extern_uid'])
    .where('provider', '=', groupSamlProvider)
    .where(within(db, 'identities.user_id', userIds))
    .execute()
  return new Map(rows.map((row) => [row.user_id, row]))
}

/** Of more users, those among the members are compared. */
const fewNamed = 1000

/** The ids of the users with a text in their names; undefined when no index finds them, or they are many. */
export async function usersNamed(db: Reader, text: string): Promise<number[] | undefined> {
  const found = await findsText(db, 'users', text)
  if ([...text].length < shortestTrigram || (db.engine === 'sqlite' && !found)) return undefined
  const isChosen = sql<boolean>`${found ?? sql`1 = 1`} and ${isNamed(text)}`
  const rows = await db
    .selectFrom('users')
    .select('id')
    .where(isChosen)
    .limit(fewNamed + 1)
    .execute()
  return rows.length > fewNamed ? undefined : rows.map(({ id }) => id)
}

function filtered(db: Reader, memberships: RawBuilder<Membership>, filter: MemberFilter) {
  const { query, userIds, skipUserIds, withSamlIdentity } = filter
  let rows = db.selectFrom(sql<Membership>`(${memberships})`.as('membership')).where(isPresent('membership.user_id'))
  if (query) {
    rows = rows.where(isFound(db, sql`users where users.id = membership.user_id and ${isNamed(query)}`))
  }
  if (userIds) rows = rows.where(within(db, 'membership.user_id', userIds))
  if (skipUserIds) rows = rows.where((eb) => eb.not(within(db, 'membership.user_id', skipUserIds)))
  if (withSamlIdentity) {
    rows = rows.where('membership.user_id', 'in', (eb) =>
      eb.selectFrom('identities').select('user_id').where('provider', '=', groupSamlProvider),
    )
  }
  return rows
}

/** A page of memberships, by user id. */
export async function pageOfMemberships(
  db: Reader,
  memberships: RawBuilder<Membership>,
  filter: MemberFilter,
  page: PageRequest,
): Promise<Page<Membership>> {
  const query = filtered(db, memberships, filter).selectAll('membership').orderBy('membership.user_id')
  return pageOfRows(db, query, page)
}

type AllMembers = { today: string; invitedVisibilities?: readonly string[] }

/** The id up to which the direct members of the resource or of its group fill so many rows; undefined when they do not. */
async function userIdAt(db: Reader, source: MemberSource, today: string, rows: number): Promise<number | undefined> {
  const at = (column: 'namespace_id' | 'project_id', id: number) => sql`select (
    select m.user_id from members m where ${sql.ref(`m.${column}`)} = ${id} and ${gives('m', today)}
      and ${isPresent('m.user_id')} order by m.user_id limit 1 offset ${rows - 1}) as id`
  const own = at('namespace_id', source.namespaceId)
  const all = source.kind === 'project' ? sql`${own} union all ${at('project_id', source.id)}` : own
  const query = sql<{ id: number | null }>`select min(id) as id from (${all}) ends`
  return (await query.execute(db as never)).rows[0]?.id ?? undefined
}

/**
 * A page of all users with a role in a group or project, by user id. Memberships are compared only as far as the page needs
 * them, so the first pages of a large group take as long as those of a small one.
 */
export async function pageOfEffectiveMemberships(
  db: Reader,
  source: MemberSource,
  options: AllMembers,
  { limit, offset }: OffsetRequest,
): Promise<Page<Membership>> {
  const counted = sql<{ count: number }>`select count(*) as count from (
    select 1 from (${effectiveMembers(db, source, options)}) found where ${isPresent('found.user_id')}
    limit ${maximumTotal + 1}) counted`
  const count = Number((await counted.execute(db as never)).rows[0]?.count ?? 0)
  const upTo = await userIdAt(db, source, options.today, offset + limit + 1)
  const bounded = upTo === undefined ? options : { ...options, upTo }
  const query = filtered(db, effectiveMemberships(db, source, bounded), {}).selectAll('membership')
  const rows = await query
    .orderBy('membership.user_id')
    .limit(limit + 1)
    .offset(offset)
    .execute()
  const total = count > maximumTotal ? undefined : count
  return { items: rows.slice(0, limit), total, hasNext: rows.length > limit }
}

/** All rows of a query for memberships, by user id. */
export async function membershipsOf(db: Reader, memberships: RawBuilder<Membership>): Promise<Membership[]> {
  return filtered(db, memberships, {}).selectAll('membership').orderBy('membership.user_id').execute()
}

/** All direct memberships in a group or project that have not ended, by id. */
export async function directMembersOf(db: Reader, source: MemberSource, today: string) {
  const query = db.selectFrom('members').selectAll().where(memberColumnOf(source), '=', source.id)
  return query.where(live('members', today)).orderBy('id').execute()
}

/** The direct membership of a user. */
export async function memberOf(db: Reader, source: MemberSource, userId: number, today: string) {
  const query = db.selectFrom('members').selectAll().where(memberColumnOf(source), '=', source.id)
  return (await query.where('user_id', '=', userId).where(live('members', today)).executeTakeFirst()) ?? null
}

/** Which of these users have a direct membership, expired or not. */
export async function directMemberIds(db: Reader, source: MemberSource, userIds: readonly number[]) {
  const query = db.selectFrom('members').select('user_id').where(memberColumnOf(source), '=', source.id)
  const rows = await query.where(within(db, 'members.user_id', userIds)).execute()
  return new Set(rows.map(({ user_id }) => user_id))
}

export type InheritedMembership = { user_id: number; access_level: number; full_path: string }

/** The highest membership that each of these users inherits from a group above, if any. */
export async function inheritedMemberships(
  db: Reader,
  source: MemberSource,
  userIds: readonly number[],
  today: string,
): Promise<Map<number, InheritedMembership>> {
  const rows = await db
    .selectFrom('members')
    .innerJoin('namespace_ancestors', 'namespace_ancestors.ancestor_id', 'members.namespace_id')
    .innerJoin('namespaces', 'namespaces.id', 'members.namespace_id')
    .select(['members.user_id', 'members.access_level', 'namespaces.full_path'])
    .where('namespace_ancestors.namespace_id', '=', source.namespaceId)
    .where('namespace_ancestors.depth', '>=', source.kind === 'group' ? 1 : 0)
    .where(within(db, 'members.user_id', userIds))
    .where(live('members', today))
    .orderBy('members.access_level')
    .orderBy('namespace_ancestors.depth', 'desc')
    .execute()
  // Of a user the last row counts: the highest level, and of equal levels the nearest.
  return new Map(rows.map((row) => [row.user_id, row]))
}

/** The owner of a personal namespace; null for a group. */
export async function ownerOfNamespace(db: Reader, namespaceId: number): Promise<number | null> {
  const query = db.selectFrom('namespaces').select('owner_id').where('id', '=', namespaceId)
  return (await query.where('kind', '=', 'user').executeTakeFirst())?.owner_id ?? null
}

/** Locks the members of a group or project until the transaction ends. */
export async function lockSource(tx: Tx, { kind, id }: MemberSource): Promise<void> {
  const table = sql.table(kind === 'project' ? 'projects' : 'namespaces')
  await sql`select id from ${table} where id = ${id} ${lockClause(tx, 'no key update')}`.execute(tx)
}

/** The ids of the direct membership of a user, and with `below` of those in everything below a group. */
export async function membershipIdsFrom(
  db: Reader,
  source: MemberSource,
  userId: number,
  { below }: { below: boolean },
): Promise<number[]> {
  const own = db.selectFrom('members').select('id').where('user_id', '=', userId)
  const subtree = db.selectFrom('namespace_ancestors').select('namespace_id').where('ancestor_id', '=', source.id)
  const chosen =
    source.kind === 'project' || !below
      ? own.where(memberColumnOf(source), '=', source.id)
      : own.where((eb) =>
          eb.or([
            eb('namespace_id', 'in', subtree),
            eb('project_id', 'in', eb.selectFrom('projects').select('id').where('namespace_id', 'in', subtree)),
          ]),
        )
  return (await chosen.execute()).map(({ id }) => id)
}

/** A group or project that a user is a direct member of. */
export type MembershipOfUser = {
  source_id: number
  source_name: string
  source_type: 'Project' | 'Namespace'
  access_level: number
  created_at: string
  expires_at: string | null
}

/** A page of the direct memberships of a user, by id (contract 20, x.users_memberships). */
export async function pageOfMembershipsOf(
  db: Reader,
  userId: number,
  { type, today }: { type?: MembershipOfUser['source_type']; today: string },
  page: PageRequest,
): Promise<Page<MembershipOfUser>> {
  let query = db
    .selectFrom('members')
    .leftJoin('projects', 'projects.id', 'members.project_id')
    .leftJoin('namespaces', 'namespaces.id', 'members.namespace_id')
    .where('members.user_id', '=', userId)
    .where(live('members', today))
    .where(sql<boolean>`coalesce(projects.pending_delete, namespaces.pending_delete) = ${false}`)
  if (type !== undefined)
    query = query.where(type === 'Project' ? 'members.project_id' : 'members.namespace_id', 'is not', null)
  const columns = query.select([
    sql<number>`coalesce(members.project_id, members.namespace_id)`.as('source_id'),
    sql<string>`coalesce(projects.name, namespaces.name)`.as('source_name'),
    sql<'Project' | 'Namespace'>`case when members.project_id is null then 'Namespace' else 'Project' end`.as(
      'source_type',
    ),
    'members.access_level',
    'members.created_at',
    'members.expires_at',
  ])
  return pageOfRows(db, columns.orderBy(sortedBy(db, 'members.id')), page)
}
