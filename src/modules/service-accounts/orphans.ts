import { ApiError, anonymous } from '../../api/index.ts'
import { now, type Tx } from '../../infra/database/index.ts'
import { type Events, enqueue, type Job, type Platform, type Reaction, react } from '../../platform/index.ts'
import { blockUsers, removeUser } from '../users/index.ts'
import { accountsBelow, accountsOfProject } from './store.ts'

/** Removes a service account whose group or project is gone. Does nothing for the sole owner of another group: it stays, blocked. */
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

/** Blocks service accounts whose owner is deleted, and removes them afterwards (contract 12, Account life). */
async function retire(platform: Platform, tx: Tx, ids: readonly number[]): Promise<void> {
  await blockUsers(tx, ids, now(platform.clock))
  for (const userId of ids) {
    await react(platform, tx, 'user.blocked', { userId })
    await enqueue(platform, tx, removeAccountJob, { userId }, { uniqueKey: String(userId) })
  }
}

/** Ends the service accounts of a group that is deleted, and of the groups below it. */
export const retireAccountsOfGroup: Reaction<Events['group.removed']> = async (platform, tx, { groupId }) =>
  retire(platform, tx, await accountsBelow(tx, groupId))

/** Ends the service accounts of a project that is deleted. */
export const retireAccountsOfProject: Reaction<Events['project.removed']> = async (platform, tx, { projectId }) =>
  retire(platform, tx, await accountsOfProject(tx, projectId))
