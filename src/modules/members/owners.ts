import { now } from '../../infra/database/index.ts'
import type { Events, Reaction } from '../../platform/index.ts'
import { role } from '../access/index.ts'
import { insertMembers } from './store/members.ts'

/** Makes the user who created a group its owner (contract 21, x.groups_create). */
export const addGroupOwner: Reaction<Events['group.created']> = async ({ clock }, tx, { groupId, userId }) => {
  if (userId === null) return
  const source = { kind: 'group', id: groupId, namespaceId: groupId } as const
  await insertMembers(tx, source, [{ user_id: userId, access_level: role.owner, created_at: now(clock) }])
}
