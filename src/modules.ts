import { access } from './modules/access/index.ts'
import { accessRequests } from './modules/access-requests/index.ts'
import { activity } from './modules/activity/index.ts'
import { alerts } from './modules/alerts/index.ts'
import { appearance } from './modules/appearance/index.ts'
import { archives } from './modules/archives/index.ts'
import { audit } from './modules/audit/index.ts'
import { backgroundJobs } from './modules/background-jobs/index.ts'
import { badges } from './modules/badges/index.ts'
import { billableMembers } from './modules/billable-members/index.ts'
import { boards } from './modules/boards/index.ts'
import { branches } from './modules/branches/index.ts'
import { broadcastMessages } from './modules/broadcast-messages/index.ts'
import { bulkImports } from './modules/bulk-imports/index.ts'
import { ciConfig } from './modules/ci-config/index.ts'
import { clusterAgentsModule } from './modules/cluster-agents/index.ts'
import { commits } from './modules/commits/index.ts'
import { containerRegistry } from './modules/container-registry/index.ts'
import { contextCommits } from './modules/context-commits/index.ts'
import { customAttributes } from './modules/custom-attributes/index.ts'
import { dependencyProxy } from './modules/dependency-proxy/index.ts'
import { deployKeys } from './modules/deploy-keys/index.ts'
import { draftNotes } from './modules/draft-notes/index.ts'
import { enterpriseUsers } from './modules/enterprise-users/index.ts'
import { environments } from './modules/environments/index.ts'
import { epics } from './modules/epics/index.ts'
import { errorTracking } from './modules/error-tracking/index.ts'
import { events } from './modules/events/index.ts'
import { featureFlags } from './modules/feature-flags/index.ts'
import { features } from './modules/features/index.ts'
import { fetchStatisticsModule } from './modules/fetch-statistics/index.ts'
import { files } from './modules/files/index.ts'
import { freezePeriods } from './modules/freeze-periods/index.ts'
import { gitTransport } from './modules/git-transport/index.ts'
import { gpgKeys } from './modules/gpg-keys/index.ts'
import { graphql } from './modules/graphql/index.ts'
import { groupArchives } from './modules/group-archives/index.ts'
import { groupLinks } from './modules/group-links/index.ts'
import { groups } from './modules/groups/index.ts'
import { health } from './modules/health/index.ts'
import { hooks } from './modules/hooks/index.ts'
import { integrations } from './modules/integrations/index.ts'
import { invitations } from './modules/invitations/index.ts'
import { issuables } from './modules/issuables/index.ts'
import { issues } from './modules/issues/index.ts'
import { iterations } from './modules/iterations/index.ts'
import { keys } from './modules/keys/index.ts'
import { labels } from './modules/labels/index.ts'
import { lfs } from './modules/lfs/index.ts'
import { license } from './modules/license/index.ts'
import { limitExclusions } from './modules/limit-exclusions/index.ts'
import { markdown } from './modules/markdown/index.ts'
import { memberRoles } from './modules/member-roles/index.ts'
import { members } from './modules/members/index.ts'
import { mergeRequestBlocks } from './modules/merge-request-blocks/index.ts'
import { mergeRequests } from './modules/merge-requests/index.ts'
import { mergeTrains } from './modules/merge-trains/index.ts'
import { metadata } from './modules/metadata/index.ts'
import { metricImages } from './modules/metric-images/index.ts'
import { milestones } from './modules/milestones/index.ts'
import { mirrors } from './modules/mirrors/index.ts'
import { namespaces } from './modules/namespaces/index.ts'
import { notes } from './modules/notes/index.ts'
import { notifications } from './modules/notifications/index.ts'
import { oauth } from './modules/oauth/index.ts'
import { packages } from './modules/packages/index.ts'
import { pages } from './modules/pages/index.ts'
import { pipelineSchedules } from './modules/pipeline-schedules/index.ts'
import { pipelines } from './modules/pipelines/index.ts'
import { planLimitsModule } from './modules/plan-limits/index.ts'
import { projectAliases } from './modules/project-aliases/index.ts'
import { projectArchives } from './modules/project-archives/index.ts'
import { projects } from './modules/projects/index.ts'
import { protectedBranches } from './modules/protected-branches/index.ts'
import { protectedEnvironments } from './modules/protected-environments/index.ts'
import { protectedTags } from './modules/protected-tags/index.ts'
import { pushRules } from './modules/push-rules/index.ts'
import { relationExports } from './modules/relation-exports/index.ts'
import { releases } from './modules/releases/index.ts'
import { replication } from './modules/replication/index.ts'
import { runners } from './modules/runners/index.ts'
import { search } from './modules/search/index.ts'
import { secureFiles } from './modules/secure-files/index.ts'
import { serviceAccounts } from './modules/service-accounts/index.ts'
import { sessions } from './modules/sessions/index.ts'
import { settings } from './modules/settings/index.ts'
import { snippets } from './modules/snippets/index.ts'
import { spam } from './modules/spam/index.ts'
import { sshCertificates } from './modules/ssh-certificates/index.ts'
import { statistics } from './modules/statistics/index.ts'
import { statusChecks } from './modules/status-checks/index.ts'
import { storageMoves } from './modules/storage-moves/index.ts'
import { suggestions } from './modules/suggestions/index.ts'
import { supportPins } from './modules/support-pins/index.ts'
import { tags } from './modules/tags/index.ts'
import { templates } from './modules/templates/index.ts'
import { terraformStatesModule } from './modules/terraform-states/index.ts'
import { testReports } from './modules/test-reports/index.ts'
import { tokens } from './modules/tokens/index.ts'
import { topics } from './modules/topics/index.ts'
import { transferArchives } from './modules/transfer-archives/index.ts'
import { uploads } from './modules/uploads/index.ts'
import { usageData } from './modules/usage-data/index.ts'
import { users } from './modules/users/index.ts'
import { variables } from './modules/variables/index.ts'
import { wikis } from './modules/wikis/index.ts'
import type { Module } from './platform/index.ts'

/** What is mounted. Services are asked in this order. A new domain adds its line. */
export const modules: readonly Module[] = [
  metadata,
  license,
  settings,
  appearance,
  backgroundJobs,
  health,
  usageData,
  limitExclusions,
  access,
  oauth,
  customAttributes,
  users,
  keys,
  gpgKeys,
  namespaces,
  groups,
  topics,
  projects,
  projectAliases,
  members,
  memberRoles,
  billableMembers,
  invitations,
  accessRequests,
  protectedBranches,
  tokens,
  sessions,
  serviceAccounts,
  enterpriseUsers,
  supportPins,
  audit,
  sshCertificates,
  protectedTags,
  commits,
  branches,
  pushRules,
  badges,
  groupLinks,
  mirrors,
  tags,
  releases,
  files,
  archives,
  events,
  activity,
  fetchStatisticsModule,
  deployKeys,
  freezePeriods,
  protectedEnvironments,
  pipelines,
  testReports,
  environments,
  pages,
  runners,
  notes,
  mergeRequests,
  draftNotes,
  contextCommits,
  mergeRequestBlocks,
  mergeTrains,
  suggestions,
  markdown,
  search,
  graphql,
  issuables,
  wikis,
  spam,
  snippets,
  // Before git, whose paths may begin with those of the registry.
  containerRegistry,
  dependencyProxy,
  gitTransport,
  lfs,
  features,
  featureFlags,
  packages,
  planLimitsModule,
  variables,
  ciConfig,
  pipelineSchedules,
  secureFiles,
  terraformStatesModule,
  clusterAgentsModule,
  broadcastMessages,
  metricImages,
  alerts,
  errorTracking,
  labels,
  milestones,
  epics,
  iterations,
  issues,
  boards,
  uploads,
  templates,
  statistics,
  replication,
  hooks,
  integrations,
  statusChecks,
  relationExports,
  transferArchives,
  projectArchives,
  groupArchives,
  bulkImports,
  storageMoves,
  notifications,
]
