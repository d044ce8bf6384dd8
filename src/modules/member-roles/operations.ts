import { instance, nothing, pageOf, reading, writing } from '../../api/index.ts'
import { operation } from '../../platform/index.ts'
import { group } from '../groups/index.ts'
import { createMemberRole, deleteMemberRole, listMemberRoles } from './member-roles.ts'
import { groupMemberRoleFilter, memberRoleId, newGroupMemberRole, newMemberRole } from './params.ts'
import { MemberRole } from './present.ts'

const shared = { tier: 'ultimate', tag: 'Member roles' } as const
const ofInstance = { ...shared, subject: instance, allow: 'administrator' } as const
const readsGroup = { ...shared, subject: group, allow: 'read_member_roles' } as const
const writesGroup = { ...shared, subject: group, allow: 'admin_member_roles' } as const

export const memberRolesList = operation({
  ...ofInstance,
  id: 'member_roles.list',
  contract: 'x.member_role_list',
  method: 'GET',
  path: '/member_roles',
  summary: 'List the member roles of the instance',
  scopes: reading,
  result: [200, pageOf(MemberRole)],
  run: ({ platform, page }) => listMemberRoles(platform, null, {}, page),
})

export const memberRolesCreate = operation({
  ...ofInstance,
  id: 'member_roles.create',
  contract: 'x.member_role_create',
  method: 'POST',
  path: '/member_roles',
  summary: 'Create a member role of the instance',
  description: 'A member with the role has its base level, and what its permissions add in the group or project.',
  scopes: writing,
  params: newMemberRole,
  result: [201, MemberRole],
  run: ({ platform, params, act }) => createMemberRole(platform, null, params, act),
})

export const memberRolesDelete = operation({
  ...ofInstance,
  id: 'member_roles.delete',
  contract: 'x.member_role_delete',
  method: 'DELETE',
  path: '/member_roles/:member_role_id',
  summary: 'Delete a member role of the instance',
  description: 'Refused while a member, an invitation or a link of groups has it.',
  scopes: writing,
  params: memberRoleId,
  result: [204, nothing],
  run: ({ platform, params, unmodified, act }) =>
    deleteMemberRole(platform, null, params.member_role_id, { unmodified, act }),
})

export const groupMemberRolesList = operation({
  ...readsGroup,
  id: 'group_member_roles.list',
  contract: 'x.group_member_role_list',
  method: 'GET',
  path: '/groups/:id/member_roles',
  summary: 'List the member roles of a group',
  scopes: reading,
  params: groupMemberRoleFilter,
  result: [200, pageOf(MemberRole)],
  run: ({ platform, subject, params, page }) => listMemberRoles(platform, subject, params, page),
})

export const groupMemberRolesCreate = operation({
  ...writesGroup,
  id: 'group_member_roles.create',
  contract: 'x.group_member_role_create',
  method: 'POST',
  path: '/groups/:id/member_roles',
  summary: 'Create a member role of a top-level group',
  description: 'A member with the role has its base level, and what its permissions add in the group or project.',
  scopes: writing,
  params: newGroupMemberRole,
  result: [201, MemberRole],
  run: ({ platform, subject, params, act }) => createMemberRole(platform, subject, params, act),
})

export const groupMemberRolesDelete = operation({
  ...writesGroup,
  id: 'group_member_roles.delete',
  contract: 'x.group_member_role_delete',
  method: 'DELETE',
  path: '/groups/:id/member_roles/:member_role_id',
  summary: 'Delete a member role of a group',
  description: 'Refused while a member, an invitation or a link of groups has it.',
  scopes: writing,
  params: memberRoleId,
  result: [204, nothing],
  run: ({ platform, subject, params, unmodified, act }) =>
    deleteMemberRole(platform, subject, params.member_role_id, { unmodified, act }),
})
