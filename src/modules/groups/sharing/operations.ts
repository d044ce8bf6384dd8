import { nothing, t, writing } from '../../../api/index.ts'
import { operation } from '../../../platform/index.ts'
import { group } from '../access.ts'
import { GroupDetail } from '../core/present.ts'
import { groupShare, shareGroup, unshareGroup } from './sharing.ts'

const shared = { tag: 'Groups', subject: group, allow: 'share', scopes: writing } as const

export const groupsShare = operation({
  ...shared,
  id: 'groups.share',
  contract: 'x.groups_share',
  method: 'POST',
  path: '/groups/:id/share',
  summary: 'Share a group with a group',
  params: groupShare,
  result: [201, GroupDetail],
  run: ({ platform, subject, actor, params, act }) => shareGroup(platform, { actor, act }, subject, params),
})

export const groupsUnshare = operation({
  ...shared,
  id: 'groups.unshare',
  contract: 'x.groups_unshare',
  method: 'DELETE',
  path: '/groups/:id/share/:group_id',
  summary: 'End the share of a group with a group',
  params: { group_id: t.id() },
  result: [204, nothing],
  run: ({ platform, subject, params, unmodified, act }) =>
    unshareGroup(platform, subject, params.group_id, { unmodified, act }),
})
