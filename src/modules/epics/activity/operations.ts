import type { Actor } from '../../../api/index.ts'
import { nested, type Platform, pathNumber } from '../../../platform/index.ts'
import { type GroupAbility, role } from '../../access/index.ts'
import { group } from '../../groups/index.ts'
import { type IssuableKind, noteAccess, resourceEventOperations } from '../../issuables/index.ts'
import { commentOperations, type NoteAccess, reactionOperations } from '../../notes/index.ts'
import { callerLevel } from '../../projects/index.ts'
import { awardedEpic, type Epic, maySeeConfidential } from '../core/access.ts'
import { presentEpic } from '../core/load.ts'
import { Epic as EpicObject } from '../core/present.ts'
import { epicsByIds } from '../core/store.ts'
import { groupOf, issuableOf, quickActions } from './commands.ts'

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

/** What a caller may do with the notes of an epic: all signed-in readers of a public group may comment (contract 26 R1). */
function accessOf(row: Epic, actor: Actor, platform: Platform): NoteAccess {
  const level = callerLevel(actor, row.group)
  const access = noteAccess(platform, issuableOf(row), actor, { level })
  const mayComment = level >= role.guest || row.group.visibility === 'public'
  return { ...access, noteable: { ...access.noteable, iid: null }, mayComment }
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
  parentOf: groupOf,
  accessOf,
}

/** The records of changes of epics (contract 18). */
export const events = resourceEventOperations(kind)

const talked = { ...kind, tier: 'premium', write: 'comment_on_epics' } as const

/** Notes and threads of epics, which name the epic by its id, and reactions, which name it by its iid (contract 26 R1). */
export const comments = commentOperations<Epic, GroupAbility>({ ...talked, commands: quickActions })
export const reactions = reactionOperations<Epic, GroupAbility>({
  ...talked,
  path: '/groups/:id/epics/:epic_iid',
  subject: awardedEpic,
})
