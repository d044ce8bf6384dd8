import { instance, pageOf, reading, requireSignedIn } from '../../../api/index.ts'
import { operation } from '../../../platform/index.ts'
import { group } from '../../groups/index.ts'
import { project } from '../../projects/index.ts'
import { idInPath, jobFilter, runnerFilter } from '../core/params.ts'
import { Runner } from '../core/present.ts'
import { listRunnerJobs, RunnerJob } from '../jobs/jobs.ts'
import { listAllRunners, listGroupRunners, listOwnRunners, listProjectRunners } from './lists.ts'

const shared = { tag: 'Runners', method: 'GET', scopes: reading, params: runnerFilter } as const

export const runnersList = operation({
  ...shared,
  id: 'runners.list',
  contract: 'x.runners_list',
  path: '/runners',
  summary: 'List the runners that you administer',
  subject: instance,
  allow: 'authenticated',
  result: [200, pageOf(Runner)],
  run: ({ platform, actor, params, page }) => listOwnRunners(platform, requireSignedIn(actor), params, page),
})

export const runnersAll = operation({
  ...shared,
  id: 'runners.all',
  contract: 'x.runners_all',
  path: '/runners/all',
  summary: 'List all runners of the instance',
  subject: instance,
  allow: 'administrator',
  result: [200, pageOf(Runner)],
  run: ({ platform, params, page }) => listAllRunners(platform, params, page),
})

export const runnersJobs = operation({
  ...shared,
  id: 'runners.jobs',
  contract: 'x.runner_jobs',
  path: '/runners/:id/jobs',
  summary: 'List the jobs that a runner took',
  subject: instance,
  allow: 'authenticated',
  params: { ...idInPath, ...jobFilter },
  result: [200, pageOf(RunnerJob)],
  run: ({ platform, actor, params: { id, ...filter }, page }) => listRunnerJobs(platform, id, actor, filter, page),
})

export const projectRunnersList = operation({
  ...shared,
  id: 'project_runners.list',
  contract: 'x.project_runners_list',
  path: '/projects/:id/runners',
  summary: 'List the runners that may take jobs of a project',
  subject: project,
  allow: 'read_runners',
  result: [200, pageOf(Runner)],
  run: ({ platform, subject, params, page }) => listProjectRunners(platform, subject, params, page),
})

export const groupRunnersList = operation({
  ...shared,
  id: 'group_runners.list',
  contract: 'x.group_runners_list',
  path: '/groups/:id/runners',
  summary: 'List the runners of a group, of the groups above it and of the instance',
  subject: group,
  allow: 'read_runners',
  result: [200, pageOf(Runner)],
  run: ({ platform, subject, params, page }) => listGroupRunners(platform, subject, params, page),
})
