import type { Module } from '../../platform/index.ts'
import * as approvals from './approvals/operations.ts'
import * as core from './core/operations.ts'
import { removeRefsJob } from './core/refs.ts'
import * as deployments from './deployments/operations.ts'
import { finishDeploymentJob } from './jobs/finish.ts'
import { endedBranchesJob, stopOfBranchJob } from './stopping/branches.ts'
import { dueEnvironmentsJob } from './stopping/due.ts'
import { stopStaleJob } from './stopping/stale.ts'

export { deploymentsApprove } from './approvals/operations.ts'
export {
  environmentsCreate,
  environmentsDelete,
  environmentsDeleteReviewApps,
  environmentsGet,
  environmentsList,
  environmentsStop,
  environmentsStopStale,
  environmentsUpdate,
} from './core/operations.ts'
export { environmentById, environmentNamed } from './core/store.ts'
export {
  deploymentsDelete,
  deploymentsGet,
  deploymentsList,
  deploymentsMergeRequests,
} from './deployments/operations.ts'
export { deploymentById, firstInProduction } from './deployments/store.ts'
export { followDeployingJobs } from './jobs/changed-jobs.ts'
export { holdsOfJobs } from './jobs/holds.ts'
export { deployWithNewJobs } from './jobs/new-jobs.ts'
export { stopOfClosed, stopOfDeletedBranches, stopOfMerged } from './stopping/branches.ts'
export type { DeploymentRow, EnvironmentRow } from './tables.ts'

/** Environments, to which jobs deploy, and their deployments (contract 24). */
export const environments: Module = {
  name: 'environments',
  tags: {
    Deployments: 'What was deployed to environments, by jobs or otherwise.',
    Environments: 'Environments of a project, to which jobs deploy.',
  },
  operations: [core, deployments, approvals].flatMap((room) => Object.values(room)),
  jobs: [dueEnvironmentsJob, stopStaleJob, removeRefsJob, finishDeploymentJob, endedBranchesJob, stopOfBranchJob],
}
