import { sql } from 'kysely'
import { type Reader, type Tx, within } from '../../../infra/database/index.ts'

/** The project or group that a token is for. */
export type TokenPlace = { kind: 'project' | 'group'; id: number }

/** The column that names the place, in members and tokens alike. */
function columnOf(place: TokenPlace): 'project_id' | 'namespace_id' {
  return place.kind === 'project' ? 'project_id' : 'namespace_id'
}

export type NewBotMember = {
  userId: number
  accessLevel: number
  /** `YYYY-MM-DD` */
  expiresAt: string | null
  createdById: number
  now: string
}

/** Makes a bot a member of its place. */
export async function insertBotMember(tx: Tx, place: TokenPlace, member: NewBotMember): Promise<void> {
  await tx
    .insertInto('members')
    .values({
      [columnOf(place)]: place.id,
      user_id: member.userId,
      access_level: member.accessLevel,
      expires_at: member.expiresAt,
      created_by_id: member.createdById,
      created_at: member.now,
    })
    .execute()
}

/** Lets the membership of a bot last as long as its new token. */
export async function extendBot(tx: Tx, place: TokenPlace, userId: number, expiresAt: string | null): Promise<void> {
  await tx
    .updateTable('members')
    .set({ expires_at: expiresAt })
    .where('user_id', '=', userId)
    .where(columnOf(place), '=', place.id)
    .execute()
}

/** Which of these users a token of the place is for. */
export async function botsAmong(db: Reader, place: TokenPlace, userIds: readonly number[]): Promise<number[]> {
  const found = await db
    .selectFrom('access_tokens')
    .select('user_id')
    .distinct()
    .where(within(db, 'user_id', userIds))
    .where(columnOf(place), '=', place.id)
    .execute()
  return found.map(({ user_id }) => user_id)
}

/** Waits for rotations that are under way, whose new tokens the next query then sees (see `holdFamily`). */
export async function holdTokensOf(tx: Tx, userIds: readonly number[]): Promise<void> {
  await tx
    .updateTable('access_tokens')
    .set((eb) => ({ family_id: eb.ref('family_id') }))
    .where(within(tx, 'user_id', userIds))
    .execute()
}

/** Revokes all tokens of bots; each keeps the role that its bot has in the place just now. */
export async function revokeTokensOf(tx: Tx, place: TokenPlace, userIds: readonly number[]): Promise<void> {
  const lastLevel = sql<number | null>`coalesce((select max(members.access_level) from members
    where members.user_id = access_tokens.user_id and ${sql.ref(`members.${columnOf(place)}`)} = ${place.id}),
    access_level)`
  await tx
    .updateTable('access_tokens')
    .set({ revoked: true, access_level: lastLevel })
    .where(within(tx, 'user_id', userIds))
    .execute()
}

/** Ends what bots are in a place. */
export async function deleteBotMembers(tx: Tx, place: TokenPlace, userIds: readonly number[]): Promise<void> {
  await tx
    .deleteFrom('members')
    .where(within(tx, 'user_id', userIds))
    .where(columnOf(place), '=', place.id)
    .execute()
}

/** Blocks those of these users that are active. */
export async function blockUsers(tx: Tx, userIds: readonly number[], now: string): Promise<void> {
  await tx
    .updateTable('users')
    .set({ state: 'blocked', updated_at: now })
    .where(within(tx, 'id', userIds))
    .where('state', '=', 'active')
    .execute()
}

/** The level that each of these users has as a member of a place. */
export async function memberLevels(
  db: Reader,
  place: TokenPlace,
  userIds: readonly number[],
): Promise<Map<number, number>> {
  const members = await db
    .selectFrom('members')
    .select(['user_id', 'access_level'])
    .where(within(db, 'user_id', userIds))
    .where(columnOf(place), '=', place.id)
    .execute()
  return new Map(members.map((member) => [member.user_id, member.access_level]))
}
