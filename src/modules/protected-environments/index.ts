import type { Module } from '../../platform/index.ts'
import { endedEntriesJob } from './ends/ends.ts'
import { protectedEnvironmentOperations } from './rules/operations.ts'

export { type DeployAccess, type Deployer, deployAccess } from './access/deploying.ts'
export {
  endEntriesBelowMoved,
  endEntriesOfInvited,
  endEntriesOfMember,
  endEntriesOfMoved,
  endEntriesOfUnshared,
} from './ends/ends.ts'

export { described } from './rules/present.ts'
export type { ApprovalRule } from './rules/store.ts'
export { exportedProtectedEnvironments, importProtectedEnvironment } from './transfer.ts'

/** Environments to which only some may deploy, and whose deployments have to be approved (contract 24). */
export const protectedEnvironments: Module = {
  name: 'protected-environments',
  tags: {
    'Protected environments':
      'Who may deploy to environments of a project or group, and who has to approve deployments.',
  },
  operations: protectedEnvironmentOperations,
  jobs: [endedEntriesJob],
}
