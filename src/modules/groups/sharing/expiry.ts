import type { Tx } from '../../../infra/database/index.ts'
import { type Platform, react } from '../../../platform/index.ts'
import { deleteExpiredGroupLink, expiredGroupLinks, expiryJob } from '../../access/index.ts'

/** Ends the share of a group with another one if its day has come. */
export async function endExpiredShare(
  platform: Platform,
  tx: Tx,
  groupId: number,
  invitedId: number,
  today: string,
): Promise<void> {
  const hasEnded = await deleteExpiredGroupLink(tx, { namespace_id: groupId }, invitedId, today)
  if (hasEnded) await react(platform, tx, 'group.unshared', { groupId, invitedId })
}

/** Ends shares of groups that have expired (contract 21 R1). */
export const endExpiredShares = expiryJob('groups.end_expired_shares', {
  find: (db, today, limit) => expiredGroupLinks(db, 'namespace_id', today, limit),
  end: (platform, tx, { namespace_id: groupId, group_id: invitedId }, today) =>
    endExpiredShare(platform, tx, groupId as number, invitedId, today),
})
