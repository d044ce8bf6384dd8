import type { Module } from '../../platform/index.ts'
import * as approvalRules from './approval-rules/operations.ts'
import * as approvalSettings from './approval-settings/operations.ts'
import * as approvals from './approvals/operations.ts'
import { closingsJob } from './closing/closing.ts'
import * as closing from './closing/operations.ts'
import { talkOperations } from './conversation/kind.ts'
import * as core from './core/operations.ts'
import * as diffs from './diffs/operations.ts'
import * as lists from './lists/operations.ts'
import * as mergeability from './mergeability/operations.ts'
import { autoMergeJob } from './merging/auto-merge.ts'
import * as merging from './merging/operations.ts'
import { rebaseJob } from './merging/rebase.ts'
import { recoverMergesFromNow, recoverMergesJob } from './merging/recovery.ts'
import { requestPipelineJob } from './pipelines/creation.ts'
import * as pipelines from './pipelines/operations.ts'

export {
  requestRuleCreate,
  requestRuleDelete,
  requestRuleGet,
  requestRulesList,
  requestRuleUpdate,
} from './approval-rules/operations.ts'
export {
  groupApprovalSettingGet,
  groupApprovalSettingUpdate,
  projectApprovalSettingGet,
  projectApprovalSettingUpdate,
} from './approval-settings/operations.ts'
export { approve } from './approvals/approvals.ts'
export {
  approvalsApprove,
  approvalsGet,
  approvalsState,
  approvalsUnapprove,
  reviewersList,
} from './approvals/operations.ts'
export { markReviewed, reviewersOf } from './approvals/store.ts'
export {
  closersOfIssue,
  closingCounts,
  introducedBy,
  relatedToIssue,
  requestedBranches,
  requestsWithCommit,
} from './closing/answers.ts'
export { closeMerged, followClosings } from './closing/closing.ts'
export { mergeRequestsCloses } from './closing/operations.ts'
export { milestonesOfRequests } from './closing/store.ts'
export {
  answers as mergeRequestAnswers,
  readableAmong,
  touchChangedRequest,
  touchDiscussedRequest,
} from './conversation/answers.ts'
export { followUpOf } from './conversation/follow-up.ts'
export { accessOf as noteAccessOf } from './conversation/kind.ts'
export { anyPositionOf } from './conversation/position.ts'
export { mergeRequestCommands } from './conversation/quick-actions.ts'
export {
  mergeRequestsCreate,
  mergeRequestsDelete,
  mergeRequestsGet,
  mergeRequestsUpdate,
} from './core/operations.ts'
export { presentBasics, presentSimple } from './core/present.ts'
export { MergeRequest, MergeRequestBasic, MergeRequestSimple } from './core/schema.ts'
export { presentSingle, upToDate } from './core/single.ts'
export {
  holdMergeRequest,
  mergedWithCommits,
  mergeRequestById,
  mergeRequestByIid,
  mergeRequestsByIds,
  updateMergeRequest,
} from './core/store.ts'
export { mayUpdate, requireUpdate } from './core/update.ts'
export {
  mergeRequestsCommits,
  mergeRequestsDiffFiles,
  mergeRequestsDiffs,
  mergeRequestsVersions,
} from './diffs/operations.ts'
export { exportedApprovalRules, exportedMergeRequests } from './export/lines.ts'
export { keepCommits } from './heads/heads.ts'
export { mergeRequestListener } from './heads/listener.ts'
export { importApprovalRule, importMergeRequest } from './import/lines.ts'
export { requestCountsOfLabels } from './lists/label-counts.ts'
export { countNewRequests, countRequestsOf, listMergeRequests } from './lists/lists.ts'
export { groupMergeRequestsList, mergeRequestsList, projectMergeRequestsList } from './lists/operations.ts'
export { exclusiveFilters, type ListParams, listFilters } from './lists/params.ts'
export { mergeRequestsConflicts } from './mergeability/operations.ts'
export {
  type DetailedStatus,
  detailedStatus,
  isUnfinished,
  statusBesidesGit,
  statusFacts,
} from './mergeability/status.ts'
export { endWish, mergeAfterPipeline, mergeIfMarked, partiesOfWish } from './merging/auto-merge.ts'
export { merge, requireHead, requireMerger, statusOf, withoutPipelines } from './merging/merge.ts'
export { mergeRequestsCancelAutoMerge, mergeRequestsMerge, mergeRequestsRebase } from './merging/operations.ts'
export { prepareMerge } from './merging/prepared.ts'
export { anyWaitsForTrain, requestsWaitingForTrain } from './merging/store.ts'
export { createPipelinesOfChanged, createPipelinesOfReopened } from './pipelines/creation.ts'
export { mergeRequestsCreatePipeline, mergeRequestsPipelines } from './pipelines/operations.ts'
export { branchesOfRequest, variablesOfRequests } from './pipelines/variables.ts'
export { dropMilestoneOfRequests, mergeMilestonesOfRequests, moveMergeRequests } from './reactions.ts'
export { issuableOf, mergeRequest, type ProjectMergeRequest } from './subject.ts'
export type { AutoMerge, MergeRequestRow } from './tables.ts'

/** Merge requests (contract 19). */
export const mergeRequests: Module = {
  name: 'merge-requests',
  tags: {
    'Merge request approvals': 'Approvals of merge requests, the rules that require them, and reviewers.',
    'Merge requests': 'Merge requests: their diffs, merges, rebases and approvals.',
  },
  operations: [
    ...[
      lists,
      core,
      diffs,
      mergeability,
      merging,
      approvals,
      approvalRules,
      approvalSettings,
      pipelines,
      closing,
    ].flatMap((room) => Object.values(room).flat()),
    ...talkOperations,
  ],
  recovers: recoverMergesFromNow,
  jobs: [closingsJob, autoMergeJob, rebaseJob, recoverMergesJob, requestPipelineJob],
}
