import type { Job } from '../../../platform/index.ts'
import type { UserRow } from '../tables.ts'
import { removeUsersIfDue } from './removal.ts'
import { unconfirmedUsers } from './store.ts'

const dayMs = 86_400_000
/** 02:30 UTC. */
const offsetSeconds = 2.5 * 3600

/** Whether the address of a person who has never signed in was not confirmed since a time (contract 20 R10). */
export const isUnconfirmed = (user: UserRow, since: string): boolean =>
  user.confirmed_at === null &&
  user.bot_kind === null &&
  user.state === 'active' &&
  user.sign_in_count === 0 &&
  !user.is_admin &&
  user.created_at < since

/** The daily job that deletes unconfirmed users, where the settings say so (contract 20 R10). */
export const removeUnconfirmedUsers: Job<null> = {
  kind: 'users.remove_unconfirmed',
  queue: 'maintenance',
  every: { seconds: dayMs / 1000, offsetSeconds },
  async run(platform, _, { signal }) {
    const { database, settings, clock } = platform
    const current = await settings.current()
    if (!current.delete_unconfirmed_users || current.email_confirmation_setting === 'off') return
    const since = new Date(clock.now().getTime() - current.unconfirmed_users_delete_after_days * dayMs).toISOString()
    const find = (afterId: number, limit: number) => unconfirmedUsers(database.read, since, afterId, limit)
    await removeUsersIfDue(platform, signal, find, (_tx, user) => isUnconfirmed(user, since))
  },
}
