import { instance, raw, reading, t, writing } from '../../../api/index.ts'
import { operation } from '../../../platform/index.ts'
import { withAttributes } from '../../custom-attributes/index.ts'
import { avatarOf } from '../../users/index.ts'
import { group } from '../access.ts'
import { createGroup } from './create.ts'
import { presentGroupDetail } from './detail.ts'
import { groupChanges, newGroup } from './params.ts'
import { GroupDetail } from './present.ts'
import { changeGroup } from './update.ts'

const shared = { tag: 'Groups', subject: group, scopes: writing } as const

export const groupsCreate = operation({
  ...shared,
  id: 'groups.create',
  contract: 'x.groups_create',
  method: 'POST',
  path: '/groups',
  summary: 'Create a group or subgroup',
  subject: instance,
  allow: 'authenticated',
  params: newGroup,
  result: [201, GroupDetail],
  run: ({ platform, actor, params, act }) => createGroup(platform, { actor, act }, params),
})

export const groupsGet = operation({
  ...shared,
  id: 'groups.get',
  contract: 'x.groups_get',
  method: 'GET',
  path: '/groups/:id',
  summary: 'Get a group',
  allow: 'read_group',
  scopes: reading,
  params: {
    with_projects: t.boolean({ description: 'Whether its projects are shown; the default' }),
    ...withAttributes,
  },
  result: [200, GroupDetail],
  run: ({ platform, subject, actor, params }) => presentGroupDetail(platform, actor, subject, params),
})

export const groupsUpdate = operation({
  ...shared,
  id: 'groups.update',
  contract: 'x.groups_update',
  method: 'PUT',
  path: '/groups/:id',
  summary: 'Change a group',
  allow: 'admin_group',
  params: groupChanges,
  result: [200, GroupDetail],
  run: ({ platform, subject, actor, params, act }) => changeGroup(platform, { actor, act }, subject, params),
})

export const groupsAvatar = operation({
  ...shared,
  id: 'groups.avatar',
  contract: 'x.groups_avatar',
  method: 'GET',
  path: '/groups/:id/avatar',
  summary: 'Get the avatar of a group',
  allow: 'read_group',
  scopes: reading,
  result: [200, { ...raw, mediaType: 'image/*' }],
  run: ({ platform, subject }) => avatarOf(platform, 'group', subject),
})
