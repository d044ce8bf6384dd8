import type { RawBuilder } from 'kysely'
import { addColumn, addIndexes, createTables, type Dialect, Table } from '../infra/database/index.ts'
import * as jobs from '../infra/jobs/tables.ts'
import * as access from '../modules/access/tables.ts'
import * as appearance from '../modules/appearance/tables.ts'
import * as audit from '../modules/audit/tables.ts'
import * as badges from '../modules/badges/tables.ts'
import * as boards from '../modules/boards/tables.ts'
import * as bulkImports from '../modules/bulk-imports/tables.ts'
import * as clusterAgents from '../modules/cluster-agents/tables.ts'
import * as containerRegistry from '../modules/container-registry/tables.ts'
import * as contextCommits from '../modules/context-commits/tables.ts'
import * as draftNotes from '../modules/draft-notes/tables.ts'
import * as environments from '../modules/environments/tables.ts'
import * as epics from '../modules/epics/tables.ts'
import * as errorTracking from '../modules/error-tracking/tables.ts'
import * as featureFlags from '../modules/feature-flags/tables.ts'
import * as freezePeriods from '../modules/freeze-periods/tables.ts'
import * as groupLinks from '../modules/group-links/tables.ts'
import * as integrations from '../modules/integrations/tables.ts'
import * as invitations from '../modules/invitations/tables.ts'
import * as issues from '../modules/issues/tables.ts'
import * as limitExclusions from '../modules/limit-exclusions/tables.ts'
import * as mergeRequestBlocks from '../modules/merge-request-blocks/tables.ts'
import * as mergeRequests from '../modules/merge-requests/tables.ts'
import * as mergeTrains from '../modules/merge-trains/tables.ts'
import * as metricImages from '../modules/metric-images/tables.ts'
import * as mirrors from '../modules/mirrors/tables.ts'
import * as namespaces from '../modules/namespaces/tables.ts'
import * as notes from '../modules/notes/tables.ts'
import * as notifications from '../modules/notifications/tables.ts'
import * as packages from '../modules/packages/tables.ts'
import * as pages from '../modules/pages/tables.ts'
import * as pipelines from '../modules/pipelines/tables.ts'
import * as projectAliases from '../modules/project-aliases/tables.ts'
import * as jobScope from '../modules/projects/job-scope/tables.ts'
import * as projects from '../modules/projects/tables.ts'
import * as protectedEnvironments from '../modules/protected-environments/tables.ts'
import * as secureFiles from '../modules/secure-files/tables.ts'
import * as snippets from '../modules/snippets/tables.ts'
import * as sshCertificates from '../modules/ssh-certificates/tables.ts'
import * as statusChecks from '../modules/status-checks/tables.ts'
import * as supportPins from '../modules/support-pins/tables.ts'
import * as terraformStates from '../modules/terraform-states/tables.ts'
import * as testReports from '../modules/test-reports/tables.ts'
import * as transferArchives from '../modules/transfer-archives/tables.ts'
import * as users from '../modules/users/tables.ts'

/** Modules whose tables are new. */
const added: readonly object[] = [
  appearance,
  badges,
  boards,
  bulkImports,
  contextCommits,
  draftNotes,
  clusterAgents,
  environments,
  errorTracking,
  featureFlags,
  freezePeriods,
  groupLinks,
  integrations,
  jobScope,
  limitExclusions,
  mergeRequestBlocks,
  metricImages,
  mergeTrains,
  notifications,
  packages,
  pages,
  projectAliases,
  protectedEnvironments,
  secureFiles,
  sshCertificates,
  statusChecks,
  supportPins,
  transferArchives,
  terraformStates,
  testReports,
]

/** What follows 0.1.0. Until its release it follows the declared tables (decision 0026). */
export function afterFirstRelease(dialect: Dialect): RawBuilder<unknown>[] {
  const tables = added.flatMap((owner) => Object.values(owner).filter((value) => value instanceof Table))
  return [
    ...createTables(dialect, [
      ...tables,
      access.memberRoles,
      jobs.jobCounts,
      pipelines.ciResourceGroups,
      containerRegistry.registryTagRules,
      epics.epicLinks,
      mergeRequests.scopedApprovalRules,
      mergeRequests.scopedApprovalRuleUsers,
      mergeRequests.scopedApprovalRuleGroups,
    ]),
    ...addIndexes(dialect, projects.projects, ['package_cleanup_due']),
    addColumn(dialect, projects.projectSizes, 'package_bytes'),
    ...addIndexes(dialect, projects.projectSizes, ['packages', 'stored']),
    addColumn(dialect, namespaces.namespaceParts, 'package_bytes'),
    addColumn(dialect, namespaces.namespaceTotals, 'package_bytes'),
    addColumn(dialect, access.members, 'member_role_id'),
    ...addIndexes(dialect, access.members, ['member_role', 'user_with_role']),
    addColumn(dialect, access.groupLinks, 'member_role_id'),
    ...addIndexes(dialect, access.groupLinks, ['member_role']),
    addColumn(dialect, invitations.invitations, 'member_role_id'),
    ...addIndexes(dialect, invitations.invitations, ['member_role']),
    addColumn(dialect, users.users, 'provisioned_by_project_id'),
    addColumn(dialect, users.users, 'second_factor_demanded_at'),
    ...addIndexes(dialect, users.users, ['provisioned_by_project', 'unconfirmed']),
    addColumn(dialect, projects.projects, 'is_unfinished'),
    addColumn(dialect, projects.projects, 'archived_by_group'),
    addColumn(dialect, namespaces.namespaces, 'archived'),
    addColumn(dialect, namespaces.namespaces, 'archived_by_group'),
    ...addIndexes(dialect, namespaces.namespaces, ['archived']),
    addColumn(dialect, issues.issues, 'imported_from'),
    addColumn(dialect, epics.epics, 'imported_from'),
    addColumn(dialect, epics.epics, 'relative_position'),
    ...addIndexes(dialect, epics.epics, ['children']),
    addColumn(dialect, mergeRequests.mergeRequests, 'imported_from'),
    ...addIndexes(dialect, mergeRequests.mergeRequests, ['auto_merge']),
    addColumn(dialect, notes.notes, 'imported_from'),
    addColumn(dialect, snippets.snippets, 'imported_from'),
    addColumn(dialect, mirrors.remoteMirrors, 'public_key'),
    addColumn(dialect, mirrors.remoteMirrors, 'sealed_private_key'),
    addColumn(dialect, mirrors.remoteMirrors, 'host_key'),
    addColumn(dialect, pipelines.ciJobs, 'environment'),
    addColumn(dialect, pipelines.ciJobs, 'frozen'),
    addColumn(dialect, audit.auditEvents, 'author_id'),
    addColumn(dialect, audit.auditEvents, 'target_path'),
    addColumn(dialect, audit.auditEvents, 'ip_address'),
    addColumn(dialect, audit.auditEvents, 'told'),
    ...addIndexes(dialect, audit.auditEvents, ['own', 'kind', 'created']),
    ...projects.packageSizesTriggers(dialect),
    ...namespaces.packageMarkTriggers(dialect),
  ]
}
