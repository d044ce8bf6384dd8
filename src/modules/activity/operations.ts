import { instance, pageOf, reading, readingUsers } from '../../api/index.ts'
import { operation } from '../../platform/index.ts'
import { listProjects, project, projectList } from '../projects/index.ts'
import { requireVisibleUser } from '../users/index.ts'
import { listOwnEvents, listProjectEvents, listUserEvents } from './lists.ts'
import { eventFilter, ownEventFilter } from './params.ts'
import { Event } from './present.ts'
import { contributedBy } from './store.ts'

const shared = { tag: 'Events', method: 'GET', result: [200, pageOf(Event)] } as const

export const eventsList = operation({
  ...shared,
  id: 'events.list',
  contract: 'x.events_list',
  path: '/events',
  summary: 'List your activities',
  subject: instance,
  allow: 'authenticated',
  scopes: readingUsers,
  params: ownEventFilter,
  run: ({ platform, actor, params, page }) => listOwnEvents(platform, actor, params, page),
})

export const eventsOfUser = operation({
  ...shared,
  id: 'events.of_user',
  contract: 'x.users_events',
  path: '/users/:id_or_username/events',
  summary: 'List the activities of a user',
  description: 'As far as the caller can see their projects and targets.',
  subject: instance,
  allow: 'public',
  scopes: readingUsers,
  params: eventFilter,
  run: ({ platform, actor, params: { id_or_username: name, ...filter }, page }) =>
    listUserEvents(platform, actor, name, filter, page),
})

export const eventsOfProject = operation({
  ...shared,
  id: 'events.of_project',
  contract: 'x.projects_events',
  path: '/projects/:id/events',
  summary: 'List the activities in a project',
  subject: project,
  allow: 'read_project',
  scopes: reading,
  params: eventFilter,
  run: ({ platform, subject, actor, params, page }) => listProjectEvents(platform, subject, actor, params, page),
})

export const projectsContributedTo = operation({
  ...projectList,
  id: 'projects.contributed_to',
  contract: 'x.users_contributed',
  path: '/users/:id_or_username/contributed_projects',
  summary: 'List the projects that a user has contributed to',
  subject: instance,
  allow: 'public',
  scopes: readingUsers,
  async run({ platform, actor, params: { id_or_username: name, ...params }, page }) {
    const user = await requireVisibleUser(platform, name, actor)
    return listProjects(platform, actor, params, page, contributedBy(user.id))
  },
})
