/**
 * The operations that pages name, whose parameters and results the compiler knows; where addresses in texts lead, as the API has it;
 * the catalogue of integrations, whose forms follow from it; and the settings that have no field.
 */
import type { AnswerOf, Operation } from '../api/index.ts'
import type { projectBadgesList } from '../modules/badges/index.ts'
import type { boardListTwins, boardTwins } from '../modules/boards/index.ts'
import type { commitsGet, commitsList } from '../modules/commits/index.ts'
import type { draftNotesList } from '../modules/draft-notes/index.ts'
import type { epicsGet } from '../modules/epics/index.ts'
import type { repositoryTree } from '../modules/files/index.ts'
import type { groupsGet } from '../modules/groups/index.ts'
import type { issuesGet, projectIssuesList } from '../modules/issues/index.ts'
import type { mergeRequestsGet, projectMergeRequestsList } from '../modules/merge-requests/index.ts'
import type { jobsGet, jobsList, pipelinesGet, pipelinesList, pipelinesPlan } from '../modules/pipelines/index.ts'
import type { projectsGet } from '../modules/projects/index.ts'
import type { releasesGet } from '../modules/releases/index.ts'
import type { projectSnippetsList, snippetTwins } from '../modules/snippets/index.ts'
import type { tagsGet } from '../modules/tags/index.ts'
import type { wikiPages } from '../modules/wikis/index.ts'
import { modules } from '../modules.ts'

export { policyGet } from '../modules/access/index.ts'
export { eventsList, eventsOfUser } from '../modules/activity/index.ts'
export {
  alertIntegrationsCreate,
  alertIntegrationsList,
  alertIntegrationsTest,
  alertMetricImagesCreate,
  alertMetricImagesDelete,
  alertMetricImagesList,
  alertNotesList,
  alertsCreateIncident,
  alertsGet,
  alertsList,
  alertsSeverityCounts,
  alertsStatusCounts,
  alertsUpdate,
} from '../modules/alerts/index.ts'
export { repositoryArchiveBySuffix } from '../modules/archives/index.ts'
export { backgroundQueuesList } from '../modules/background-jobs/index.ts'
export { projectBadgesList } from '../modules/badges/index.ts'
export { boardListTwins, boardTwins } from '../modules/boards/index.ts'
export {
  branchesCreate,
  branchesDelete,
  branchesDeleteMerged,
  branchesGet,
  branchesList,
  branchesProtect,
  branchesUnprotect,
} from '../modules/branches/index.ts'
export { broadcastMessagesList } from '../modules/broadcast-messages/index.ts'
export {
  bulkImportsCancel,
  bulkImportsCreate,
  bulkImportsEntities,
  bulkImportsFailures,
  bulkImportsGet,
  bulkImportsList,
} from '../modules/bulk-imports/index.ts'
export { ciLintGet, ciLintPost } from '../modules/ci-config/index.ts'
export {
  commitsDiff,
  commitsGet,
  commitsList,
  commitsRefs,
  commitsSignature,
  repositoryCommitActivity,
  repositoryCompare,
  repositoryContributors,
} from '../modules/commits/index.ts'
export {
  containerTagRulesList,
  groupRegistryList,
  projectRegistryDelete,
  projectRegistryDeleteTag,
  projectRegistryDeleteTags,
  projectRegistryList,
  projectRegistryPreviewDeletion,
  projectRegistryTag,
  projectRegistryTags,
  registryGet,
} from '../modules/container-registry/index.ts'
export {
  draftNotesCreate,
  draftNotesDelete,
  draftNotesList,
  draftNotesPublish,
  draftNotesPublishAll,
  draftNotesUpdate,
} from '../modules/draft-notes/index.ts'
export { groupDomainsCreate, groupDomainsList, groupDomainsVerify } from '../modules/enterprise-users/index.ts'
export {
  deploymentsApprove,
  deploymentsDelete,
  deploymentsGet,
  deploymentsList,
  deploymentsMergeRequests,
  environmentsCreate,
  environmentsDelete,
  environmentsDeleteReviewApps,
  environmentsGet,
  environmentsList,
  environmentsStop,
  environmentsStopStale,
  environmentsUpdate,
} from '../modules/environments/index.ts'
export {
  epicIssuesAdd,
  epicIssuesList,
  epicIssuesMove,
  epicIssuesRemove,
  epicsCreate,
  epicsDelete,
  epicsGet,
  epicsList,
  epicsUpdate,
} from '../modules/epics/index.ts'
export {
  featureFlagClientsGet,
  featureFlagClientsReset,
  featureFlagsCreate,
  featureFlagsDelete,
  featureFlagsGet,
  featureFlagsList,
  featureFlagsPreview,
  featureFlagsUpdate,
  featureFlagUserListsList,
} from '../modules/feature-flags/index.ts'
export {
  filesBlame,
  filesCreate,
  filesDelete,
  filesFind,
  filesGet,
  filesRaw,
  filesUpdate,
  filesUpload,
  repositoryTree,
} from '../modules/files/index.ts'
export {
  groupExportDownload,
  groupExportGet,
  groupExportStart,
  groupImportCreate,
  groupImportGet,
} from '../modules/group-archives/index.ts'
export { groupsGet, groupsList, groupsSubgroups } from '../modules/groups/index.ts'
export { backupsList, serverLoad, serverReadiness, serverSpace } from '../modules/health/index.ts'
export {
  type EventColumn,
  eventDefaults,
  fieldsOfIntegration,
  type IntegrationEntry,
  type IntegrationField,
  integrationCatalogue,
  integrationTwins,
} from '../modules/integrations/index.ts'
export { todosAllDone, todosDone, todosList } from '../modules/issuables/index.ts'
export {
  groupIssuesList,
  groupIssuesStatistics,
  issueClosedBy,
  issueLinksCreate,
  issueLinksDelete,
  issueLinksList,
  issueRelatedMergeRequests,
  issuesClone,
  issuesCreate,
  issuesDelete,
  issuesGet,
  issuesList,
  issuesMove,
  issuesStatistics,
  issuesUpdate,
  issueTasksUpdate,
  projectIssuesList,
  projectIssuesStatistics,
} from '../modules/issues/index.ts'
export { iterationsGet } from '../modules/iterations/index.ts'
export { renderTexts, resolverIn } from '../modules/markdown/index.ts'
export { requestBlocksCreate, requestBlocksDelete, requestBlocksList } from '../modules/merge-request-blocks/index.ts'
export {
  approvalsApprove,
  approvalsGet,
  approvalsState,
  approvalsUnapprove,
  groupApprovalSettingGet,
  groupApprovalSettingUpdate,
  groupMergeRequestsList,
  mergeRequestsCancelAutoMerge,
  mergeRequestsCloses,
  mergeRequestsCommits,
  mergeRequestsConflicts,
  mergeRequestsCreate,
  mergeRequestsCreatePipeline,
  mergeRequestsDelete,
  mergeRequestsDiffFiles,
  mergeRequestsDiffs,
  mergeRequestsGet,
  mergeRequestsList,
  mergeRequestsMerge,
  mergeRequestsPipelines,
  mergeRequestsRebase,
  mergeRequestsUpdate,
  mergeRequestsVersions,
  projectApprovalSettingGet,
  projectApprovalSettingUpdate,
  projectMergeRequestsList,
  requestRuleCreate,
  requestRuleDelete,
  requestRuleGet,
  requestRulesList,
  requestRuleUpdate,
  reviewersList,
} from '../modules/merge-requests/index.ts'
export {
  mergeTrainsAdd,
  mergeTrainsGet,
  mergeTrainsList,
  mergeTrainsOfBranch,
} from '../modules/merge-trains/index.ts'
export {
  incidentMetricImagesCreate,
  incidentMetricImagesDelete,
  incidentMetricImagesList,
} from '../modules/metric-images/index.ts'
export type { PresentedMilestone as MilestoneObject } from '../modules/milestones/index.ts'
export type {
  PresentedAward as AwardObject,
  PresentedDiscussion as DiscussionObject,
  PresentedNote as NoteObject,
} from '../modules/notes/index.ts'
export { notificationTwins, ownNotificationsGet, ownNotificationsUpdate } from '../modules/notifications/index.ts'
export {
  authorizedApplicationsDelete,
  authorizedApplicationsList,
  oauthAuthorizationCreate,
  oauthAuthorizationGet,
  oauthDeviceAuthorizationCreate,
  oauthDeviceAuthorizationGet,
} from '../modules/oauth/index.ts'
export {
  groupPackagesList,
  packageFilesDelete,
  packageFilesDownload,
  packageFilesList,
  packageRulesList,
  packagesDelete,
  packagesGet,
  packagesList,
} from '../modules/packages/index.ts'
export { pagesDelete, pagesGet, pagesUpdate } from '../modules/pages/index.ts'
export {
  jobArtifactsDelete,
  jobArtifactsFile,
  jobArtifactsGet,
  jobArtifactsKeep,
  jobArtifactsTree,
  jobsCancel,
  jobsDefinition,
  jobsErase,
  jobsGet,
  jobsList,
  jobsPlay,
  jobsRetry,
  jobsTrace,
  pipelinesByDay,
  pipelinesCancel,
  pipelinesCreate,
  pipelinesDelete,
  pipelinesGet,
  pipelinesLatest,
  pipelinesList,
  pipelinesPlan,
  pipelinesRetry,
  pipelinesVariables,
  resourceGroupsCurrentJob,
  resourceGroupsGet,
  resourceGroupsList,
  resourceGroupsUpcomingJobs,
  resourceGroupsUpdate,
} from '../modules/pipelines/index.ts'
export {
  projectExportDownload,
  projectExportGet,
  projectExportStart,
  projectImport,
  projectImportGet,
} from '../modules/project-archives/index.ts'
export {
  projectsGet,
  projectsLanguages,
  projectsList,
  projectsOfGroup,
  projectsOfUser,
  projectsUpdate,
} from '../modules/projects/index.ts'
export {
  releaseLinksCreate,
  releaseLinksDelete,
  releasesCreate,
  releasesDelete,
  releasesGet,
  releasesList,
  releasesUpdate,
} from '../modules/releases/index.ts'
export { groupRunnersList, projectRunnersList, runnersAll, runnersCreate } from '../modules/runners/index.ts'
export { groupSearch, instanceSearch, projectSearch } from '../modules/search/index.ts'
export { sessionsDelete, sessionsList, userPasswordUpdate } from '../modules/sessions/index.ts'
export { settingsForPrograms } from '../modules/settings/index.ts'
export {
  projectSnippetsList,
  rawSnippets,
  snippetsListOwn,
  snippetsListPublic,
  snippetTwins,
} from '../modules/snippets/index.ts'
export { applicationStatistics, signInStatistics, storageStatistics } from '../modules/statistics/index.ts'
export { requestStatusChecksList, requestStatusChecksRetry } from '../modules/status-checks/index.ts'
export { suggestionsApply, suggestionsApplySeveral } from '../modules/suggestions/index.ts'
export { tagsCreate, tagsDelete, tagsGet, tagsList, tagsSignature } from '../modules/tags/index.ts'
export { pipelinesTestReport, pipelinesTestReportSummary } from '../modules/test-reports/index.ts'
export {
  userGet,
  usersList,
  userTwoFactorBegin,
  userTwoFactorDisable,
  userTwoFactorEnable,
  userTwoFactorRenewCodes,
} from '../modules/users/index.ts'
export { wikiPages } from '../modules/wikis/index.ts'

/** One of the objects of a list. */
export type ItemOf<O> = AnswerOf<O> extends { items: readonly (infer T)[] } ? T : never

export type ProjectObject = AnswerOf<typeof projectsGet>
export type GroupObject = AnswerOf<typeof groupsGet>
export type BoardObject = AnswerOf<(typeof boardTwins)['project']['get']>
export type BoardListObject = AnswerOf<(typeof boardListTwins)['project']['get']>
export type CommitObject = AnswerOf<typeof commitsGet>
export type ListedCommit = ItemOf<typeof commitsList>
export type ListedSnippet = ItemOf<typeof projectSnippetsList>
export type SnippetObject = AnswerOf<(typeof snippetTwins)['personal']['get']>
export type ListedWikiPage = AnswerOf<(typeof wikiPages)['project']['list']>[number]
export type EpicObject = AnswerOf<typeof epicsGet>
export type IssueObject = AnswerOf<typeof issuesGet>
export type ListedIssue = ItemOf<typeof projectIssuesList>
export type MergeRequestObject = AnswerOf<typeof mergeRequestsGet>
export type ListedMergeRequest = ItemOf<typeof projectMergeRequestsList>
export type DraftNoteObject = AnswerOf<typeof draftNotesList>[number]
export type ReleaseObject = AnswerOf<typeof releasesGet>
export type ListedPipeline = ItemOf<typeof pipelinesList>
export type PipelineObject = AnswerOf<typeof pipelinesGet>
export type PlannedJob = AnswerOf<typeof pipelinesPlan>[number]
export type ListedJob = ItemOf<typeof jobsList>
export type JobObject = AnswerOf<typeof jobsGet>
export type ListedBadge = ItemOf<typeof projectBadgesList>
export type TagObject = AnswerOf<typeof tagsGet>
export type TreeEntry = ItemOf<typeof repositoryTree>
/** What pages show of the caller. The schema of `user.get` depends on who asks. */
export type UserObject = { id: number; username: string; name: string; is_admin?: boolean; web_url?: string }

const byId = new Map(modules.flatMap(({ operations }) => operations).map((operation) => [operation.id, operation]))

/** An operation by its id, for those that are declared for several subjects at once. Asked while the pages are loaded, so that a wrong one ends the start. */
export function named(id: string): Operation {
  const operation = byId.get(id)
  if (!operation) throw new Error(`no operation is named ${id}`)
  return operation
}

/** An operation by its id; null where there is none. */
export const namedIfAny = (id: string): Operation | null => byId.get(id) ?? null
