import { ApiError, anonymous } from '../../api/index.ts'
import { now } from '../../infra/database/index.ts'
import { type Events, enqueue, type Job, type Reaction, react } from '../../platform/index.ts'
import { blockUsers, removeUser } from '../users/index.ts'
import { accountsBelow } from './store.ts'

/** Removes a service account whose group is gone. Does nothing for the sole owner of another group: it stays, blocked. */
export const removeAccountJob: Job<{ userId: number }> = {
  kind: 'service_accounts.remove',
  async run(platform, { userId }) {
    try {
      await removeUser(platform, userId, { hard: false, actor: anonymous, unmodified: () => {} })
    } catch (error) {
      const isSettled = error instanceof ApiError && [404, 409].includes(error.status)
      if (!isSettled) throw error
    }
  },
}

/** Blocks the service accounts of a group that is deleted, and removes them afterwards (contract 12, Account life). */
export const retireAccountsOfGroup: Reaction<Events['group.removed']> = async (platform, tx, { groupId }) => {
  const ids = await accountsBelow(tx, groupId)
  await blockUsers(tx, ids, now(platform.clock))
  for (const userId of ids) {
    await react(platform, tx, 'user.blocked', { userId })
    await enqueue(platform, tx, removeAccountJob, { userId }, { uniqueKey: String(userId) })
  }
}
