import type { Tx } from '../../../infra/database/index.ts'
import { type Platform, react } from '../../../platform/index.ts'
import { deleteExpiredGroupLink, expiredGroupLinks, expiryJob } from '../../access/index.ts'

/** Ends the share of a project with a group if its day has come. */
export async function endExpiredShare(
  platform: Platform,
  tx: Tx,
  projectId: number,
  groupId: number,
  today: string,
): Promise<void> {
  const hasEnded = await deleteExpiredGroupLink(tx, { project_id: projectId }, groupId, today)
  if (hasEnded) await react(platform, tx, 'project.unshared', { projectId, groupId })
}

/** Ends shares of projects that have expired (contract 21 R1). */
export const endExpiredShares = expiryJob('projects.end_expired_shares', {
  find: (db, today, limit) => expiredGroupLinks(db, 'project_id', today, limit),
  end: (platform, tx, { project_id: projectId, group_id: groupId }, today) =>
    endExpiredShare(platform, tx, projectId as number, groupId, today),
})
