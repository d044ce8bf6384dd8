import { nothing, reading, requireSignedIn, writing } from '../../../api/index.ts'
import { operation } from '../../../platform/index.ts'
import { project } from '../core/access.ts'
import { listProjects } from '../lists/lists.ts'
import { projectList } from '../lists/params.ts'
import { forkedFrom } from '../lists/store/scopes.ts'
import { ProjectObject } from '../present/present.ts'
import { forkProject } from './forks.ts'
import { linkFork, unlinkFork } from './links.ts'
import { forkParams } from './params.ts'

const tag = 'Projects'
const change = { tag, subject: project, allow: 'link_fork', scopes: writing } as const

export const projectsFork = operation({
  id: 'projects.fork',
  contract: 'x.projects_fork',
  method: 'POST',
  path: '/projects/:id/fork',
  tag,
  summary: 'Fork a project',
  description:
    'The fork exists at once; its repository is copied in the background. `import_status` shows the progress.',
  subject: project,
  allow: 'ask_for_fork',
  scopes: writing,
  params: forkParams,
  result: [201, ProjectObject],
  run: ({ platform, subject, actor, params }) => forkProject(platform, subject, requireSignedIn(actor), params),
})

export const projectsForks = operation({
  ...projectList,
  id: 'projects.forks',
  contract: 'x.projects_forks',
  path: '/projects/:id/forks',
  summary: 'List the forks of a project',
  subject: project,
  allow: 'read_project',
  scopes: reading,
  run: ({ platform, subject, actor, params, page }) =>
    listProjects(platform, actor, params, page, forkedFrom(subject.id)),
})

export const projectsForkLink = operation({
  ...change,
  id: 'projects.fork_link',
  contract: 'x.projects_fork_link',
  method: 'POST',
  path: '/projects/:id/fork/:forked_from_id',
  summary: 'Record that a project is a fork of another one',
  result: [201, ProjectObject],
  run: ({ platform, subject, actor, params }) => linkFork(platform, subject, params.forked_from_id, actor),
})

export const projectsForkUnlink = operation({
  ...change,
  id: 'projects.fork_unlink',
  contract: 'x.projects_fork_unlink',
  method: 'DELETE',
  path: '/projects/:id/fork',
  summary: 'End the relation of a fork to its source',
  result: [204, nothing],
  answers: { 304: 'The project is no fork.' },
  async run({ platform, subject, unmodified, setStatus }) {
    if (!(await unlinkFork(platform, subject, unmodified))) setStatus(304)
  },
})
