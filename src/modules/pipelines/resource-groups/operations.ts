import { nullable, pageOf, reading, t, writing } from '../../../api/index.ts'
import { operation } from '../../../platform/index.ts'
import { project } from '../../projects/index.ts'
import { processModes } from '../tables.ts'
import { JobBasic, ResourceGroup } from './present.ts'
import { currentJob, getResourceGroup, listResourceGroups, upcomingJobs, updateGroup } from './resource-groups.ts'

const shared = { tag: 'Resource groups', subject: project } as const
const read = { ...shared, method: 'GET', allow: 'read_resource_groups', scopes: reading } as const
const all = '/projects/:id/resource_groups'
const one = `${all}/:key` as const

export const resourceGroupsList = operation({
  ...read,
  id: 'resource_groups.list',
  contract: 'x.resource_groups_list',
  path: all,
  summary: 'List the resource groups of a project',
  result: [200, pageOf(ResourceGroup)],
  run: ({ platform, subject, page }) => listResourceGroups(platform, subject, page),
})

export const resourceGroupsGet = operation({
  ...read,
  id: 'resource_groups.get',
  contract: 'x.resource_groups_get',
  path: one,
  summary: 'Get a resource group',
  result: [200, ResourceGroup],
  run: ({ platform, subject, params }) => getResourceGroup(platform, subject, params.key),
})

export const resourceGroupsCurrentJob = operation({
  ...read,
  id: 'resource_groups.current_job',
  contract: 'x.resource_groups_current_job',
  path: `${one}/current_job`,
  summary: 'Get the job that holds a resource; null: none does',
  result: [200, nullable(JobBasic)],
  run: ({ platform, subject, actor, params }) => currentJob(platform, subject, actor, params.key),
})

export const resourceGroupsUpcomingJobs = operation({
  ...read,
  id: 'resource_groups.upcoming_jobs',
  contract: 'x.resource_groups_upcoming_jobs',
  path: `${one}/upcoming_jobs`,
  summary: 'List the jobs that get a resource next, in their order',
  result: [200, pageOf(JobBasic)],
  run: ({ platform, subject, actor, params, page }) => upcomingJobs(platform, subject, actor, params.key, page),
})

export const resourceGroupsUpdate = operation({
  ...shared,
  id: 'resource_groups.update',
  contract: 'x.resource_groups_update',
  method: 'PUT',
  path: one,
  summary: 'Set in which order jobs get a resource',
  allow: 'run_pipelines',
  scopes: writing,
  params: { process_mode: t.oneOf(processModes) },
  result: [200, ResourceGroup],
  run: ({ platform, subject, params }) => updateGroup(platform, subject, params.key, params.process_mode),
})
