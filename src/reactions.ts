import { addGroupOwner } from './modules/members/index.ts'
import { removeInvitedGroup } from './modules/protected-branches/index.ts'
import { retireBotsOfGroup } from './modules/tokens/index.ts'
import type { Reactions } from './platform/index.ts'

/** What follows each event, in this order, in the transaction of the event. */
export const reactions: Reactions = {
  'group.created': [addGroupOwner],
  'group.moved': [],
  'group.unshared': [removeInvitedGroup],
  'group.removed': [retireBotsOfGroup],
}
