import {
  type Actor,
  nothing,
  type Operation,
  operation,
  pageOf,
  reading,
  requireUnmodified,
  t,
  type UserActor,
  unauthorized,
  writing,
} from '../../../api/index.ts'
import type { ProjectSubject } from '../core/access.ts'
import { visibilities } from '../core/visibility.ts'
import type { ProjectLists } from '../lists/lists.ts'
import { listParams, projectPages } from '../lists/operations.ts'
import { forkedFrom } from '../lists/store/scopes.ts'
import { ProjectObject } from '../present/present.ts'
import type { Forking } from './forks.ts'
import type { ForkLinks } from './links.ts'

const tag = 'Projects'

export type ForkOperationsNeeds = {
  project: ProjectSubject
  forking: Forking
  links: ForkLinks
  lists: ProjectLists
}

/** Nobody without an account gets as far as forking. */
function known(actor: Actor): UserActor {
  if (actor.kind !== 'user') throw unauthorized()
  return actor
}

const forkParams = {
  namespace_id: t.integer({ description: 'Where to make the fork; the own namespace unless told' }),
  namespace_path: t.string({ description: 'The same, by full path' }),
  namespace: t.string({ description: 'Older form: id or full path' }),
  name: t.string(),
  path: t.string(),
  description: t.string(),
  visibility: t.oneOf(visibilities, { description: 'At most that of the source' }),
  mr_default_target_self: t.boolean(),
  branches: t.string({ description: 'The only branch to copy; all unless told' }),
}

function makingOperations({ project, forking, lists }: ForkOperationsNeeds): Operation[] {
  return [
    operation({
      id: 'projects.fork',
      contract: 'x.projects_fork',
      method: 'POST',
      path: '/projects/:id/fork',
      tag,
      summary: 'Fork a project',
      description: 'The fork is there at once; its repository is copied in the background, as `import_status` tells.',
      subject: project,
      allow: 'ask_for_fork',
      scopes: writing,
      params: forkParams,
      result: [201, ProjectObject],
      run: ({ subject, actor, params }) => forking.fork(subject, known(actor), params),
    }),
    operation({
      id: 'projects.forks',
      contract: 'x.projects_forks',
      method: 'GET',
      path: '/projects/:id/forks',
      tag,
      summary: 'List the forks of a project',
      subject: project,
      allow: 'read_project',
      scopes: reading,
      params: listParams,
      list: projectPages,
      result: [200, pageOf(ProjectObject)],
      run: ({ subject, actor, params, page }) => lists.list(actor, params, page, forkedFrom(subject.id)),
    }),
  ]
}

function linkOperations({ project, links }: ForkOperationsNeeds): Operation[] {
  return [
    operation({
      id: 'projects.fork_link',
      contract: 'x.projects_fork_link',
      method: 'POST',
      path: '/projects/:id/fork/:forked_from_id',
      tag,
      summary: 'Record that a project is a fork of another one',
      subject: project,
      allow: 'link_fork',
      scopes: writing,
      result: [201, ProjectObject],
      run: ({ subject, actor, request }) => links.link(subject, request.path.forked_from_id ?? '', actor),
    }),
    operation({
      id: 'projects.fork_unlink',
      contract: 'x.projects_fork_unlink',
      method: 'DELETE',
      path: '/projects/:id/fork',
      tag,
      summary: 'End the relation of a fork to its source',
      subject: project,
      allow: 'link_fork',
      scopes: writing,
      result: [204, nothing],
      answers: { 304: 'The project is no fork.' },
      async run({ subject, request, setStatus }) {
        const wasFork = await links.unlink(subject, (updatedAt) => requireUnmodified(request, updatedAt))
        if (!wasFork) setStatus(304)
      },
    }),
  ]
}

/** Forks, and how they hang together (contract 21). */
export function forkOperations(needs: ForkOperationsNeeds): Operation[] {
  return [...makingOperations(needs), ...linkOperations(needs)]
}
