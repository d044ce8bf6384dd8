import { nested, pathNumber } from '../../../platform/index.ts'
import type { GroupAbility } from '../../access/index.ts'
import { group } from '../../groups/index.ts'
import { type IssuableKind, noteAccess, resourceEventOperations } from '../../issuables/index.ts'
import { callerLevel } from '../../projects/index.ts'
import { type Epic, maySeeConfidential } from '../core/access.ts'
import { noteableOf, presentEpic } from '../core/load.ts'
import { Epic as EpicObject } from '../core/present.ts'
import { epicsByIds } from '../core/store.ts'

/** An epic by its id, not its iid (contract 18, 3.33c). */
const epicById = nested(group, {
  name: 'epic by id',
  parameter: 'epic_id',
  read: 'read_epics',
  async find({ database }, parent, id, actor): Promise<Epic | null> {
    const number = pathNumber('epic_id', id)
    const row = (await epicsByIds(database.read, [number])).get(number)
    if (row?.group_id !== parent.id) return null
    return row.confidential && !maySeeConfidential(actor, parent) ? null : { ...row, group: parent }
  },
  parentOf: ({ group: parent }) => parent,
})

const issuableOf = (row: Epic) => {
  const { author_id: authorId, title, description, state, confidential } = row
  return { ...noteableOf(row), authorId, title, description, state, confidential, discussionLocked: false }
}

/** Epics, for the operations that all kinds of issuables have. */
const kind: IssuableKind<Epic, GroupAbility> = {
  type: 'Epic',
  name: 'epic',
  contract: 'epic',
  noun: 'an epic',
  tag: 'Epics',
  path: '/groups/:id/epics/:epic_id',
  subject: epicById,
  show: 'read_epics',
  read: 'read_epic_activity',
  write: 'write_epics',
  result: EpicObject,
  present: (platform, row, actor) => presentEpic(platform, row, actor),
  issuableOf,
  parentOf: ({ group: { id } }) => ({ kind: 'group', id, namespaceId: id }),
  accessOf: (row, actor, platform) =>
    noteAccess(platform, issuableOf(row), actor, { level: callerLevel(actor, row.group) }),
}

/** The records of changes of epics (contract 18). */
export const events = resourceEventOperations(kind)
