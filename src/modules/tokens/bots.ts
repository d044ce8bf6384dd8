import type { Reader, Tx } from '../../infra/database/index.ts'
import { randomHex } from '../../infra/secrets/index.ts'
import { createUserRows, type UserRow } from '../users/index.ts'
import {
  blockUsers,
  botsAmong,
  deleteBotMembers,
  holdTokensOf,
  insertBotMember,
  memberLevels,
  revokeTokensOf,
  type TokenPlace,
} from './store/bots.ts'
import type { AccessTokenRow } from './tables.ts'

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
  await insertBotMember(tx, place, { ...bot, userId: user.id })
  return user
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
  const bots = await botsAmong(tx, place, userIds)
  if (bots.length === 0) return
  await holdTokensOf(tx, bots)
  await revokeTokensOf(tx, place, bots)
  await deleteBotMembers(tx, place, bots)
  await blockUsers(tx, bots, now)
}

/** The role that stands behind each of these tokens of one place: the membership's, or the last one when it has ended. */
export async function levelsOf(
  db: Reader,
  place: TokenPlace,
  tokens: readonly AccessTokenRow[],
): Promise<Map<number, number>> {
  if (tokens.length === 0) return new Map()
  const current = await memberLevels(db, place, [...new Set(tokens.map(({ user_id }) => user_id))])
  return new Map(tokens.map((token) => [token.id, current.get(token.user_id) ?? token.access_level ?? 0]))
}
