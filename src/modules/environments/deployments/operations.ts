import { nothing, pageOf, reading, writing } from '../../../api/index.ts'
import { operation } from '../../../platform/index.ts'
import { exclusiveFilters, listFilters, MergeRequestBasic } from '../../merge-requests/index.ts'
import { may, project } from '../../projects/index.ts'
import { createDeployment, deleteDeployment, getDeployment, listDeployments, updateDeployment } from './deployments.ts'
import { mergeRequestsOfDeployment } from './merge-requests.ts'
import { deploymentChange, deploymentFilter, deploymentId, newDeployment } from './params.ts'
import { Deployment, DeploymentDetail } from './present.ts'

const shared = { tag: 'Deployments', subject: project, jobToken: true } as const
const read = { ...shared, allow: 'read_environments', scopes: reading } as const
const write = { ...shared, allow: 'write_environments', scopes: writing } as const
const all = '/projects/:id/deployments'
const one = `${all}/:deployment_id` as const

export const deploymentsList = operation({
  ...read,
  id: 'deployments.list',
  contract: 'x.deployments_list',
  method: 'GET',
  path: all,
  summary: 'List the deployments of a project',
  params: deploymentFilter,
  result: [200, pageOf(Deployment)],
  run: ({ platform, subject, actor, params, page }) => listDeployments(platform, subject, actor, params, page),
})

export const deploymentsGet = operation({
  ...read,
  id: 'deployments.get',
  contract: 'x.deployments_get',
  method: 'GET',
  path: one,
  summary: 'Get a deployment',
  params: deploymentId,
  result: [200, DeploymentDetail],
  run: ({ platform, subject, actor, params }) => getDeployment(platform, subject, actor, params.deployment_id),
})

export const deploymentsCreate = operation({
  ...write,
  id: 'deployments.create',
  contract: 'x.deployments_create',
  method: 'POST',
  path: all,
  summary: 'Record a deployment that no job has made',
  params: newDeployment,
  result: [201, DeploymentDetail],
  run: ({ platform, subject, actor, params }) => createDeployment(platform, subject, actor, params),
})

export const deploymentsUpdate = operation({
  ...write,
  id: 'deployments.update',
  contract: 'x.deployments_update',
  method: 'PUT',
  path: one,
  summary: 'Change the status of a deployment that no job has made',
  params: { ...deploymentId, ...deploymentChange },
  result: [200, DeploymentDetail],
  run: ({ platform, subject, actor, params }) =>
    updateDeployment(platform, subject, actor, params.deployment_id, params.status),
})

export const deploymentsDelete = operation({
  ...shared,
  id: 'deployments.delete',
  contract: 'x.deployments_delete',
  method: 'DELETE',
  path: one,
  summary: 'Delete a deployment',
  description: 'Neither one that runs, nor the newest successful one of its environment.',
  allow: 'admin_environments',
  scopes: writing,
  params: deploymentId,
  result: [204, nothing],
  run: ({ platform, subject, actor, params, unmodified }) =>
    deleteDeployment(platform, subject, actor, params.deployment_id, unmodified),
})

export const deploymentsMergeRequests = operation({
  ...read,
  id: 'deployments.merge_requests',
  contract: 'x.deployments_merge_requests',
  method: 'GET',
  path: `${one}/merge_requests`,
  summary: 'List the merge requests that a deployment has shipped',
  params: { ...deploymentId, ...listFilters },
  exclusive: exclusiveFilters,
  result: [200, pageOf(MergeRequestBasic)],
  async run({ subject, params: { deployment_id: id, ...params }, page, ...asked }) {
    if (!may(asked.actor, subject, 'read_merge_requests')) return { items: [], total: 0 }
    return mergeRequestsOfDeployment(subject, id, { ...asked, params }, page) as never
  },
})
