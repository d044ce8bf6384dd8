import type { Module } from '../../platform/index.ts'
import { keyedOperations } from './core/keyed-operations.ts'
import * as core from './core/operations.ts'
import { deliverJob, pruneJob, resumeJob } from './delivery/deliver.ts'
import { logOperations } from './log/operations.ts'
import { alertsJob } from './reactions/alerts.ts'
import { tokensJob, wikiJob } from './reactions/project-work.ts'
import { pushedJob } from './reactions/pushes.ts'
import * as trials from './trials/operations.ts'

export { payloadOfEvent } from './delivery/deliver.ts'
export { isExecutable, longestPauseMs, pausedUntil } from './delivery/failures.ts'
export type { FollowedPlace, Happened } from './firing/followers.ts'
export { hookAlerts } from './reactions/alerts.ts'
export { hookDeployments } from './reactions/deployments.ts'
export {
  hookChangedMembers,
  hookEndingMembers,
  hookMovedProjects,
  hookNewGroups,
  hookNewKeys,
  hookNewMembers,
  hookNewProjects,
  hookNewUsers,
  hookRemovedGroups,
  hookRemovedKeys,
  hookRemovedProjects,
  hookRemovedUsers,
  hookRenames,
  hookUpdatedProjects,
} from './reactions/instance.ts'
export {
  hookApprovedRequests,
  hookChangedRequests,
  hookIssues,
  hookMergedRequests,
  hookSavedRequests,
  hookUnapprovedRequests,
  type SavedRequest,
  storeRequestEvent,
} from './reactions/issuables.ts'
export { hookAwards, hookChangedNotes, hookNewNotes, hookRevokedAwards } from './reactions/notes.ts'
export {
  hookFeatureFlags,
  hookJobs,
  hookMilestones,
  hookPipelines,
  hookReleases,
  hookWikis,
} from './reactions/project-work.ts'
export { hookPushes } from './reactions/pushes.ts'
export { headerOfEvent, type TriggerName } from './triggers.ts'

const { hookOperations, ...systemHooks } = core
const { trialOperations, ...systemTrials } = trials

/** Webhooks of projects, groups and the instance (contract 21). Its reactions are listed in the reactions. */
export const hooks: Module = {
  name: 'hooks',
  tags: {
    'System hooks': 'Requests to other servers about what happens in the instance.',
    Webhooks: 'Requests to other servers about what happens in a project or group.',
  },
  operations: [
    ...hookOperations,
    ...keyedOperations,
    ...logOperations,
    ...trialOperations,
    ...Object.values(systemHooks),
    ...Object.values(systemTrials),
  ],
  jobs: [deliverJob, resumeJob, pruneJob, pushedJob, wikiJob, tokensJob, alertsJob],
}
