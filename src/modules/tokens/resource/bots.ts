import { now, type Reader, type Tx } from '../../../infra/database/index.ts'
import { randomHex } from '../../../infra/secrets/index.ts'
import { type Events, type Platform, type Reaction, react } from '../../../platform/index.ts'
import { deleteMembers, insertMembers } from '../../access/index.ts'
import { blockUsers, createUserRows, type UserRow } from '../../users/index.ts'
import type { AccessTokenRow } from '../tables.ts'
import {
  botsAmong,
  botsBelow,
  botsOfProject,
  haveTokens,
  lockTokensOf,
  memberLevels,
  revokeTokensOf,
  type TokenResource,
} from './store.ts'

type NewBot = {
  name: string
  accessLevel: number
  /** `YYYY-MM-DD`: the last day of the token and of the bot's membership. */
  expiresAt: string | null
  createdById: number
}

/** Creates the user that a project or group token acts as, and its membership (contract 20, x.project_tokens_create). */
export async function createBot(
  { clock, externalUrl }: Pick<Platform, 'clock' | 'externalUrl'>,
  tx: Tx,
  resource: TokenResource,
  bot: NewBot,
): Promise<UserRow> {
  const createdAt = now(clock)
  const username = `${resource.kind}_${resource.id}_bot_${randomHex(16)}`
  const user = await createUserRows(tx, {
    username,
    name: bot.name,
    email: `${username}@noreply.${new URL(externalUrl).hostname}`,
    bot_kind: resource.kind === 'project' ? 'project_bot' : 'group_bot',
    confirmed_at: createdAt,
    projects_limit: 0,
    can_create_group: false,
    created_by_id: bot.createdById,
    created_at: createdAt,
  })
  const member = { access_level: bot.accessLevel, expires_at: bot.expiresAt, created_by_id: bot.createdById }
  await insertMembers(tx, resource, [{ ...member, user_id: user.id, created_at: createdAt }])
  return user
}

/**
 * Ends bots of a project or group: revokes their tokens, ends their membership and blocks them (contract 20, "Resolved
 * gaps"). Other users among `userIds` are not affected.
 * @returns false when all had been ended before
 */
export async function retireBots(
  platform: Platform,
  tx: Tx,
  resource: TokenResource,
  userIds: readonly number[],
): Promise<boolean> {
  const bots = await botsAmong(tx, resource, userIds)
  if (bots.length === 0) return false
  await lockTokensOf(tx, bots)
  const wereActive = await haveTokens(tx, bots)
  await revokeTokensOf(tx, resource, bots)
  await deleteMembers(tx, resource, bots)
  const blocked = await blockUsers(tx, bots, now(platform.clock))
  for (const userId of blocked) await react(platform, tx, 'user.blocked', { userId })
  return wereActive
}

/** Retires the bots of a group that is deleted, and of the groups below it. */
export const retireBotsOfGroup: Reaction<Events['group.removed']> = async (platform, tx, { groupId }) => {
  for (const [id, bots] of await botsBelow(tx, groupId)) await retireBots(platform, tx, { kind: 'group', id }, bots)
}

/** Retires a bot whose membership ends: its token could do nothing any more. */
export const retireEndingBot: Reaction<Events['members.ending']> = async (platform, tx, { source, userId }) => {
  await retireBots(platform, tx, source, [userId])
}

/** Retires the bots of a project that is deleted. */
export const retireBotsOfProject: Reaction<Events['project.removed']> = async (platform, tx, { projectId }) => {
  await retireBots(platform, tx, { kind: 'project', id: projectId }, await botsOfProject(tx, projectId))
}

/** The access level of each token of a resource, by token id: that of the bot's membership, or the last one. */
export async function levelsOf(
  db: Reader,
  resource: TokenResource,
  tokens: readonly AccessTokenRow[],
): Promise<Map<number, number>> {
  if (tokens.length === 0) return new Map()
  const current = await memberLevels(db, resource, [...new Set(tokens.map(({ user_id }) => user_id))])
  return new Map(tokens.map((token) => [token.id, current.get(token.user_id) ?? token.access_level ?? 0]))
}
