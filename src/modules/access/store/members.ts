import type { Insertable, Updateable } from 'kysely'
import { type Reader, rows, type Tx, within } from '../../../infra/database/index.ts'
import { role } from '../policy.ts'
import { type MemberRow, type MembersTable, members } from '../tables.ts'
import type { MemberSource } from './memberships.ts'

export const { remove: deleteMemberships } = rows(members)

/** The column that refers to the group or project, in `members` and in tables of tokens. */
export function memberColumnOf({ kind }: Pick<MemberSource, 'kind'>): 'project_id' | 'namespace_id' {
  return kind === 'project' ? 'project_id' : 'namespace_id'
}

type Source = Pick<MemberSource, 'kind' | 'id'>
type Changes = Updateable<MembersTable>
type NewMember = Pick<Insertable<MembersTable>, 'user_id' | 'access_level' | 'created_at'> &
  Partial<Pick<Insertable<MembersTable>, 'expires_at' | 'created_by_id' | 'member_role_id'>>

/** Inserts members with one query. @returns those that were not members before */
export async function insertMembers(tx: Tx, source: Source, members: readonly NewMember[]): Promise<MemberRow[]> {
  if (members.length === 0) return []
  return tx
    .insertInto('members')
    .values(members.map((member) => ({ ...member, [memberColumnOf(source)]: source.id })))
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .execute()
}

/** The memberships with these ids, expired or not. */
export async function membersByIds(db: Reader, ids: readonly number[]): Promise<MemberRow[]> {
  if (ids.length === 0) return []
  const query = db.selectFrom('members').selectAll()
  return query.where(within(db, 'members.id', ids)).execute()
}

/** The membership of a user in a group or project itself, expired or not. */
export async function membershipIn(db: Reader, source: Source, userId: number): Promise<MemberRow | null> {
  const query = db.selectFrom('members').selectAll().where(memberColumnOf(source), '=', source.id)
  return (await query.where('user_id', '=', userId).executeTakeFirst()) ?? null
}

/** The ids of the owners of a group itself, the first ones. */
export async function ownersOfGroup(db: Reader, groupId: number, limit: number): Promise<number[]> {
  const query = db.selectFrom('members').select('user_id').where('namespace_id', '=', groupId)
  const rows = await query.where('access_level', '=', role.owner).orderBy('id').limit(limit).execute()
  return rows.map(({ user_id }) => user_id)
}

/** Changes the membership of a user in a group or project itself, if there is one. */
export async function updateMember(tx: Tx, source: Source, userId: number, changes: Changes): Promise<void> {
  const query = tx.updateTable('members').set(changes).where(memberColumnOf(source), '=', source.id)
  await query.where('user_id', '=', userId).execute()
}

/** Makes a user an owner without an expiry, replacing the membership that the user may have. */
export async function makeOwner(tx: Tx, source: Source, userId: number, createdAt: string): Promise<void> {
  const owner = { access_level: role.owner, expires_at: null, member_role_id: null }
  await updateMember(tx, source, userId, owner)
  await insertMembers(tx, source, [{ ...owner, user_id: userId, created_at: createdAt }])
}

export async function updateMembership(tx: Tx, id: number, changes: Changes): Promise<MemberRow> {
  return tx.updateTable('members').set(changes).where('id', '=', id).returningAll().executeTakeFirstOrThrow()
}

/** Deletes the memberships of these users. */
export async function deleteMembers(tx: Tx, source: Source, userIds: readonly number[]): Promise<void> {
  await tx
    .deleteFrom('members')
    .where(memberColumnOf(source), '=', source.id)
    .where(within(tx, 'members.user_id', userIds))
    .execute()
}

/** Deletes all memberships of a user. */
export async function deleteMembershipsOf(tx: Tx, userId: number): Promise<void> {
  await tx.deleteFrom('members').where('user_id', '=', userId).execute()
}
