import { mailLines } from './modules/appearance/index.ts'
import { registrySizes } from './modules/container-registry/index.ts'
import { joinsOfKey } from './modules/deploy-keys/index.ts'
import { isVerifiedAddress } from './modules/enterprise-users/index.ts'
import { firstInProduction, holdsOfJobs } from './modules/environments/index.ts'
import {
  epicsOfIssues,
  exportedEpicsOfIssues,
  importEpicOfIssue,
  inConfidentialEpic,
  issuesInEpic,
  setEpicOfIssue,
} from './modules/epics/index.ts'
import { requireWorker } from './modules/features/index.ts'
import { verifyCommit } from './modules/gpg-keys/index.ts'
import { archiveFiles } from './modules/group-archives/index.ts'
import { groupsWithAvatar, removeGroup, seenGroup } from './modules/groups/index.ts'
import { followEvent, isFollowed } from './modules/integrations/index.ts'
import { milestonesOfEvents } from './modules/issuables/index.ts'
import {
  closeIncident,
  incidentFacts,
  issueAnswers,
  issueCountsOfLabels,
  milestonesOfIssues,
  openIncident,
  openIssueCounts,
  presentIncident,
} from './modules/issues/index.ts'
import { lfsAuthenticate, lfsContent } from './modules/lfs/index.ts'
import { blockedAmong } from './modules/merge-request-blocks/index.ts'
import {
  branchesOfRequest,
  closersOfIssue,
  closingCounts,
  followUpOf,
  introducedBy,
  mergeRequestAnswers,
  milestonesOfRequests,
  relatedToIssue,
  requestCountsOfLabels,
  requestedBranches,
  requestsWithCommit,
  variablesOfRequests,
} from './modules/merge-requests/index.ts'
import { followTrain } from './modules/merge-trains/index.ts'
import { pullFrom } from './modules/mirrors/index.ts'
import { levelNumbers } from './modules/notifications/index.ts'
import { hasScopedPackages } from './modules/packages/index.ts'
import { callerOfJob, pipelinesOfCommits, registryJobOfToken } from './modules/pipelines/index.ts'
import {
  projectsInGroupObject,
  projectsWithAvatar,
  removeProject,
  removeProjectsOf,
  seenProject,
} from './modules/projects/index.ts'
import { prepareInitialProtection } from './modules/protected-branches/index.ts'
import { milestonesOfReleases, releasesOfTags } from './modules/releases/index.ts'
import { runnersOfJobs, variablesOfEndedJob } from './modules/runners/index.ts'
import { callerOfBrowser } from './modules/sessions/index.ts'
import { withoutAllChecksPassed } from './modules/status-checks/index.ts'
import { moveProjectTo } from './modules/storage-moves/index.ts'
import { suggestionsOfNotes } from './modules/suggestions/index.ts'
import { authenticate, impersonate, rootAccount as rootAccountOfTokens } from './modules/tokens/index.ts'
import { topicsWithAvatar } from './modules/topics/index.ts'
import { renderMarkdownOf } from './modules/uploads/index.ts'
import { usersWithAvatar } from './modules/users/index.ts'
import type { Ports, RootAccount } from './platform/index.ts'

/** Who answers what lower modules ask of higher ones: one function for each question. */
export const ports: Ports = {
  'request.authenticate': authenticate,
  'request.impersonate': impersonate,
  'request.browser': callerOfBrowser,
  'mail.lines': mailLines,
  'users.avatar_rows': () => ({
    user: usersWithAvatar,
    project: projectsWithAvatar,
    group: groupsWithAvatar,
    topic: topicsWithAvatar,
  }),
  'users.seen_owner': (platform, owner, id, actor) =>
    (owner === 'project' ? seenProject : seenGroup)(platform, id, actor),
  'workers.require': requireWorker,
  'users.remove_group': removeGroup,
  'keys.deploy_key_projects': ({ database }, keyId) => joinsOfKey(database.read, keyId),
  'users.remove_projects': removeProjectsOf,
  'groups.projects': projectsInGroupObject,
  'groups.remove_project': removeProject,
  'groups.seen_project': seenProject,
  'groups.scoped_packages': hasScopedPackages,
  'projects.protect_default_branch': prepareInitialProtection,
  'projects.move_to_storage': moveProjectTo,
  'projects.pull_from': pullFrom,
  'projects.registry_sizes': registrySizes,
  'projects.notification_levels': levelNumbers,
  'projects.open_issues': openIssueCounts,
  'projects.render_description': (_platform, id, text) => renderMarkdownOf({ kind: 'project', id }, text),
  'notes.suggestions': suggestionsOfNotes,
  'milestones.in_use': async (_platform, db, projectId) => {
    const found: number[] = []
    for (const used of [milestonesOfIssues, milestonesOfRequests, milestonesOfReleases, milestonesOfEvents]) {
      found.push(...(await used(db, projectId)))
    }
    return found
  },
  'alerts.open_incident': openIncident,
  'alerts.close_incident': closeIncident,
  'alerts.incidents': incidentFacts,
  'alerts.present_incident': presentIncident,
  'branches.requested': requestedBranches,
  'commits.introduced_by': introducedBy,
  'commits.merge_requests': requestsWithCommit,
  'commits.pgp_verification': verifyCommit,
  'commits.pipelines': pipelinesOfCommits,
  'hooks.is_followed': isFollowed,
  'hooks.follow': followEvent,
  'labels.issue_counts': issueCountsOfLabels,
  'labels.merge_request_counts': requestCountsOfLabels,
  'issuables.kinds': () => ({ Issue: issueAnswers, MergeRequest: mergeRequestAnswers }),
  'issues.closing_counts': closingCounts,
  'issues.closed_by': closersOfIssue,
  'issues.related_merge_requests': relatedToIssue,
  'issues.follow_up': followUpOf,
  'issues.epics': epicsOfIssues,
  'issues.exported_epics': exportedEpicsOfIssues,
  'issues.import_epic': importEpicOfIssue,
  'issues.in_epic': issuesInEpic,
  'issues.in_confidential_epic': inConfidentialEpic,
  'issues.set_epic': setEpicOfIssue,
  'service_accounts.is_verified': isVerifiedAddress,
  'merge_requests.follow_train': followTrain,
  'merge_requests.without_checks': withoutAllChecksPassed,
  'merge_requests.blocked': blockedAmong,
  'merge_requests.first_in_production': (_platform, db, ids) => firstInProduction(db, ids),
  'environments.variables_of_job': variablesOfEndedJob,
  'pages.variables_of_job': variablesOfEndedJob,
  'pipelines.request_branches': branchesOfRequest,
  'pipelines.request_variables': variablesOfRequests,
  'pipelines.holds': holdsOfJobs,
  'pipelines.runners': runnersOfJobs,
  'tokens.job': callerOfJob,
  'container_registry.job': registryJobOfToken,
  'tags.releases': releasesOfTags,
  'files.lfs_content': lfsContent,
  'ssh.lfs_authenticate': lfsAuthenticate,
  'transfer_archives.files': archiveFiles,
}

/** Creates the account of the first start. */
export const rootAccount: RootAccount = rootAccountOfTokens
