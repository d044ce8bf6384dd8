import { type Actor, fact, forms, nullable, object, of, type Static, Type } from '../../../api/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { JobObject, ownJobsByIds, presentJobsOf } from '../../pipelines/index.ts'
import type { Project } from '../../projects/index.ts'
import { presentingUsers, presentUserBasic, UserBasic, usersByIds } from '../../users/index.ts'
import { ApprovalSummary, DeploymentApproval } from '../approvals/present.ts'
import { approvalProgress, isWaiting } from '../approvals/progress.ts'
import { EnvironmentBasic } from '../core/basic.ts'
import { environmentsByIds } from '../core/store.ts'
import type { DeploymentRow } from '../tables.ts'

/** How deployments of one project are shown to a caller. */
export type DeploymentView = { platform: Platform; project: Project; reader: Actor }

/** The users of rows as they are shown, by id. */
export async function usersOf(platform: Platform, ids: readonly number[]) {
  const [users, presenting] = await Promise.all([
    usersByIds(platform.database.read, [...new Set(ids)]),
    presentingUsers(platform),
  ])
  return new Map([...users].map(([id, user]) => [id, presentUserBasic(user, presenting)]))
}

/** The jobs of deployments as they are shown, by id. */
async function jobsOf(rows: readonly DeploymentRow[], { platform, project, reader }: DeploymentView) {
  const ids = rows.flatMap(({ job_id }) => job_id ?? [])
  if (ids.length === 0) return new Map()
  const jobs = await ownJobsByIds(platform.database.read, ids, ids.length)
  const shown = await presentJobsOf(platform, [project], reader, jobs)
  return new Map(shown.map((job) => [job.id, job]))
}

/** What is known of the approvals of deployments, and the users who have given them. */
async function approvalsOf(rows: readonly DeploymentRow[], { platform, project }: DeploymentView) {
  const progress = await approvalProgress(platform, platform.database.read, project, rows)
  const userIds = [...progress.values()].flatMap(({ given }) => given.map(({ user_id }) => user_id))
  return { of: ({ id }: DeploymentRow) => progress.get(id), people: await usersOf(platform, userIds) }
}

export const deploymentSource = of<DeploymentRow, DeploymentView>().facts({
  users: (rows, { platform }) =>
    usersOf(
      platform,
      rows.flatMap(({ user_id }) => user_id ?? []),
    ),
  environments: (rows, { platform }) =>
    environmentsByIds(platform.database.read, [...new Set(rows.map(({ environment_id }) => environment_id))]),
  jobs: jobsOf,
  approvals: approvalsOf,
})

const text = Type.String()
const start = deploymentSource.fields({ id: forms.id, iid: Type.Integer(), ref: text, sha: text })
const middle = deploymentSource.fields({
  created_at: forms.timestamp,
  updated_at: forms.timestamp,
  user: fact(nullable(UserBasic), 'users', ({ user_id }, { users }) => users.get(user_id ?? 0) ?? null),
})
const end = deploymentSource.fields({
  deployable: fact(nullable(JobObject), 'jobs', ({ job_id }, { jobs }) => jobs.get(job_id ?? 0) ?? null),
  status: text,
})

/** A deployment inside its environment (contract 24, Environment). */
export const DeploymentOfEnvironment = object('DeploymentOfEnvironment', deploymentSource, {
  ...start,
  ...middle,
  ...end,
})

/** A deployment in a list (contract 24, Deployment). */
export const Deployment = object('Deployment', deploymentSource, {
  ...start,
  ...middle,
  environment: fact(nullable(EnvironmentBasic), 'environments', ({ environment_id }, { environments }) => {
    const row = environments.get(environment_id)
    return row ? EnvironmentBasic.present(row) : null
  }),
  ...end,
})

const approval = deploymentSource.fields({
  pending_approval_count: fact(Type.Integer(), 'approvals', (row, { approvals }) =>
    isWaiting(row) ? (approvals.of(row)?.missing ?? 0) : 0,
  ),
  approvals: fact(Type.Array(DeploymentApproval), 'approvals', (row, { approvals }) =>
    (approvals.of(row)?.given ?? []).map((one) => DeploymentApproval.present(one, approvals)),
  ),
  approval_summary: fact(ApprovalSummary, 'approvals', (row, { approvals }) =>
    ApprovalSummary.present({ rules: approvals.of(row)?.rules ?? [] }, approvals),
  ),
})

/** A deployment alone (contract 24, DeploymentDetail). */
export const DeploymentDetail = object('DeploymentDetail', deploymentSource, {
  ...Deployment.fields,
  ...deploymentSource.ifEdition({ tier: 'premium' }, approval),
})

export type PresentedDeployment = Static<typeof Deployment>
