import { dayOf } from '../../../api/index.ts'
import type { Reader } from '../../../infra/database/index.ts'
import type { Job } from '../../../platform/index.ts'
import { removeUsersIfDue } from '../../users/index.ts'
import { botsWithoutActiveToken } from './store.ts'

const dayMs = 86_400_000
/** 02:45 UTC. */
const offsetSeconds = 2.75 * 3600

/**
 * The daily job that deletes the bots of projects and groups with their tokens, a number of days after the last token was active
 * (contract 20, "Resolved gaps").
 */
export const removeInactiveBots: Job<null> = {
  kind: 'access_tokens.remove_inactive',
  queue: 'maintenance',
  every: { seconds: dayMs / 1000, offsetSeconds },
  async run(platform, _, { signal }) {
    const { database, settings, clock } = platform
    const { inactive_resource_access_tokens_delete_after_days: days } = await settings.current()
    if (days === 0) return
    const since = new Date(clock.now().getTime() - days * dayMs)
    const limits = { time: since.toISOString(), day: dayOf(since) }
    const find = (db: Reader, afterId: number, limit: number) => botsWithoutActiveToken(db, limits, afterId, limit)
    await removeUsersIfDue(
      platform,
      signal,
      (afterId, limit) => find(database.read, afterId, limit),
      async (tx, { id }) => (await find(tx, id - 1, 1)).includes(id),
    )
  },
}
