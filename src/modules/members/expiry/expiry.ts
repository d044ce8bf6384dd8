import type { Tx } from '../../../infra/database/index.ts'
import { type Platform, react } from '../../../platform/index.ts'
import { deleteMemberships, expiredMembershipIds, expiryJob, holdExpired, type MemberRow } from '../../access/index.ts'

/** Ends a membership whose day has come, and with it nothing below. */
export async function endExpired(platform: Platform, tx: Tx, member: MemberRow): Promise<void> {
  const { id, user_id: userId, project_id: projectId, namespace_id: groupId } = member
  const source =
    projectId === null ? { kind: 'group' as const, id: groupId as number } : { kind: 'project' as const, id: projectId }
  await react(platform, tx, 'members.ending', { source, userId, memberIds: [id], unassignIssuables: false })
  await deleteMemberships(tx, [id])
}

/** Removes memberships that have expired (contract 21 R1). */
export const endExpiredMembers = expiryJob('members.end_expired', {
  find: expiredMembershipIds,
  async end(platform, tx, id, today) {
    for (const member of await holdExpired(tx, [id], today)) await endExpired(platform, tx, member)
  },
})
