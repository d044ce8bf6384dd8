import { forms, writing } from '../../../api/index.ts'
import { operation } from '../../../platform/index.ts'
import { group } from '../access.ts'
import { GroupDetail } from '../core/present.ts'
import { deleteGroup, groupDeletion, restoreGroup } from './deletion.ts'

const shared = { tag: 'Groups', subject: group, allow: 'delete_group', scopes: writing } as const

export const groupsDelete = operation({
  ...shared,
  id: 'groups.delete',
  contract: 'x.groups_delete',
  method: 'DELETE',
  path: '/groups/:id',
  summary: 'Delete a group',
  description:
    'Marks the group for deletion; it is removed after the period that the instance sets. A marked subgroup can be ' +
    'removed at once.',
  params: groupDeletion,
  result: [202, forms.accepted],
  async run({ platform, subject, params, unmodified, act }) {
    await deleteGroup(platform, subject, params, { unmodified, act })
    return { message: '202 Accepted' }
  },
})

export const groupsRestore = operation({
  ...shared,
  id: 'groups.restore',
  contract: 'x.groups_restore',
  method: 'POST',
  path: '/groups/:id/restore',
  summary: 'Undo a scheduled deletion',
  result: [201, GroupDetail],
  run: ({ platform, subject, actor }) => restoreGroup(platform, actor, subject),
})
