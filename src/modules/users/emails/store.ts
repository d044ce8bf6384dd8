import { type Page, type PageRequest, pageOfRows } from '../../../api/index.ts'
import { type Reader, rows, type Tx } from '../../../infra/database/index.ts'
import { type UserEmailRow, userEmails } from '../tables.ts'

export const { insert: insertEmail } = rows(userEmails)

/** A secondary address of any user, in any case. */
export async function emailByAddress(db: Reader, address: string): Promise<UserEmailRow | null> {
  const query = db
    .selectFrom('user_emails')
    .selectAll()
    .where((eb) => eb(eb.fn('lower', ['email']), '=', address.toLowerCase()))
  return (await query.executeTakeFirst()) ?? null
}

/** A secondary address of this user. */
export async function emailOfUser(db: Reader, userId: number, id: number): Promise<UserEmailRow | null> {
  const query = db.selectFrom('user_emails').selectAll().where('id', '=', id).where('user_id', '=', userId)
  return (await query.executeTakeFirst()) ?? null
}

/** A page of the secondary addresses of a user, ordered by id. */
export async function pageOfEmails(db: Reader, userId: number, page: PageRequest): Promise<Page<UserEmailRow>> {
  const own = db.selectFrom('user_emails').selectAll().where('user_id', '=', userId)
  return pageOfRows(db, own.orderBy('id'), page)
}

/** The confirmed secondary addresses of a user, in lower case. */
export async function confirmedEmailsOf(db: Reader, userId: number): Promise<string[]> {
  const query = db.selectFrom('user_emails').select('email').where('user_id', '=', userId)
  const rows = await query.where('confirmed_at', 'is not', null).execute()
  return rows.map(({ email }) => email.toLowerCase())
}

/** Confirms a secondary address. */
export async function confirmEmail(tx: Tx, id: number, confirmed_at: string): Promise<void> {
  await tx.updateTable('user_emails').set({ confirmed_at }).where('id', '=', id).execute()
}

/** @returns false when there is no such address */
export async function deleteEmail(tx: Tx, id: number): Promise<boolean> {
  return (await tx.deleteFrom('user_emails').where('id', '=', id).returning('id').executeTakeFirst()) !== undefined
}

/** Deletes all secondary addresses of a user. */
export async function deleteEmailsOf(tx: Tx, userId: number): Promise<void> {
  await tx.deleteFrom('user_emails').where('user_id', '=', userId).execute()
}
