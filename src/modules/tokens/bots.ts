import { sql } from 'kysely'
import { type Reader, type Tx, within } from '../../infra/database/index.ts'
import { randomHex } from '../../infra/secrets/index.ts'
import { createUserRows, type UserRow } from '../users/index.ts'
import type { AccessTokenRow } from './tables.ts'

/** The project or group that a token is for. */
export type TokenPlace = { kind: 'project' | 'group'; id: number }

/** The column that names the place, in members and tokens alike. */
function columnOf(place: TokenPlace): 'project_id' | 'namespace_id' {
  return place.kind === 'project' ? 'project_id' : 'namespace_id'
}

export type NewBot = {
  name: string
  accessLevel: number
  /** `YYYY-MM-DD`; the day on which its membership ends as well. */
  expiresAt: string | null
  createdById: number
  /** Host of the instance, for its address. */
  host: string
  now: string
}

/** Makes the user that a project or group token acts as, and its membership (contract 20, x.project_tokens_create). */
export async function makeBot(tx: Tx, place: TokenPlace, bot: NewBot): Promise<UserRow> {
  const username = `${place.kind}_${place.id}_bot_${randomHex(16)}`
  const user = await createUserRows(tx, {
    username,
    name: bot.name,
    email: `${username}@noreply.${bot.host}`,
    botKind: place.kind === 'project' ? 'project_bot' : 'group_bot',
    confirmedAt: bot.now,
    projectsLimit: 0,
    canCreateGroup: false,
    createdById: bot.createdById,
    now: bot.now,
  })
  await tx
    .insertInto('members')
    .values({
      [columnOf(place)]: place.id,
      user_id: user.id,
      access_level: bot.accessLevel,
      expires_at: bot.expiresAt,
      created_by_id: bot.createdById,
      created_at: bot.now,
    })
    .execute()
  return user
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

/** Waits for rotations that are under way, whose new tokens the next query then sees (see `holdFamily`). */
async function holdTokens(tx: Tx, userIds: readonly number[]): Promise<void> {
  await tx
    .updateTable('access_tokens')
    .set((eb) => ({ family_id: eb.ref('family_id') }))
    .where(within(tx, 'user_id', userIds))
    .execute()
}

/**
 * Ends the bots of a project or group: their tokens are revoked, their membership goes, they are blocked and kept
 * (contract 20, "Resolved gaps"). Users among `userIds` that are no bots of this place are left alone.
 */
export async function retireBots(
  tx: Tx,
  place: TokenPlace,
  userIds: readonly number[],
  { now }: { now: string },
): Promise<void> {
  const column = columnOf(place)
  const found = await tx
    .selectFrom('access_tokens')
    .select('user_id')
    .distinct()
    .where(within(tx, 'user_id', userIds))
    .where(column, '=', place.id)
    .execute()
  const bots = found.map(({ user_id }) => user_id)
  if (bots.length === 0) return
  await holdTokens(tx, bots)
  const lastLevel = sql<number | null>`coalesce((select max(members.access_level) from members
    where members.user_id = access_tokens.user_id and ${sql.ref(`members.${column}`)} = ${place.id}), access_level)`
  await tx
    .updateTable('access_tokens')
    .set({ revoked: true, access_level: lastLevel })
    .where(within(tx, 'user_id', bots))
    .execute()
  await tx
    .deleteFrom('members')
    .where(within(tx, 'user_id', bots))
    .where(column, '=', place.id)
    .execute()
  await tx
    .updateTable('users')
    .set({ state: 'blocked', updated_at: now })
    .where(within(tx, 'id', bots))
    .where('state', '=', 'active')
    .execute()
}

/** The role that stands behind each of these tokens of one place: the membership's, or the last one when it has ended. */
export async function levelsOf(
  db: Reader,
  place: TokenPlace,
  tokens: readonly AccessTokenRow[],
): Promise<Map<number, number>> {
  if (tokens.length === 0) return new Map()
  const userIds = [...new Set(tokens.map(({ user_id }) => user_id))]
  const members = await db
    .selectFrom('members')
    .select(['user_id', 'access_level'])
    .where(within(db, 'user_id', userIds))
    .where(columnOf(place), '=', place.id)
    .execute()
  const current = new Map(members.map((member) => [member.user_id, member.access_level]))
  return new Map(tokens.map((token) => [token.id, current.get(token.user_id) ?? token.access_level ?? 0]))
}
