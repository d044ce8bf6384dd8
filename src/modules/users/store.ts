import { type RawBuilder, sql, type Updateable } from 'kysely'
import type { UserActor } from '../../api/index.ts'
import { hasTier } from '../../config.ts'
import {
  anyContains,
  countRows,
  plannedForValues,
  prepareQuery,
  type Reader,
  rows,
  type Tx,
  within,
  withinLower,
} from '../../infra/database/index.ts'
import type { Platform } from '../../platform/index.ts'
import { type BotKind, type UserRow, type UsersTable, users } from './tables.ts'

export const { insert: insertUser } = rows(users)

/** Accounts without those whose removal has begun. */
function present(db: Reader) {
  return db.selectFrom('users').selectAll().where('removed_at', 'is', null)
}

/**
 * Whether the user of an id is not being removed. Few are at a time, and an index has them, so the others are counted without
 * reading their rows. @param id the column
 */
export const isPresent = (id: string): RawBuilder<boolean> =>
  sql<boolean>`${sql.ref(id)} not in (select leaving.id from users leaving where leaving.removed_at is not null)`

/** Whether the name or the user name of a row of `users` contains a text. */
export const isNamed = (text: string): RawBuilder<boolean> =>
  sql<boolean>`${anyContains(['users.name', 'users.username'], text)} ${plannedForValues}`

const byId = prepareQuery((db, { id }: { id: number }) => present(db).where('id', '=', id))

export async function userById(db: Reader, id: number): Promise<UserRow | null> {
  return (await byId(db, { id }))[0] ?? null
}

/** The user of a username, in any case. */
export async function userByUsername(db: Reader, username: string): Promise<UserRow | null> {
  // PostgreSQL rejects the character.
  if (username.includes('\u0000')) return null
  const query = present(db).where((eb) => eb(eb.fn('lower', ['username']), '=', username.toLowerCase()))
  return (await query.executeTakeFirst()) ?? null
}

/** The user of a primary e-mail address, in any case. */
export async function userByEmail(db: Reader, email: string): Promise<UserRow | null> {
  const query = present(db).where((eb) => eb(eb.fn('lower', ['email']), '=', email.toLowerCase()))
  return (await query.executeTakeFirst()) ?? null
}

/** The active user of a public e-mail address. */
export async function userByPublicEmail(db: Reader, email: string): Promise<UserRow | null> {
  const query = present(db).where('public_email', '=', email).where('state', '=', 'active').orderBy('id').limit(1)
  return (await query.executeTakeFirst()) ?? null
}

/** A user, and the confirmed address by which they were found, in lower case. */
type Addressed = { address: string; user: UserRow }

/** The users with one of these confirmed e-mail addresses, primary or secondary, in any case. */
export async function usersByEmails(db: Reader, emails: readonly string[]): Promise<Addressed[]> {
  if (emails.length === 0) return []
  const wanted = [...new Set(emails.map((email) => email.toLowerCase()))]
  const primary = await present(db)
    .where('confirmed_at', 'is not', null)
    .where(withinLower(db, 'email', wanted))
    .execute()
  const secondary = await db
    .selectFrom('user_emails')
    .innerJoin('users', 'users.id', 'user_emails.user_id')
    .selectAll('users')
    .select('user_emails.email as address')
    .where('user_emails.confirmed_at', 'is not', null)
    .where('users.removed_at', 'is', null)
    .where(withinLower(db, 'user_emails.email', wanted))
    .execute()
  return [
    ...primary.map((user) => ({ address: user.email.toLowerCase(), user })),
    ...secondary.map(({ address, ...user }) => ({ address: address.toLowerCase(), user })),
  ]
}

/** The user of an id (digits) or a username. */
export async function userByIdOrUsername(db: Reader, text: string): Promise<UserRow | null> {
  const id = Number(text)
  if (/^\d+$/.test(text)) return Number.isSafeInteger(id) ? userById(db, id) : null
  return userByUsername(db, text)
}

const anyById = prepareQuery((db, { id }: { id: number }) => db.selectFrom('users').selectAll().where('id', '=', id))

/** Users by id, including those whose removal has begun: their contributions still show them. */
export async function usersByIds(db: Reader, ids: readonly number[]): Promise<Map<number, UserRow>> {
  if (ids.length === 0) return new Map()
  const [first = 0] = ids
  if (new Set(ids).size === 1) return new Map((await anyById(db, { id: first })).map((row) => [row.id, row]))
  const rows = await db
    .selectFrom('users')
    .selectAll()
    .where(within(db, 'users.id', [...new Set(ids)]))
    .execute()
  return new Map(rows.map((row) => [row.id, row]))
}

/** Users by usernames in lower case. */
export async function usersByUsernames(db: Reader, names: readonly string[]): Promise<UserRow[]> {
  if (names.length === 0) return []
  return present(db)
    .where((eb) => eb(eb.fn<string>('lower', ['username']), 'in', names))
    .execute()
}

/** Whether a user has this username, in lower case, including users whose removal has begun. */
export async function anyUserHasName(db: Reader, name: string): Promise<boolean> {
  const query = db
    .selectFrom('users')
    .select('id')
    .where((eb) => eb(eb.fn('lower', ['username']), '=', name))
  return (await query.executeTakeFirst()) !== undefined
}

/** The user of a kind that has one user at most, such as the ghost user. */
export async function userOfBotKind(db: Reader, kind: BotKind): Promise<UserRow | null> {
  return (await db.selectFrom('users').selectAll().where('bot_kind', '=', kind).executeTakeFirst()) ?? null
}

/** The users with an avatar, each with its avatar. */
export async function usersWithAvatar(
  db: Reader,
  ids?: readonly number[],
): Promise<{ id: number; avatar: string | null }[]> {
  const query = db.selectFrom('users').select(['id', 'avatar']).where('avatar', 'is not', null)
  return (ids ? query.where(within(db, 'id', ids)) : query).execute()
}

/** @throws UniqueViolation as `insertUser` */
export async function updateUser(tx: Tx, id: number, changes: Updateable<UsersTable>): Promise<UserRow | null> {
  const query = tx.updateTable('users').set(changes).where('id', '=', id).where('removed_at', 'is', null)
  return (await query.returningAll().executeTakeFirst()) ?? null
}

/** Counts a wrong password in the database, so that concurrent attempts all count. @returns the number of attempts */
export async function addFailedAttempt(tx: Tx, id: number): Promise<number> {
  const { failed_attempts } = await tx
    .updateTable('users')
    .set((eb) => ({ failed_attempts: eb('failed_attempts', '+', 1) }))
    .where('id', '=', id)
    .returning('failed_attempts')
    .executeTakeFirstOrThrow()
  return failed_attempts
}

/** Records the day on which a user was active. */
export async function noteActivity(tx: Tx, userId: number, today: string): Promise<void> {
  const query = tx.updateTable('users').set({ last_activity_on: today }).where('id', '=', userId)
  // A day after tomorrow was stored while the clock was ahead.
  const afterTomorrow = new Date(Date.parse(today) + 2 * 86_400_000).toISOString().slice(0, 10)
  const isNew = sql<boolean>`(last_activity_on is null or last_activity_on < ${today}
    or last_activity_on >= ${afterTomorrow})`
  await query.where(isNew).execute()
}

/** Blocks the active users of these. @returns their ids */
export async function blockUsers(tx: Tx, userIds: readonly number[], updated_at: string): Promise<number[]> {
  const query = tx.updateTable('users').set({ state: 'blocked', updated_at }).where('state', '=', 'active')
  const blocked = await query
    .where(within(tx, 'users.id', userIds))
    .returning('id')
    .execute()
  return blocked.map(({ id }) => id).sort((left, right) => left - right)
}

export async function anyUserExists(db: Reader): Promise<boolean> {
  return (await db.selectFrom('users').select('id').limit(1).executeTakeFirst()) !== undefined
}

/** Whether the instance has another active administrator. */
export async function hasOtherAdministrator(db: Reader, id: number): Promise<boolean> {
  const query = present(db).where('is_admin', '=', true).where('state', '=', 'active').where('id', '<>', id).limit(1)
  return (await query.executeTakeFirst()) !== undefined
}

/**
 * Sets the identity of a user at a provider.
 * @throws UniqueViolation of `identities_extern_uid_unique` when another user has it
 */
export async function putIdentity(tx: Tx, userId: number, provider: string, externUid: string): Promise<void> {
  await tx
    .insertInto('identities')
    .values({ user_id: userId, provider, extern_uid: externUid })
    .onConflict((conflict) => conflict.columns(['user_id', 'provider']).doUpdateSet({ extern_uid: externUid }))
    .execute()
}

/** @returns false when the user has no identity at the provider */
export async function deleteIdentity(tx: Tx, userId: number, provider: string): Promise<boolean> {
  const query = tx.deleteFrom('identities').where('user_id', '=', userId).where('provider', '=', provider)
  return (await query.returning('id').executeTakeFirst()) !== undefined
}

/** A user who acts without a request: by a deploy key or a mirror. */
export function actingUser({ config }: Pick<Platform, 'config'>, user: UserRow): UserActor {
  return {
    kind: 'user',
    userId: user.id,
    username: user.username,
    administrator: user.is_admin,
    external: user.external,
    bot: user.bot_kind !== null,
    hasMemberRoles: hasTier(config.edition, 'ultimate'),
    credential: { kind: 'password', id: null, scopes: new Set() },
  }
}

/** The number of active people, and the first account of an administrator (contract 20, License). */
export async function accountFacts(db: Reader): Promise<{ active: number; founder: UserRow | null }> {
  const active = await countRows(
    db.selectFrom('users').where('state', '=', 'active').where('bot_kind', 'is', null).where('removed_at', 'is', null),
  )
  const founder = await present(db).where('is_admin', '=', true).orderBy('id').limit(1).executeTakeFirst()
  return { active, founder: founder ?? null }
}
