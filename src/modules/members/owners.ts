import { now } from '../../infra/database/index.ts'
import type { Events, Reaction } from '../../platform/index.ts'
import { insertMembers, role } from '../access/index.ts'

/** Makes the user who created a group its owner (contract 21, x.groups_create). */
export const addGroupOwner: Reaction<Events['group.created']> = async ({ clock }, tx, { groupId: id, userId }) => {
  if (userId === null) return
  const owner = { user_id: userId, access_level: role.owner, created_at: now(clock) }
  await insertMembers(tx, { kind: 'group', id }, [owner])
}
