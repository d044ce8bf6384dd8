import * as rateLimit from './api/http/rate-limit.ts'
import { type AnyTable, Table } from './infra/database/index.ts'
import * as jobs from './infra/jobs/tables.ts'
import * as access from './modules/access/tables.ts'
import * as accessRequests from './modules/access-requests/tables.ts'
import * as alerts from './modules/alerts/tables.ts'
import * as appearance from './modules/appearance/tables.ts'
import * as audit from './modules/audit/tables.ts'
import * as badges from './modules/badges/tables.ts'
import * as boards from './modules/boards/tables.ts'
import * as broadcastMessages from './modules/broadcast-messages/tables.ts'
import * as bulkImports from './modules/bulk-imports/tables.ts'
import * as clusterAgents from './modules/cluster-agents/tables.ts'
import * as containerRegistry from './modules/container-registry/tables.ts'
import * as contextCommits from './modules/context-commits/tables.ts'
import * as customAttributes from './modules/custom-attributes/tables.ts'
import * as deployKeys from './modules/deploy-keys/tables.ts'
import * as draftNotes from './modules/draft-notes/tables.ts'
import * as enterpriseUsers from './modules/enterprise-users/tables.ts'
import * as environments from './modules/environments/tables.ts'
import * as epics from './modules/epics/tables.ts'
import * as errorTracking from './modules/error-tracking/tables.ts'
import * as events from './modules/events/tables.ts'
import * as featureFlags from './modules/feature-flags/tables.ts'
import * as features from './modules/features/tables.ts'
import * as fetchStatistics from './modules/fetch-statistics/tables.ts'
import * as freezePeriods from './modules/freeze-periods/tables.ts'
import * as gpgKeys from './modules/gpg-keys/tables.ts'
import * as groupLinks from './modules/group-links/tables.ts'
import * as hooks from './modules/hooks/tables.ts'
import * as integrations from './modules/integrations/tables.ts'
import * as invitations from './modules/invitations/tables.ts'
import * as issuables from './modules/issuables/tables.ts'
import * as issues from './modules/issues/tables.ts'
import * as iterations from './modules/iterations/tables.ts'
import * as keys from './modules/keys/tables.ts'
import * as labels from './modules/labels/tables.ts'
import * as lfs from './modules/lfs/tables.ts'
import * as limitExclusions from './modules/limit-exclusions/tables.ts'
import * as mergeRequestBlocks from './modules/merge-request-blocks/tables.ts'
import * as mergeRequests from './modules/merge-requests/tables.ts'
import * as mergeTrains from './modules/merge-trains/tables.ts'
import * as metricImages from './modules/metric-images/tables.ts'
import * as milestones from './modules/milestones/tables.ts'
import * as mirrors from './modules/mirrors/tables.ts'
import * as namespaces from './modules/namespaces/tables.ts'
import * as notes from './modules/notes/tables.ts'
import * as notifications from './modules/notifications/tables.ts'
import * as oauth from './modules/oauth/tables.ts'
import * as packages from './modules/packages/tables.ts'
import * as pages from './modules/pages/tables.ts'
import * as pipelineSchedules from './modules/pipeline-schedules/tables.ts'
import * as pipelines from './modules/pipelines/tables.ts'
import * as planLimits from './modules/plan-limits/tables.ts'
import * as projectAliases from './modules/project-aliases/tables.ts'
import * as jobScope from './modules/projects/job-scope/tables.ts'
import * as languages from './modules/projects/languages/tables.ts'
import * as projects from './modules/projects/tables.ts'
import * as protectedBranches from './modules/protected-branches/tables.ts'
import * as protectedEnvironments from './modules/protected-environments/tables.ts'
import * as protectedTags from './modules/protected-tags/tables.ts'
import * as pushRules from './modules/push-rules/tables.ts'
import * as relationExports from './modules/relation-exports/tables.ts'
import * as releases from './modules/releases/tables.ts'
import * as replication from './modules/replication/tables.ts'
import * as runners from './modules/runners/tables.ts'
import * as secureFiles from './modules/secure-files/tables.ts'
import * as sessions from './modules/sessions/tables.ts'
import * as snippets from './modules/snippets/tables.ts'
import * as spam from './modules/spam/tables.ts'
import * as sshCertificates from './modules/ssh-certificates/tables.ts'
import * as statusChecks from './modules/status-checks/tables.ts'
import * as storageMoves from './modules/storage-moves/tables.ts'
import * as suggestions from './modules/suggestions/tables.ts'
import * as supportPins from './modules/support-pins/tables.ts'
import * as terraformStates from './modules/terraform-states/tables.ts'
import * as testReports from './modules/test-reports/tables.ts'
import * as tokens from './modules/tokens/tables.ts'
import * as topics from './modules/topics/tables.ts'
import * as transferArchives from './modules/transfer-archives/tables.ts'
import * as uploads from './modules/uploads/tables.ts'
import * as users from './modules/users/tables.ts'
import * as variables from './modules/variables/tables.ts'
import * as wikis from './modules/wikis/tables.ts'
import * as instance from './platform/instance/tables.ts'
import * as internalIds from './platform/internal-ids/store.ts'
import * as repositories from './platform/repositories/tables.ts'
import * as settings from './platform/settings/tables.ts'

/** The files that declare tables, from the bottom up. */
const owners: readonly object[] = [
  rateLimit,
  jobs,
  instance,
  internalIds,
  repositories,
  settings,
  accessRequests,
  access,
  alerts,
  appearance,
  audit,
  badges,
  boards,
  broadcastMessages,
  bulkImports,
  clusterAgents,
  containerRegistry,
  contextCommits,
  customAttributes,
  deployKeys,
  draftNotes,
  enterpriseUsers,
  environments,
  epics,
  errorTracking,
  events,
  featureFlags,
  features,
  fetchStatistics,
  freezePeriods,
  gpgKeys,
  groupLinks,
  hooks,
  integrations,
  invitations,
  issuables,
  issues,
  iterations,
  keys,
  labels,
  lfs,
  limitExclusions,
  mergeRequestBlocks,
  mergeRequests,
  metricImages,
  mergeTrains,
  milestones,
  mirrors,
  namespaces,
  notes,
  notifications,
  oauth,
  packages,
  pages,
  pipelineSchedules,
  pipelines,
  planLimits,
  jobScope,
  languages,
  projectAliases,
  projects,
  protectedBranches,
  protectedEnvironments,
  protectedTags,
  pushRules,
  relationExports,
  releases,
  replication,
  runners,
  secureFiles,
  sessions,
  snippets,
  spam,
  sshCertificates,
  statusChecks,
  transferArchives,
  storageMoves,
  suggestions,
  supportPins,
  terraformStates,
  testReports,
  tokens,
  topics,
  uploads,
  users,
  variables,
  wikis,
]

/** All tables of the database. */
export const tables: readonly AnyTable[] = owners.flatMap((owner) =>
  Object.values(owner).filter((value) => value instanceof Table),
)
