import { type Insertable, type RawBuilder, sql, type Updateable } from 'kysely'
import { type Page, type PageRequest, pageOfRows } from '../../../api/index.ts'
import { contains, type Reader, type Tx, within } from '../../../infra/database/index.ts'
import {
  live,
  type MemberRow,
  type MemberSource,
  type Membership,
  type MembersTable,
  membershipColumns,
  role,
} from '../../access/index.ts'

export type MemberFilter = {
  /** Part of the name or the user name. */
  query?: string
  userIds?: readonly number[]
  skipUserIds?: readonly number[]
  /** Only users with a SAML identity of the group. */
  withSamlIdentity?: boolean
}

/** The column by which a membership belongs to its place. */
function columnOf(place: MemberSource): 'project_id' | 'namespace_id' {
  return place.kind === 'project' ? 'project_id' : 'namespace_id'
}

/**
 * The memberships of the place itself.
 * @param userId only of this user
 */
export function directMemberships(place: MemberSource, today: string, userId?: number): RawBuilder<Membership> {
  const only = userId === undefined ? sql`` : sql`and m.user_id = ${userId}`
  return sql<Membership>`
    select ${membershipColumns} from members m
    where ${sql.ref(`m.${columnOf(place)}`)} = ${place.id} and ${live('m', today)} ${only}`
}

/** The provider under which SAML identities of groups are kept. */
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

function filtered(db: Reader, source: RawBuilder<Membership>, filter: MemberFilter) {
  const { query, userIds, skipUserIds, withSamlIdentity } = filter
  let rows = db
    .selectFrom(sql<Membership>`(${source})`.as('membership'))
    .innerJoin('users', 'users.id', 'membership.user_id')
    .where('users.removed_at', 'is', null)
  if (query) rows = rows.where((eb) => eb.or([contains('users.name', query), contains('users.username', query)]))
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
  source: RawBuilder<Membership>,
  filter: MemberFilter,
  page: PageRequest,
): Promise<Page<Membership>> {
  const query = filtered(db, source, filter).selectAll('membership').orderBy('membership.user_id')
  return pageOfRows(db, query, page)
}

/** All memberships of a source, by user id. */
export async function membershipsOf(db: Reader, source: RawBuilder<Membership>): Promise<Membership[]> {
  return filtered(db, source, {}).selectAll('membership').orderBy('membership.user_id').execute()
}

/** The direct membership of a user. */
export async function memberOf(
  db: Reader,
  place: MemberSource,
  userId: number,
  today: string,
): Promise<MemberRow | null> {
  const query = db.selectFrom('members').selectAll().where(columnOf(place), '=', place.id)
  return (await query.where('user_id', '=', userId).where(live('members', today)).executeTakeFirst()) ?? null
}

/** Which of these users are direct members of a place. */
export async function directMembersAmong(
  db: Reader,
  place: MemberSource,
  userIds: readonly number[],
): Promise<Set<number>> {
  const query = db.selectFrom('members').select('user_id').where(columnOf(place), '=', place.id)
  const rows = await query.where(within(db, 'members.user_id', userIds)).execute()
  return new Set(rows.map(({ user_id }) => user_id))
}

export type InheritedMembership = { user_id: number; access_level: number; full_path: string }

/** For each of these users the highest membership of a group above the place, if any. */
export async function inheritedMemberships(
  db: Reader,
  place: MemberSource,
  userIds: readonly number[],
  today: string,
): Promise<Map<number, InheritedMembership>> {
  const rows = await db
    .selectFrom('members')
    .innerJoin('namespace_ancestors', 'namespace_ancestors.ancestor_id', 'members.namespace_id')
    .innerJoin('namespaces', 'namespaces.id', 'members.namespace_id')
    .select(['members.user_id', 'members.access_level', 'namespaces.full_path'])
    .where('namespace_ancestors.namespace_id', '=', place.namespaceId)
    .where('namespace_ancestors.depth', '>=', place.kind === 'group' ? 1 : 0)
    .where(within(db, 'members.user_id', userIds))
    .where(live('members', today))
    .orderBy('members.access_level')
    .orderBy('namespace_ancestors.depth', 'desc')
    .execute()
  // The last one of a user is the highest, and of equals the nearest.
  return new Map(rows.map((row) => [row.user_id, row]))
}

/** The holder of a personal namespace; null for a group. */
export async function holderOf(db: Reader, namespaceId: number): Promise<number | null> {
  const query = db.selectFrom('namespaces').select('owner_id').where('id', '=', namespaceId)
  return (await query.where('kind', '=', 'user').executeTakeFirst())?.owner_id ?? null
}

/** Keeps other transactions from changing or removing members of the same place; SQLite has one writer anyway. */
export async function lockPlace(tx: Tx, { kind, id }: MemberSource): Promise<void> {
  if (tx.engine !== 'postgres') return
  const table = sql.table(kind === 'project' ? 'projects' : 'namespaces')
  await sql`select id from ${table} where id = ${id} for no key update`.execute(tx)
}

/** Whether a person other than this user owns the group, directly or from above. */
export async function hasOtherOwner(db: Reader, groupId: number, userId: number, today: string): Promise<boolean> {
  const other = await db
    .selectFrom('members')
    .innerJoin('namespace_ancestors', 'namespace_ancestors.ancestor_id', 'members.namespace_id')
    .innerJoin('users', 'users.id', 'members.user_id')
    .select('members.id')
    .where('namespace_ancestors.namespace_id', '=', groupId)
    .where('members.access_level', '=', role.owner)
    .where('members.user_id', '<>', userId)
    .where('users.state', '=', 'active')
    .where('users.removed_at', 'is', null)
    .where('users.bot_kind', 'is', null)
    .where(live('members', today))
    .limit(1)
    .executeTakeFirst()
  return other !== undefined
}

/** Removes memberships that have expired, so that they are in nobody's way. */
export async function deleteExpired(
  tx: Tx,
  place: MemberSource,
  userIds: readonly number[],
  today: string,
): Promise<void> {
  await tx
    .deleteFrom('members')
    .where(columnOf(place), '=', place.id)
    .where(within(tx, 'members.user_id', userIds))
    .where('expires_at', '<=', today)
    .execute()
}

export type NewMember = Pick<Insertable<MembersTable>, 'user_id' | 'access_level' | 'created_at'> &
  Partial<Pick<Insertable<MembersTable>, 'expires_at' | 'created_by_id'>>

/** Adds members, all of them in one query; returns those that were not there before. */
export async function insertMembers(tx: Tx, place: MemberSource, members: readonly NewMember[]): Promise<MemberRow[]> {
  if (members.length === 0) return []
  return tx
    .insertInto('members')
    .values(members.map((member) => ({ ...member, [columnOf(place)]: place.id })))
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .execute()
}

/** Makes somebody an owner of a place for good, whatever they were in it before. */
export async function makeOwner(tx: Tx, place: MemberSource, userId: number, createdAt: string): Promise<void> {
  const owner = { access_level: role.owner, expires_at: null }
  const query = tx.updateTable('members').set(owner).where(columnOf(place), '=', place.id)
  await query.where('user_id', '=', userId).execute()
  await insertMembers(tx, place, [{ ...owner, user_id: userId, created_at: createdAt }])
}

/** Changes a membership that is there: its place is held by `lockPlace`. */
export async function updateMember(tx: Tx, id: number, changes: Updateable<MembersTable>): Promise<MemberRow> {
  return tx.updateTable('members').set(changes).where('id', '=', id).returningAll().executeTakeFirstOrThrow()
}

/** The direct membership of a user; of a group, those in everything below too when `below` says so. */
export async function membershipsFrom(
  db: Reader,
  place: MemberSource,
  userId: number,
  options: { below: boolean },
): Promise<MemberRow[]> {
  const own = db.selectFrom('members').selectAll().where('user_id', '=', userId)
  if (place.kind === 'project' || !options.below) return own.where(columnOf(place), '=', place.id).execute()
  const subtree = db.selectFrom('namespace_ancestors').select('namespace_id').where('ancestor_id', '=', place.id)
  return own
    .where((eb) =>
      eb.or([
        eb('namespace_id', 'in', subtree),
        eb('project_id', 'in', eb.selectFrom('projects').select('id').where('namespace_id', 'in', subtree)),
      ]),
    )
    .execute()
}

export async function deleteMembers(tx: Tx, members: readonly MemberRow[]): Promise<void> {
  const ids = members.map(({ id }) => id)
  await tx
    .deleteFrom('members')
    .where(within(tx, 'members.id', ids))
    .execute()
}
