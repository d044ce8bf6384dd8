import { nothing, pageOf, reading, t, writing } from '../../../api/index.ts'
import { operation } from '../../../platform/index.ts'
import { project } from '../core/access.ts'
import { BasicProject } from '../present/basic.ts'
import {
  allowGroup,
  allowProject,
  disallowGroup,
  disallowProject,
  getJobTokenScope,
  JobTokenGroup,
  JobTokenGroupLink,
  JobTokenProjectLink,
  JobTokenScope,
  listAllowedGroups,
  listAllowedProjects,
  updateJobTokenScope,
} from './allowlist.ts'

const common = { tag: 'Job token scope', subject: project, allow: 'admin_job_token_scope' } as const
const read = { ...common, method: 'GET', scopes: reading } as const
const change = { ...common, scopes: writing } as const
const path = '/projects/:id/job_token_scope'

export const jobTokenScopeGet = operation({
  ...read,
  id: 'job_token_scope.get',
  contract: 'x.job_token_scope_get',
  path,
  summary: 'Get the job token access settings of a project',
  result: [200, JobTokenScope],
  run: ({ platform, subject }) => getJobTokenScope(platform, subject),
})

export const jobTokenScopeUpdate = operation({
  ...change,
  id: 'job_token_scope.update',
  contract: 'x.job_token_scope_update',
  method: 'PATCH',
  path,
  summary: 'Change the job token access settings of a project',
  params: { enabled: t.required(t.boolean({ description: 'Whether jobs of other projects have to be listed' })) },
  result: [204, nothing],
  run: ({ platform, subject, params, act }) => updateJobTokenScope(platform, subject, params.enabled, act),
})

export const jobTokenAllowlist = operation({
  ...read,
  id: 'job_token_allowlist.list',
  contract: 'x.job_token_allowlist',
  path: `${path}/allowlist`,
  summary: 'List projects whose job tokens may access a project',
  result: [200, pageOf(BasicProject)],
  run: ({ platform, subject, actor, page }) => listAllowedProjects(platform, subject, actor, page),
})

export const jobTokenAllowlistAdd = operation({
  ...change,
  id: 'job_token_allowlist.add',
  contract: 'x.job_token_allowlist_add',
  method: 'POST',
  path: `${path}/allowlist`,
  summary: 'Add a project to the job token allowlist',
  params: { target_project_id: t.required(t.integer()) },
  result: [201, JobTokenProjectLink],
  run: ({ platform, subject, params, actor, act }) =>
    allowProject(platform, subject, params.target_project_id, { actor, act }),
})

export const jobTokenAllowlistRemove = operation({
  ...change,
  id: 'job_token_allowlist.remove',
  contract: 'x.job_token_allowlist_remove',
  method: 'DELETE',
  path: `${path}/allowlist/:target_project_id`,
  summary: 'Remove a project from the job token allowlist',
  params: { target_project_id: t.id() },
  result: [204, nothing],
  run: ({ platform, subject, params, actor, unmodified, act }) =>
    disallowProject(platform, subject, params.target_project_id, { actor, unmodified, act }),
})

export const jobTokenGroups = operation({
  ...read,
  id: 'job_token_groups.list',
  contract: 'x.job_token_groups',
  path: `${path}/groups_allowlist`,
  summary: 'List groups whose job tokens may access a project',
  result: [200, pageOf(JobTokenGroup)],
  run: ({ platform, subject, page }) => listAllowedGroups(platform, subject, page),
})

export const jobTokenGroupsAdd = operation({
  ...change,
  id: 'job_token_groups.add',
  contract: 'x.job_token_groups_add',
  method: 'POST',
  path: `${path}/groups_allowlist`,
  summary: 'Add a group to the job token allowlist',
  params: { target_group_id: t.required(t.integer()) },
  result: [201, JobTokenGroupLink],
  run: ({ platform, subject, params, actor, act }) =>
    allowGroup(platform, subject, params.target_group_id, { actor, act }),
})

export const jobTokenGroupsRemove = operation({
  ...change,
  id: 'job_token_groups.remove',
  contract: 'x.job_token_groups_remove',
  method: 'DELETE',
  path: `${path}/groups_allowlist/:target_group_id`,
  summary: 'Remove a group from the job token allowlist',
  params: { target_group_id: t.id() },
  result: [204, nothing],
  run: ({ platform, subject, params, actor, unmodified, act }) =>
    disallowGroup(platform, subject, params.target_group_id, { actor, unmodified, act }),
})
