import { instance, pageOf, reading, readingUsers } from '../../../api/index.ts'
import { operation } from '../../../platform/index.ts'
import { group } from '../../groups/index.ts'
import { requireUser } from '../../users/index.ts'
import { today } from '../core/access.ts'
import { ProjectObject } from '../present/present.ts'
import { listProjects } from './lists.ts'
import { groupListParams, listParams, projectPages } from './params.ts'
import { inGroup, ownedByUser, sharedWith } from './store/scopes.ts'

const tag = 'Projects'

export const projectsList = operation({
  id: 'projects.list',
  contract: 'x.projects_list',
  method: 'GET',
  path: '/projects',
  tag,
  summary: 'List projects',
  description: 'The projects that the caller can see; for anonymous users the public ones, at the basic level.',
  subject: instance,
  allow: 'public',
  scopes: reading,
  params: listParams,
  list: projectPages,
  result: [200, pageOf(ProjectObject)],
  run: ({ platform, actor, params, page }) => listProjects(platform, actor, params, page),
})

export const projectsOfUser = operation({
  id: 'projects.of_user',
  contract: 'x.users_projects',
  method: 'GET',
  path: '/users/:id_or_username/projects',
  tag,
  summary: 'List the projects in the personal namespace of a user',
  subject: instance,
  allow: 'public',
  scopes: readingUsers,
  params: listParams,
  list: projectPages,
  result: [200, pageOf(ProjectObject)],
  async run({ platform, actor, params: { id_or_username: name, ...params }, page }) {
    const user = await requireUser(platform.database.read, name)
    return listProjects(platform, actor, params, page, ownedByUser(user.id))
  },
})

export const projectsOfGroup = operation({
  id: 'projects.of_group',
  contract: 'x.groups_projects',
  method: 'GET',
  path: '/groups/:id/projects',
  tag,
  summary: 'List the projects of a group',
  subject: group,
  allow: 'read_group',
  scopes: reading,
  params: groupListParams,
  list: projectPages,
  result: [200, pageOf(ProjectObject)],
  run({ platform, subject, actor, params, page }) {
    const scope = inGroup(platform.database.read, today(platform), subject.id, params)
    return listProjects(platform, actor, params, page, scope)
  },
})

export const projectsSharedWithGroup = operation({
  id: 'projects.shared_with_group',
  contract: 'x.groups_projects_shared',
  method: 'GET',
  path: '/groups/:id/projects/shared',
  tag,
  summary: 'List the projects that are shared with a group',
  subject: group,
  allow: 'read_group',
  scopes: reading,
  params: listParams,
  list: projectPages,
  result: [200, pageOf(ProjectObject)],
  run({ platform, subject, actor, params, page }) {
    const scope = sharedWith(platform.database.read, today(platform), subject.id)
    return listProjects(platform, actor, params, page, scope)
  },
})
