import { instance, pageOf, reading, readingUsers, requireSignedIn, t, writing } from '../../../api/index.ts'
import { operation } from '../../../platform/index.ts'
import { requireUser } from '../../users/index.ts'
import { project } from '../core/access.ts'
import { listProjects } from '../lists/lists.ts'
import { projectList } from '../lists/params.ts'
import { starredBy } from '../lists/store/filters.ts'
import { ProjectObject } from '../present/present.ts'
import { listStarrers, Starrer, starProject, unstarProject } from './stars.ts'

const tag = 'Projects'
const star = { method: 'POST', tag, subject: project, allow: 'star_project', scopes: writing } as const

export const projectsStar = operation({
  ...star,
  id: 'projects.star',
  contract: 'x.projects_star',
  path: '/projects/:id/star',
  summary: 'Star a project',
  result: [201, ProjectObject],
  answers: { 304: 'The caller has starred the project already.' },
  async run({ platform, subject, actor, setStatus }) {
    const { isChanged, project: starred } = await starProject(platform, subject, requireSignedIn(actor))
    if (!isChanged) setStatus(304)
    return starred
  },
})

export const projectsUnstar = operation({
  ...star,
  id: 'projects.unstar',
  contract: 'x.projects_unstar',
  path: '/projects/:id/unstar',
  summary: 'Remove the star from a project',
  result: [201, ProjectObject],
  answers: { 304: 'The caller has not starred the project.' },
  async run({ platform, subject, actor, setStatus }) {
    const { isChanged, project: unstarred } = await unstarProject(platform, subject, requireSignedIn(actor))
    if (!isChanged) setStatus(304)
    return unstarred
  },
})

export const projectsStarrers = operation({
  id: 'projects.starrers',
  contract: 'x.projects_starrers',
  method: 'GET',
  path: '/projects/:id/starrers',
  tag,
  summary: 'List the users who starred a project',
  subject: project,
  allow: 'read_project',
  scopes: reading,
  params: { search: t.string() },
  result: [200, pageOf(Starrer)],
  run: ({ platform, subject, actor, params, page }) =>
    listStarrers(platform, subject, { search: params.search, actor }, page),
})

export const projectsStarredByUser = operation({
  ...projectList,
  id: 'projects.starred_by_user',
  contract: 'x.users_starred',
  path: '/users/:id_or_username/starred_projects',
  summary: 'List the projects that a user has starred',
  description: 'For a private profile the list is empty, except for the user and administrators.',
  subject: instance,
  allow: 'public',
  scopes: readingUsers,
  async run({ platform, actor, params: { id_or_username: name, ...params }, page }) {
    const user = await requireUser(platform.database.read, name)
    const isTrusted = actor.kind === 'user' && (actor.administrator || actor.userId === user.id)
    if (user.private_profile && !isTrusted) return { items: [], total: 0 }
    return listProjects(platform, actor, params, page, { predicates: (context) => [starredBy(context, user.id)] })
  },
})
