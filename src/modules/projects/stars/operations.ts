import {
  type Actor,
  instance,
  notFound,
  type Operation,
  operation,
  pageOf,
  reading,
  readingUsers,
  t,
  unauthorized,
  writing,
} from '../../../api/index.ts'
import type { Database } from '../../../infra/database/index.ts'
import { userByIdOrUsername } from '../../users/index.ts'
import type { ProjectSubject } from '../core/access.ts'
import type { ProjectLists } from '../lists/lists.ts'
import { listParams, projectPages } from '../lists/operations.ts'
import { ProjectObject } from '../present/present.ts'
import { Starrer, type Stars } from './stars.ts'
import { starredBy } from './store.ts'

const tag = 'Projects'

export type StarOperationsNeeds = { database: Database; project: ProjectSubject; stars: Stars; lists: ProjectLists }

/** Nobody without an account gets as far as starring. */
function userIdOf(actor: Actor): number {
  if (actor.kind !== 'user') throw unauthorized()
  return actor.userId
}

function starringOperations({ project, stars }: StarOperationsNeeds): Operation[] {
  return [
    operation({
      id: 'projects.star',
      contract: 'x.projects_star',
      method: 'POST',
      path: '/projects/:id/star',
      tag,
      summary: 'Star a project',
      subject: project,
      allow: 'star_project',
      scopes: writing,
      result: [201, ProjectObject],
      answers: { 304: 'The caller has starred the project already.' },
      async run({ subject, actor, setStatus }) {
        const { isChanged, project: starred } = await stars.star(subject, actor, userIdOf(actor))
        if (!isChanged) setStatus(304)
        return starred
      },
    }),
    operation({
      id: 'projects.unstar',
      contract: 'x.projects_unstar',
      method: 'POST',
      path: '/projects/:id/unstar',
      tag,
      summary: 'Take the star of a project back',
      subject: project,
      allow: 'star_project',
      scopes: writing,
      result: [201, ProjectObject],
      answers: { 304: 'The caller has not starred the project.' },
      async run({ subject, actor, setStatus }) {
        const { isChanged, project: unstarred } = await stars.unstar(subject, actor, userIdOf(actor))
        if (!isChanged) setStatus(304)
        return unstarred
      },
    }),
  ]
}

function starListOperations({ database, project, stars, lists }: StarOperationsNeeds): Operation[] {
  return [
    operation({
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
      run: ({ subject, actor, params, page }) => stars.starrers(subject, { search: params.search, actor }, page),
    }),
    operation({
      id: 'projects.starred_by_user',
      contract: 'x.users_starred',
      method: 'GET',
      path: '/users/:id_or_username/starred_projects',
      tag,
      summary: 'List the projects that a user has starred',
      description: 'Of users with a private profile only they themselves and administrators see them.',
      subject: instance,
      allow: 'public',
      scopes: readingUsers,
      params: listParams,
      list: projectPages,
      result: [200, pageOf(ProjectObject)],
      async run({ actor, params, page, request }) {
        const user = await userByIdOrUsername(database.read, request.path.id_or_username ?? '')
        if (!user) throw notFound('User')
        const isTrusted = actor.kind === 'user' && (actor.administrator || actor.userId === user.id)
        if (user.private_profile && !isTrusted) return { items: [], total: 0 }
        return lists.list(actor, params, page, starredBy(user.id))
      },
    }),
  ]
}

/** Stars (contract 21). */
export function starOperations(needs: StarOperationsNeeds): Operation[] {
  return [...starringOperations(needs), ...starListOperations(needs)]
}
