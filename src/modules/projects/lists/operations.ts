import { instance, reading, readingUsers } from '../../../api/index.ts'
import { operation } from '../../../platform/index.ts'
import { group } from '../../groups/index.ts'
import { requireUser } from '../../users/index.ts'
import { today } from '../core/access.ts'
import { listProjects } from './lists.ts'
import { groupListParams, projectList } from './params.ts'
import { inGroup, ownedByUser, sharedWith } from './store/scopes.ts'

export const projectsList = operation({
  ...projectList,
  id: 'projects.list',
  contract: 'x.projects_list',
  path: '/projects',
  summary: 'List projects',
  description: 'The projects that the caller can see; for anonymous users the public ones, at the basic level.',
  subject: instance,
  allow: 'public',
  scopes: reading,
  run: ({ platform, actor, params, page }) => listProjects(platform, actor, params, page),
})

export const projectsOfUser = operation({
  ...projectList,
  id: 'projects.of_user',
  contract: 'x.users_projects',
  path: '/users/:id_or_username/projects',
  summary: 'List the projects in the personal namespace of a user',
  subject: instance,
  allow: 'public',
  scopes: readingUsers,
  async run({ platform, actor, params: { id_or_username: name, ...params }, page }) {
    const user = await requireUser(platform.database.read, name)
    const isCaller = actor.kind === 'user' && actor.userId === user.id
    return listProjects(platform, actor, params, page, ownedByUser(user.id, isCaller))
  },
})

export const projectsOfGroup = operation({
  ...projectList,
  id: 'projects.of_group',
  contract: 'x.groups_projects',
  path: '/groups/:id/projects',
  summary: 'List the projects of a group',
  subject: group,
  allow: 'read_group',
  scopes: reading,
  params: groupListParams,
  run({ platform, subject, actor, params, page }) {
    const scope = inGroup(today(platform), subject, params)
    return listProjects(platform, actor, params, page, scope)
  },
})

export const projectsSharedWithGroup = operation({
  ...projectList,
  id: 'projects.shared_with_group',
  contract: 'x.groups_projects_shared',
  path: '/groups/:id/projects/shared',
  summary: 'List the projects that are shared with a group',
  subject: group,
  allow: 'read_group',
  scopes: reading,
  run({ platform, subject, actor, params, page }) {
    const scope = sharedWith(today(platform), subject.id)
    return listProjects(platform, actor, params, page, scope)
  },
})
