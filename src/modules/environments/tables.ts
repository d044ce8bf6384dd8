/** Environments of projects and what was deployed to them, by jobs and by the API (contract 24, Environment, Deployment). */
import { partial, type RowOf, type TablesOf, t, table } from '../../infra/database/index.ts'

/** The kinds of environments (contract 24, Tier). */
export const tiers = ['production', 'staging', 'testing', 'development', 'other'] as const
export type Tier = (typeof tiers)[number]

export const environmentStates = ['available', 'stopping', 'stopped'] as const
export type EnvironmentState = (typeof environmentStates)[number]

/** Whether an environment that is due is stopped always, or only if a job stops it. */
export const autoStopSettings = ['always', 'with_action'] as const

export const environments = table(
  'environments',
  {
    id: t.id(),
    project_id: t.refers('projects', 'cascade'),
    name: t.name(),
    slug: t.name(),
    external_url: t.text().nullable(),
    tier: t.text<Tier>(),
    state: t.text<EnvironmentState>().default('available'),
    description: t.text().nullable(),
    auto_stop_setting: t.text<(typeof autoStopSettings)[number]>().default('always'),
    auto_stop_at: t.time().nullable(),
    /** Since when its stop job is waited for; null in other states. */
    stopping_since: t.time().nullable(),
    /** When a stopped review app is deleted; null: not scheduled. */
    delete_at: t.time().nullable(),
    created_at: t.time(),
    updated_at: t.time(),
  },
  {
    unique: { name: ['project_id', 'name'], slug: ['project_id', 'slug'] },
    indexes: {
      order: ['project_id', 'id'],
      state: ['project_id', 'state', 'id'],
      auto_stop: partial('auto_stop_at', 'id'),
      stopping: partial('stopping_since', 'id'),
      deletion: partial('delete_at', 'id'),
    },
  },
)
export type EnvironmentRow = RowOf<typeof environments>

export const deploymentStatuses = [
  ...(['created', 'running', 'success', 'failed', 'canceled', 'skipped', 'blocked'] as const),
] as const
export type DeploymentStatus = (typeof deploymentStatuses)[number]

export const deployments = table(
  'deployments',
  {
    id: t.id(),
    project_id: t.refers('projects', 'cascade'),
    environment_id: t.refers('environments', 'cascade'),
    /** Number of the deployment in its project. */
    iid: t.integer(),
    /** Short name of a branch, or of a tag if `tag` is true. */
    ref: t.name(),
    tag: t.boolean(),
    sha: t.text(),
    status: t.text<DeploymentStatus>(),
    /** Who triggered it. */
    user_id: t.refers('users', 'set null').nullable(),
    /** Whether a job has made it, which may be deleted by now. */
    by_job: t.boolean(),
    job_id: t.refers('ci_jobs', 'set null').nullable(),
    /** The pipeline of the job. */
    pipeline_id: t.bigint().nullable(),
    /** Name of the job that stops the environment. */
    on_stop: t.name().nullable(),
    finished_at: t.time().nullable(),
    created_at: t.time(),
    updated_at: t.time(),
  },
  {
    unique: { iid: ['project_id', 'iid'], job: partial('job_id') },
    indexes: {
      order: ['project_id', 'id'],
      environment: ['environment_id', 'id'],
      successful: { on: ['environment_id', 'id'], where: "status = 'success'" },
      of_ref: ['project_id', 'ref', 'id'],
      sha: ['project_id', 'sha', 'id'],
      pipeline: ['project_id', 'pipeline_id', 'id'],
      status: ['project_id', 'status', 'id'],
      created: ['project_id', 'created_at', 'id'],
      updated: ['project_id', 'updated_at', 'id'],
      finished: { on: ['project_id', 'finished_at', 'id'], nullsLast: 'finished_at' },
      user: ['user_id'],
    },
  },
)
export type DeploymentRow = RowOf<typeof deployments>

/** The merge requests that a successful deployment has shipped. */
export const deploymentMergeRequests = table(
  'deployment_merge_requests',
  {
    deployment_id: t.refers('deployments', 'cascade'),
    merge_request_id: t.refers('merge_requests', 'cascade'),
  },
  {
    primaryKey: ['deployment_id', 'merge_request_id'],
    indexes: { merge_request: ['merge_request_id', 'deployment_id'] },
  },
)

export const approvalStatuses = ['approved', 'rejected'] as const

/** Who has approved or rejected a deployment that waits for approvals (contract 24, DeploymentApproval). */
export const deploymentApprovals = table(
  'deployment_approvals',
  {
    id: t.id(),
    deployment_id: t.refers('deployments', 'cascade'),
    user_id: t.refers('users', 'cascade'),
    status: t.text<(typeof approvalStatuses)[number]>(),
    comment: t.text().nullable(),
    /** For which rules it counts: those that ask the role, user or group of this name; null: for all that ask the user. */
    represented_as: t.text().nullable(),
    created_at: t.time(),
  },
  { unique: { user: ['deployment_id', 'user_id'] }, indexes: { user: ['user_id'] } },
)
export type DeploymentApprovalRow = RowOf<typeof deploymentApprovals>

declare module '../../infra/database/tables.ts' {
  interface Tables
    extends TablesOf<
      typeof environments | typeof deployments | typeof deploymentMergeRequests | typeof deploymentApprovals
    > {}
}
