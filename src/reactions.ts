import type { Tx } from './infra/database/index.ts'
import { deleteMembershipsOf } from './modules/access/index.ts'
import { endRequests } from './modules/access-requests/index.ts'
import {
  forgetIssue,
  forgetNote,
  forgetRequest,
  forgetSnippets,
  recordApproval,
  recordEndingMembers,
  recordImportedProject,
  recordIssue,
  recordMerge,
  recordNewMembers,
  recordNewProject,
  recordNewRequest,
  recordNote,
  recordRequestState,
} from './modules/activity/index.ts'
import {
  moveAlertNotes,
  removeMetricImages,
  resolveAlertsOfIncident,
  unlinkRemovedIncident,
} from './modules/alerts/index.ts'
import { writeAct, writeExpiry, writeFailedSignIn, writeSignIn } from './modules/audit/index.ts'
import {
  dropListsOfGroup,
  dropListsOfProject,
  mergeLabelsOfBoards,
  mergeMilestonesOfBoards,
} from './modules/boards/index.ts'
import { deleteImagesOfProject } from './modules/container-registry/index.ts'
import { removeKeysOfProject } from './modules/deploy-keys/index.ts'
import { claimUser, releaseMovedUser } from './modules/enterprise-users/index.ts'
import {
  deployWithNewJobs,
  followDeployingJobs,
  stopOfClosed,
  stopOfDeletedBranches,
  stopOfMerged,
} from './modules/environments/index.ts'
import { moveEpics } from './modules/epics/index.ts'
import { maintainPushed } from './modules/events/index.ts'
import { deleteGpgKeysOf } from './modules/gpg-keys/index.ts'
import * as hooks from './modules/hooks/index.ts'
import { acceptInvitations } from './modules/invitations/index.ts'
import {
  followNote,
  keepLabels,
  mergeLabels,
  mergeMilestoneEvents,
  moveEvents,
  unassignEndingMember,
} from './modules/issuables/index.ts'
import {
  dropIterations,
  dropMilestone,
  dropUnusableIterations,
  followPushes,
  mergeMilestones,
  moveIssues,
  rollOverIssues,
  touchChanged,
  touchNoted,
} from './modules/issues/index.ts'
import { deleteKeysOf } from './modules/keys/index.ts'
import { dropPrioritiesBelow, dropPrioritiesOfProject } from './modules/labels/index.ts'
import { copyLfsObjects } from './modules/lfs/index.ts'
import { dropRolesOfMovedGroup, dropRolesOfMovedProject } from './modules/member-roles/index.ts'
import { addGroupOwner } from './modules/members/index.ts'
import { mergeUnblocked, mergeUnblockedByProject } from './modules/merge-request-blocks/index.ts'
import {
  closeMerged,
  createPipelinesOfChanged,
  createPipelinesOfReopened,
  dropMilestoneOfRequests,
  followClosings,
  mergeAfterPipeline,
  mergeMilestonesOfRequests,
  moveMergeRequests,
  touchChangedRequest,
  touchDiscussedRequest,
} from './modules/merge-requests/index.ts'
import * as trains from './modules/merge-trains/index.ts'
import { removeIncidentImages } from './modules/metric-images/index.ts'
import { keepMilestonesOfProject } from './modules/milestones/index.ts'
import { updatePushMirrors } from './modules/mirrors/index.ts'
import { moveNotes } from './modules/notes/index.ts'
import {
  tellApproved,
  tellChangedRequest,
  tellIssue,
  tellMerged,
  tellNote,
  tellPipeline,
  tellRelease,
  tellRequest,
  tellReview,
  tellUnapproved,
} from './modules/notifications/index.ts'
import { deleteOauthTokensOf } from './modules/oauth/index.ts'
import { publishSites, removeSites } from './modules/pages/index.ts'
import { deactivateSchedules } from './modules/pipeline-schedules/index.ts'
import {
  createPipelinesOfPush,
  failJobsOfBlocked,
  movePipelines,
  removeFilesOfProject,
} from './modules/pipelines/index.ts'
import {
  archiveProjectsBelow,
  capProjectVisibility,
  countLanguagesLater,
  hideProjectsBelow,
  markProjectsBelow,
  moveTopic,
  removeStars,
  renameProjectsBelow,
} from './modules/projects/index.ts'
import {
  removeDeployKey,
  removeEndingMember,
  removeInvitedGroup,
  removeUnsharedGroup,
} from './modules/protected-branches/index.ts'
import {
  endEntriesBelowMoved,
  endEntriesOfInvited,
  endEntriesOfMember,
  endEntriesOfMoved,
  endEntriesOfUnshared,
} from './modules/protected-environments/index.ts'
import { inheritPushRule } from './modules/push-rules/index.ts'
import { removeExportsOfGroup, removeExportsOfProject } from './modules/relation-exports/index.ts'
import { changeAuthor, dropMilestonesBelow, mergeReleaseMilestones } from './modules/releases/index.ts'
import {
  followImages,
  followLfsObjects,
  followMovedNamespace,
  followMovedProject,
  followPackageFiles,
  followProject,
  followRemovedGroup,
  followRemovedImages,
  followRemovedLfsObjects,
  followRemovedPackageFiles,
  followRemovedProject,
  followRemovedSecureFiles,
  followRemovedSites,
  followRemovedSnippets,
  followRemovedStateVersions,
  followRemovedUpload,
  followRepository,
  followSecureFiles,
  followSites,
  followStateVersions,
  followUpload,
} from './modules/replication/index.ts'
import { deleteRunnersOfProject } from './modules/runners/index.ts'
import { indexCodeLater } from './modules/search/index.ts'
import { removeSecureFiles } from './modules/secure-files/index.ts'
import { retireAccountsOfGroup, retireAccountsOfProject } from './modules/service-accounts/index.ts'
import { endOtherSessions, endSessions } from './modules/sessions/index.ts'
import { removeSnippetsOfProject, removeSnippetsOfUser } from './modules/snippets/index.ts'
import { checkChangedRequests, checkSavedRequests } from './modules/status-checks/index.ts'
import { followSuggestions } from './modules/suggestions/index.ts'
import { removeTerraformStates } from './modules/terraform-states/index.ts'
import { readUploadedReport } from './modules/test-reports/index.ts'
import { deleteTokensOf, retireBotsOfGroup, retireBotsOfProject, retireEndingBot } from './modules/tokens/index.ts'
import { removeArchivesOfGroup, removeArchivesOfProject } from './modules/transfer-archives/index.ts'
import { removeUploadsOfGroup, removeUploadsOfProject } from './modules/uploads/index.ts'
import type { Reaction, Reactions } from './platform/index.ts'

const ofUser =
  (remove: (tx: Tx, userId: number) => Promise<void>): Reaction<{ userId: number }> =>
  (_platform, tx, { userId }) =>
    remove(tx, userId)

/** What measures a repository whose refs were pushed. It may follow a burst of pushes once. */
export const measures: Reactions['refs.pushed'] = [maintainPushed, countLanguagesLater]

/** What follows each event, in this order, in the transaction of the event. */
export const reactions: Reactions = {
  'administrator.acted': [writeAct],
  'user.removal_began': [
    hooks.hookRemovedUsers,
    deactivateSchedules,
    endSessions,
    ...[deleteTokensOf, deleteOauthTokensOf, deleteMembershipsOf, deleteKeysOf, deleteGpgKeysOf].map(ofUser),
  ],
  'user.email_changed': [releaseMovedUser],
  'user.address_added': [acceptInvitations],
  'key.added': [hooks.hookNewKeys],
  'key.removed': [hooks.hookRemovedKeys],
  'user.saved': [claimUser, acceptInvitations, hooks.hookNewUsers],
  'user.blocked': [deactivateSchedules, failJobsOfBlocked, endSessions],
  'user.password_changed': [endOtherSessions],
  'user.signed_in': [writeSignIn],
  'user.sign_in_failed': [writeFailedSignIn],
  'user.removed': [
    removeStars,
    changeAuthor,
    moveNotes,
    moveEvents,
    movePipelines,
    moveEpics,
    removeSnippetsOfUser,
    moveAlertNotes,
    moveIssues,
    moveMergeRequests,
    trains.moveCars,
  ],
  'namespace.moved': [renameProjectsBelow, followMovedNamespace, hooks.hookRenames],
  'namespace.marked': [markProjectsBelow],
  'namespace.archived': [archiveProjectsBelow],
  'namespace.hidden': [hideProjectsBelow],
  'group.created': [addGroupOwner, hooks.hookNewGroups],
  'group.moved': [
    capProjectVisibility,
    dropPrioritiesBelow,
    dropMilestonesBelow,
    dropListsOfGroup,
    endEntriesBelowMoved,
    dropRolesOfMovedGroup,
  ],
  'group.unshared': [removeInvitedGroup, endEntriesOfInvited],
  'group.removed': [
    hooks.hookRemovedGroups,
    followRemovedGroup,
    retireBotsOfGroup,
    retireAccountsOfGroup,
    removeUploadsOfGroup,
    removeExportsOfGroup,
    removeArchivesOfGroup,
  ],
  'deploy_key.removed': [removeDeployKey],
  'members.added': [endRequests, hooks.hookNewMembers, recordNewMembers],
  'refs.pushed': [
    ...measures,
    indexCodeLater,
    updatePushMirrors,
    createPipelinesOfPush,
    trains.followPushesToTrains,
    followPushes,
    stopOfDeletedBranches,
    hooks.hookPushes,
  ],
  'repository.changed': [followRepository],
  'issuable.changed': [touchChanged, touchChangedRequest],
  'note.created': [
    followNote,
    followSuggestions,
    touchNoted,
    touchDiscussedRequest,
    hooks.hookNewNotes,
    recordNote,
    tellNote,
  ],
  'review.published': [tellReview],
  'note.removing': [forgetNote],
  'note.changed': [followNote, followSuggestions, hooks.hookChangedNotes],
  'emoji.awarded': [hooks.hookAwards],
  'emoji.revoked': [hooks.hookRevokedAwards],
  'release.changed': [hooks.hookReleases, tellRelease],
  'wiki.changed': [hooks.hookWikis],
  'pipeline.changed': [mergeAfterPipeline, trains.followPipelinesOfTrains, hooks.hookPipelines, tellPipeline],
  'ci_jobs.changed': [hooks.hookJobs, publishSites],
  'job_artifact.stored': [readUploadedReport],
  'deploying_jobs.created': [deployWithNewJobs],
  'deploying_jobs.changed': [followDeployingJobs],
  'deployment.changed': [hooks.hookDeployments],
  'labels.merged': [mergeLabels, mergeLabelsOfBoards],
  'milestone.changed': [hooks.hookMilestones],
  'milestone.removed': [hooks.hookMilestones, dropMilestone, dropMilestoneOfRequests],
  'milestones.merged': [
    mergeMilestoneEvents,
    mergeReleaseMilestones,
    mergeMilestones,
    mergeMilestonesOfRequests,
    mergeMilestonesOfBoards,
  ],
  'iterations.removed': [dropIterations],
  'iteration.closed': [rollOverIssues],
  'issue.closed': [resolveAlertsOfIncident],
  'alerts.turned': [hooks.hookAlerts],
  'feature_flag.switched': [hooks.hookFeatureFlags],
  'issue.saved': [hooks.hookIssues, recordIssue, tellIssue],
  'issue.removed': [unlinkRemovedIncident, forgetIssue],
  'access_token.expired': [writeExpiry],
  'member.changed': [hooks.hookChangedMembers],
  'members.ending': [
    hooks.hookEndingMembers,
    removeEndingMember,
    retireEndingBot,
    recordEndingMembers,
    unassignEndingMember,
    endEntriesOfMember,
  ],
  'merge_request.removing': [trains.leaveTrainOfRemoved, forgetRequest, mergeUnblocked],
  'merge_request.auto_merge_canceled': [trains.leaveTrainOfCanceled],
  'merge_request.changed': [
    followClosings,
    hooks.hookChangedRequests,
    checkChangedRequests,
    recordNewRequest,
    createPipelinesOfChanged,
    trains.leaveTrainOfChanged,
    tellChangedRequest,
  ],
  'merge_request.edited': [followClosings],
  'merge_request.saved': [
    hooks.hookSavedRequests,
    checkSavedRequests,
    recordRequestState,
    stopOfClosed,
    createPipelinesOfReopened,
    trains.followSaved,
    tellRequest,
  ],
  'merge_request.approved': [hooks.hookApprovedRequests, recordApproval, trains.followApprovals, tellApproved],
  'merge_request.unapproved': [hooks.hookUnapprovedRequests, trains.followApprovals, tellUnapproved],
  'merge_request.merged': [
    closeMerged,
    trains.endCar,
    hooks.hookMergedRequests,
    recordMerge,
    stopOfMerged,
    tellMerged,
    mergeUnblocked,
  ],
  'topics.merging': [moveTopic],
  'project.created': [inheritPushRule, followProject, hooks.hookNewProjects, recordNewProject],
  'project.imported': [recordImportedProject],
  'project.forked': [copyLfsObjects],
  // Priorities last: issues and merge requests first get labels in place of those that they lose.
  'project.moved': [
    keepLabels,
    dropPrioritiesOfProject,
    keepMilestonesOfProject,
    dropUnusableIterations,
    dropListsOfProject,
    endEntriesOfMoved,
    dropRolesOfMovedProject,
    followMovedProject,
    hooks.hookMovedProjects,
  ],
  'project.updated': [hooks.hookUpdatedProjects],
  'project.unshared': [removeUnsharedGroup, endEntriesOfUnshared],
  'project.removed': [
    // First: they read what the others delete.
    hooks.hookRemovedProjects,
    mergeUnblockedByProject,
    followRemovedProject,
    retireBotsOfProject,
    retireAccountsOfProject,
    removeKeysOfProject,
    deleteImagesOfProject,
    deleteRunnersOfProject,
    removeFilesOfProject,
    removeSnippetsOfProject,
    removeUploadsOfProject,
    removeMetricImages,
    removeIncidentImages,
    removeSecureFiles,
    removeTerraformStates,
    removeSites,
    removeExportsOfProject,
    removeArchivesOfProject,
  ],
  'snippets.removed': [followRemovedSnippets, forgetSnippets],
  'upload.created': [followUpload],
  'upload.removed': [followRemovedUpload],
  'lfs_objects.stored': [followLfsObjects],
  'lfs_objects.removed': [followRemovedLfsObjects],
  'package_blobs.stored': [followPackageFiles],
  'package_blobs.removed': [followRemovedPackageFiles],
  'secure_file.created': [followSecureFiles],
  'secure_file.removed': [followRemovedSecureFiles],
  'terraform_version.stored': [followStateVersions],
  'terraform_versions.removed': [followRemovedStateVersions],
  'site.published': [followSites],
  'sites.removed': [followRemovedSites],
  'container_repository.changed': [followImages],
  'container_repository.removed': [followRemovedImages],
}
