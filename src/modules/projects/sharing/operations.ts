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

export const projectsShare = operation({
  id: 'projects.share',
  contract: 'x.projects_share',
  method: 'POST',
  path: '/projects/:id/share',
  tag,
  summary: 'Share a project with a group',
  subject: project,
  allow: 'share',
  scopes: writing,
  params: shareParams,
  result: [201, ProjectGroupLink],
  run: ({ platform, subject, actor, params }) => shareProject(platform, subject, params, actor),
})

export const projectsUnshare = operation({
  id: 'projects.unshare',
  contract: 'x.projects_unshare',
  method: 'DELETE',
  path: '/projects/:id/share/:group_id',
  tag,
  summary: 'Stop sharing a project with a group',
  subject: project,
  allow: 'share',
  scopes: writing,
  params: { group_id: t.id() },
  result: [204, nothing],
  run: ({ platform, subject, actor, params, unmodified }) =>
    unshareProject(platform, subject, params.group_id, actor, unmodified),
})

export const projectsShareLocations = operation({
  id: 'projects.share_locations',
  contract: 'x.projects_share_locations',
  method: 'GET',
  path: '/projects/:id/share_locations',
  tag,
  summary: 'List the groups that a project can be shared with',
  subject: project,
  allow: 'admin_project',
  scopes: reading,
  params: { search: t.string() },
  result: [200, pageOf(PublicGroup)],
  run: ({ platform, subject, actor, params, page }) =>
    listShareLocations(platform, subject, params.search, actor, page),
})

export const projectsInvitedGroups = operation({
  id: 'projects.invited_groups',
  contract: 'x.projects_invited_groups',
  method: 'GET',
  path: '/projects/:id/invited_groups',
  tag,
  summary: 'List the groups that a project is shared with',
  subject: project,
  allow: 'read_project',
  scopes: reading,
  params: invitedFilter,
  result: [200, pageOf(PublicGroup)],
  run: ({ platform, subject, actor, params, page }) => listInvitedGroups(platform, subject, params, actor, page),
})

export const projectsUsers = operation({
  id: 'projects.users',
  contract: 'x.projects_users',
  method: 'GET',
  path: '/projects/:id/users',
  tag,
  summary: 'List the users who have access to a project',
  subject: project,
  allow: 'read_project',
  scopes: reading,
  params: userFilter,
  result: [200, pageOf(UserBasic)],
  run: ({ platform, subject, actor, params, page }) => listUsersOfProject(platform, subject, params, actor, page),
})

export const projectsGroups = operation({
  id: 'projects.groups',
  contract: 'x.projects_groups',
  method: 'GET',
  path: '/projects/:id/groups',
  tag,
  summary: 'List the groups above a project, and those that it is shared with',
  subject: project,
  allow: 'read_project',
  scopes: reading,
  params: groupFilter,
  result: [200, pageOf(PublicGroup)],
  run: ({ platform, subject, actor, params, page }) => listGroupsOfProject(platform, subject, params, actor, page),
})
