import type { Insertable, Updateable } from 'kysely'
import { type Reader, type Tx, within, withinLower } from '../../../infra/database/index.ts'
import type { BotKind, IdentityRow, UserRow, UsersTable } from '../tables.ts'

/** Accounts as everybody meets them: those whose removal has begun are gone. */
function present(db: Reader) {
  return db.selectFrom('users').selectAll().where('removed_at', 'is', null)
}

export async function userById(db: Reader, id: number): Promise<UserRow | null> {
  return (await present(db).where('id', '=', id).executeTakeFirst()) ?? null
}

/** The user of a name, whatever its case. */
export async function userByUsername(db: Reader, username: string): Promise<UserRow | null> {
  // No column holds such a text; asking for it would only fail.
  if (username.includes('\u0000')) return null
  const query = present(db).where((eb) => eb(eb.fn('lower', ['username']), '=', username.toLowerCase()))
  return (await query.executeTakeFirst()) ?? null
}

/** The user of a primary e-mail address, whatever its case. */
export async function userByEmail(db: Reader, email: string): Promise<UserRow | null> {
  const query = present(db).where((eb) => eb(eb.fn('lower', ['email']), '=', email.toLowerCase()))
  return (await query.executeTakeFirst()) ?? null
}

/** The users who have confirmed one of these e-mail addresses as their own, whatever their case. */
export async function usersByEmails(db: Reader, emails: readonly string[]): Promise<UserRow[]> {
  if (emails.length === 0) return []
  const wanted = [...new Set(emails.map((email) => email.toLowerCase()))]
  const among = withinLower(db, 'email', wanted)
  return present(db).where('confirmed_at', 'is not', null).where(among).execute()
}

/** The user of an id (digits) or a user name. */
export async function userByIdOrUsername(db: Reader, text: string): Promise<UserRow | null> {
  const id = Number(text)
  if (/^\d+$/.test(text)) return Number.isSafeInteger(id) ? userById(db, id) : null
  return userByUsername(db, text)
}

/** Users by their ids, also those whose removal has begun: what they left behind still shows who they were. */
export async function usersByIds(db: Reader, ids: readonly number[]): Promise<Map<number, UserRow>> {
  if (ids.length === 0) return new Map()
  const rows = await db
    .selectFrom('users')
    .selectAll()
    .where(within(db, 'users.id', [...new Set(ids)]))
    .execute()
  return new Map(rows.map((row) => [row.id, row]))
}

/** Users by their names, given in lower case. */
export async function usersByUsernames(db: Reader, names: readonly string[]): Promise<UserRow[]> {
  if (names.length === 0) return []
  return present(db)
    .where((eb) => eb(eb.fn<string>('lower', ['username']), 'in', names))
    .execute()
}

/** Whether anybody has this name, given in lower case, also one whose removal has begun. */
export async function anyUserHasName(db: Reader, name: string): Promise<boolean> {
  const query = db
    .selectFrom('users')
    .select('id')
    .where((eb) => eb(eb.fn('lower', ['username']), '=', name))
  return (await query.executeTakeFirst()) !== undefined
}

/** The user of a kind of which there is one at most, as the ghost user. */
export async function userOfBotKind(db: Reader, kind: BotKind): Promise<UserRow | null> {
  return (await db.selectFrom('users').selectAll().where('bot_kind', '=', kind).executeTakeFirst()) ?? null
}

/** The users with a picture, each with the name of the picture. */
export async function usersWithAvatar(db: Reader): Promise<{ id: number; avatar: string | null }[]> {
  return db.selectFrom('users').select(['id', 'avatar']).where('avatar', 'is not', null).execute()
}

/** @throws UniqueViolation of `users_username_unique` or `users_email_unique` */
export async function insertUser(tx: Tx, user: Insertable<UsersTable>): Promise<UserRow> {
  return tx.insertInto('users').values(user).returningAll().executeTakeFirstOrThrow()
}

/** @throws UniqueViolation as `insertUser` */
export async function updateUser(tx: Tx, id: number, changes: Updateable<UsersTable>): Promise<UserRow | null> {
  const query = tx.updateTable('users').set(changes).where('id', '=', id).where('removed_at', 'is', null)
  return (await query.returningAll().executeTakeFirst()) ?? null
}

/** Counts a wrong password in the database, so that guesses at the same time do not hide each other; returns how many. */
export async function addFailedAttempt(tx: Tx, id: number): Promise<number> {
  const { failed_attempts } = await tx
    .updateTable('users')
    .set((eb) => ({ failed_attempts: eb('failed_attempts', '+', 1) }))
    .where('id', '=', id)
    .returning('failed_attempts')
    .executeTakeFirstOrThrow()
  return failed_attempts
}

export async function anyUserExists(db: Reader): Promise<boolean> {
  return (await db.selectFrom('users').select('id').limit(1).executeTakeFirst()) !== undefined
}

/** Whether somebody besides this user may administer the instance just now. */
export async function hasOtherAdministrator(db: Reader, id: number): Promise<boolean> {
  const query = present(db).where('is_admin', '=', true).where('state', '=', 'active').where('id', '<>', id).limit(1)
  return (await query.executeTakeFirst()) !== undefined
}

export async function identitiesOf(db: Reader, userIds: readonly number[]): Promise<IdentityRow[]> {
  return db
    .selectFrom('identities')
    .selectAll()
    .where(within(db, 'identities.user_id', userIds))
    .orderBy('id')
    .execute()
}

/**
 * Gives a user an identity at a provider, in place of the one they have there.
 * @throws UniqueViolation of `identities_extern_uid_unique` when it is somebody else's
 */
export async function putIdentity(tx: Tx, userId: number, provider: string, externUid: string): Promise<void> {
  await tx
    .insertInto('identities')
    .values({ user_id: userId, provider, extern_uid: externUid })
    .onConflict((conflict) => conflict.columns(['user_id', 'provider']).doUpdateSet({ extern_uid: externUid }))
    .execute()
}

/** @returns whether there was one */
export async function deleteIdentity(tx: Tx, userId: number, provider: string): Promise<boolean> {
  const query = tx.deleteFrom('identities').where('user_id', '=', userId).where('provider', '=', provider)
  return (await query.returning('id').executeTakeFirst()) !== undefined
}
