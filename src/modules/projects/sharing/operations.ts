import { nothing, pageOf, reading, t, writing } from '../../../api/index.ts'
import { operation } from '../../../platform/index.ts'
import { PublicGroup } from '../../namespaces/index.ts'
import { UserBasic } from '../../users/index.ts'
import { project } from '../core/access.ts'
import { listGroupsOfProject, listInvitedGroups, listShareLocations } from './groups.ts'
import { groupFilter, invitedFilter, shareParams, userFilter } from './params.ts'
import { ProjectGroupLink, shareProject, unshareProject } from './sharing.ts'
import { listUsersOfProject } from './users.ts'

const tag = 'Projects'
const read = { method: 'GET', tag, subject: project, scopes: reading } as const
const change = { tag, subject: project, allow: 'share', scopes: writing } as const

export const projectsShare = operation({
  ...change,
  id: 'projects.share',
  contract: 'x.projects_share',
  method: 'POST',
  path: '/projects/:id/share',
  summary: 'Share a project with a group',
  params: shareParams,
  result: [201, ProjectGroupLink],
  run: ({ platform, subject, actor, params, act }) => shareProject(platform, subject, params, { actor, act }),
})

export const projectsUnshare = operation({
  ...change,
  id: 'projects.unshare',
  contract: 'x.projects_unshare',
  method: 'DELETE',
  path: '/projects/:id/share/:group_id',
  summary: 'Stop sharing a project with a group',
  params: { group_id: t.id() },
  result: [204, nothing],
  run: ({ platform, subject, actor, params, unmodified, act }) =>
    unshareProject(platform, subject, params.group_id, { actor, unmodified, act }),
})

export const projectsShareLocations = operation({
  ...read,
  id: 'projects.share_locations',
  contract: 'x.projects_share_locations',
  path: '/projects/:id/share_locations',
  summary: 'List the groups that a project can be shared with',
  allow: 'admin_project',
  params: { search: t.string() },
  result: [200, pageOf(PublicGroup)],
  run: ({ platform, subject, actor, params, page }) =>
    listShareLocations(platform, subject, params.search, actor, page),
})

export const projectsInvitedGroups = operation({
  ...read,
  id: 'projects.invited_groups',
  contract: 'x.projects_invited_groups',
  path: '/projects/:id/invited_groups',
  summary: 'List the groups that a project is shared with',
  allow: 'read_project',
  params: invitedFilter,
  result: [200, pageOf(PublicGroup)],
  run: ({ platform, subject, actor, params, page }) => listInvitedGroups(platform, subject, params, actor, page),
})

export const projectsUsers = operation({
  ...read,
  id: 'projects.users',
  contract: 'x.projects_users',
  path: '/projects/:id/users',
  summary: 'List the users who have access to a project',
  allow: 'read_project',
  params: userFilter,
  result: [200, pageOf(UserBasic)],
  run: ({ platform, subject, actor, params, page }) => listUsersOfProject(platform, subject, params, actor, page),
})

export const projectsGroups = operation({
  ...read,
  id: 'projects.groups',
  contract: 'x.projects_groups',
  path: '/projects/:id/groups',
  summary: 'List the groups above a project, and those that it is shared with',
  allow: 'read_project',
  params: groupFilter,
  result: [200, pageOf(PublicGroup)],
  run: ({ platform, subject, actor, params, page }) => listGroupsOfProject(platform, subject, params, actor, page),
})
