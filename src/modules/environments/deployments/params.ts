import { type ParamValues, t } from '../../../api/index.ts'
import { deploymentStatuses } from '../tables.ts'

export const deploymentId = { deployment_id: t.id() }

/** Parameters of x.deployments_list. */
export const deploymentFilter = {
  order_by: t.oneOf(['id', 'iid', 'created_at', 'updated_at', 'finished_at', 'ref'], { description: 'Default `id`.' }),
  sort: t.oneOf(['asc', 'desc'], { description: 'Default `asc`.' }),
  updated_after: t.datetime(),
  updated_before: t.datetime(),
  finished_after: t.datetime(),
  finished_before: t.datetime(),
  environment: t.string({ description: 'Name of an environment.' }),
  status: t.oneOf(deploymentStatuses),
  job_id: t.integer({ description: 'Only that of this job.' }),
  pipeline_id: t.integer({ description: 'Only those of the jobs of this pipeline.' }),
  sha: t.string({ description: 'Only those of this commit.' }),
  merge_request_iid: t.integer({ description: 'Only those that have shipped this merge request.' }),
}
export type DeploymentFilter = ParamValues<typeof deploymentFilter>

const status = t.required(t.oneOf(['running', 'success', 'failed', 'canceled']))

/** Parameters of x.deployments_create. */
export const newDeployment = {
  environment: t.required(t.string({ description: 'Its name; it is made if it does not exist.' })),
  sha: t.required(t.string()),
  ref: t.required(t.string({ description: 'Name of a branch or tag.' })),
  tag: t.required(t.boolean()),
  status,
}
export type NewDeployment = ParamValues<typeof newDeployment>

/** Parameters of x.deployments_update. */
export const deploymentChange = { status }
export type GivenStatus = ParamValues<typeof deploymentChange>['status']
