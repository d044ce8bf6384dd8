import { instance, pageOf, reading } from '../../../api/index.ts'
import { operation } from '../../../platform/index.ts'
import { group } from '../access.ts'
import { Group } from '../core/present.ts'
import { listGroups, listInvitedGroups, listInvitingGroups, listSubgroups } from './lists.ts'
import { groupFilter, invitedFilter, invitingFilter } from './params.ts'

const tag = 'Groups'

export const groupsList = operation({
  id: 'groups.list',
  contract: 'x.groups_list',
  method: 'GET',
  path: '/groups',
  tag,
  summary: 'List groups',
  description:
    'Without credentials the public groups; otherwise the groups of which the caller is a member, with `all_available` ' +
    'all that the caller may see.',
  subject: instance,
  allow: 'public',
  scopes: reading,
  params: groupFilter,
  list: { keyset: { name: ['asc'] }, keysetDefault: { orderBy: 'name', sort: 'asc' } },
  result: [200, pageOf(Group)],
  run: ({ platform, actor, params, page }) => listGroups(platform, actor, params, page),
})

const ofGroup = { method: 'GET', tag, subject: group, scopes: reading, result: [200, pageOf(Group)] } as const

export const groupsSubgroups = operation({
  ...ofGroup,
  id: 'groups.subgroups',
  contract: 'x.groups_subgroups',
  path: '/groups/:id/subgroups',
  summary: 'List the direct subgroups of a group',
  allow: 'read_group',
  params: groupFilter,
  run: ({ platform, subject, actor, params, page }) =>
    listSubgroups(platform, actor, subject, 'children', params, page),
})

export const groupsDescendants = operation({
  ...ofGroup,
  id: 'groups.descendants',
  contract: 'x.groups_descendants',
  path: '/groups/:id/descendant_groups',
  summary: 'List all groups below a group',
  allow: 'read_group',
  params: groupFilter,
  run: ({ platform, subject, actor, params, page }) => listSubgroups(platform, actor, subject, 'all', params, page),
})

export const groupsShared = operation({
  ...ofGroup,
  id: 'groups.shared',
  contract: 'x.groups_shared',
  path: '/groups/:id/groups/shared',
  summary: 'List the groups that a group was invited to',
  allow: 'read_group_shares',
  params: invitingFilter,
  run: ({ platform, subject, actor, params, page }) => listInvitingGroups(platform, actor, subject, params, page),
})

export const groupsInvited = operation({
  ...ofGroup,
  id: 'groups.invited',
  contract: 'x.groups_invited',
  path: '/groups/:id/invited_groups',
  summary: 'List the groups that were invited to a group',
  allow: 'read_group',
  params: invitedFilter,
  run: ({ platform, subject, actor, params, page }) => listInvitedGroups(platform, actor, subject, params, page),
})
