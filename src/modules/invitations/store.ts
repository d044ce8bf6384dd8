import { type Page, type PageRequest, pageOfRows } from '../../api/index.ts'
import { anyContains, type Reader, rows, type Tx } from '../../infra/database/index.ts'
import { type MemberSource, memberColumnOf } from '../access/index.ts'
import { type InvitationRow, invitations, type NewInvitation } from './tables.ts'

export const { update: updateInvitation, remove: deleteInvitation } = rows(invitations)

type Source = Pick<MemberSource, 'kind' | 'id'>

/** An invitation, and the name of the user who sent it. */
export type SentInvitation = InvitationRow & { created_by_name: string | null }

const sentInvitations = (db: Reader, source: Source) =>
  db
    .selectFrom('invitations')
    .leftJoin('users', 'users.id', 'invitations.created_by_id')
    .selectAll('invitations')
    .select('users.name as created_by_name')
    .where(`invitations.${memberColumnOf(source)}`, '=', source.id)

/** The invitation of an address, with the name of the user who sent it. */
export async function sentInvitation(db: Reader, source: Source, email: string): Promise<SentInvitation | null> {
  const query = sentInvitations(db, source).where('invitations.folded_email', '=', email.toLowerCase())
  return (await query.executeTakeFirst()) ?? null
}

/** A page of the pending invitations to a project or group, oldest first. @param query part of the address */
export async function pageOfInvitations(
  db: Reader,
  source: Source,
  query: string | undefined,
  page: PageRequest,
): Promise<Page<SentInvitation>> {
  let rows = sentInvitations(db, source)
  if (query) rows = rows.where(anyContains(['invitations.email'], query))
  return pageOfRows(db, rows.orderBy('invitations.id'), page)
}

/** Adds invitations. @returns those that were added: not those of addresses that are invited already */
export async function insertInvitations(tx: Tx, rows: readonly NewInvitation[]): Promise<InvitationRow[]> {
  if (rows.length === 0) return []
  return tx
    .insertInto('invitations')
    .values([...rows])
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .execute()
}

/** The invitation of an address. */
export async function invitationOf(db: Reader, source: Source, email: string): Promise<InvitationRow | null> {
  const query = db.selectFrom('invitations').selectAll().where(memberColumnOf(source), '=', source.id)
  return (await query.where('folded_email', '=', email.toLowerCase()).executeTakeFirst()) ?? null
}

/** The ids of invitations that have expired. */
export async function expiredInvitations(db: Reader, today: string, limit: number): Promise<number[]> {
  const query = db.selectFrom('invitations').select('id').where('expires_at', '<=', today)
  return (await query.orderBy('expires_at').orderBy('id').limit(limit).execute()).map(({ id }) => id)
}

export async function deleteExpiredInvitation(tx: Tx, id: number, today: string): Promise<void> {
  await tx.deleteFrom('invitations').where('id', '=', id).where('expires_at', '<=', today).execute()
}

/** Deletes the invitations of addresses; of two callers at once one gets each. @param emails in lower case */
export async function takeInvitations(tx: Tx, emails: readonly string[]): Promise<InvitationRow[]> {
  if (emails.length === 0) return []
  return tx
    .deleteFrom('invitations')
    .where('folded_email', 'in', [...emails])
    .returningAll()
    .execute()
}
