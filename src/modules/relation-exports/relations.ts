import type { ExportedFiles, ExportedLines } from '../../platform/index.ts'
import { exportedGroupBadges, exportedProjectBadges } from '../badges/index.ts'
import { exportedBoards } from '../boards/index.ts'
import { exportedCustomAttributes } from '../custom-attributes/index.ts'
import { exportedEpics } from '../epics/index.ts'
import { exportedGroup, exportedNamespaceSettings } from '../groups/index.ts'
import { exportedIssues } from '../issues/index.ts'
import { exportedCadences } from '../iterations/index.ts'
import { exportedLabels } from '../labels/index.ts'
import { exportedLfsObjects, lfsIndex } from '../lfs/index.ts'
import { exportedApprovalRules, exportedMergeRequests } from '../merge-requests/index.ts'
import { exportedMilestones } from '../milestones/index.ts'
import { exportedCommitNotes } from '../notes/index.ts'
import { exportedSchedules } from '../pipeline-schedules/index.ts'
import { exportedPipelines } from '../pipelines/index.ts'
import {
  exportedAutoDevops,
  exportedCiCdSettings,
  exportedContainerPolicy,
  exportedProject,
  exportedProjectFeature,
  exportedSecuritySetting,
} from '../projects/index.ts'
import { exportedProtectedBranches } from '../protected-branches/index.ts'
import { exportedProtectedEnvironments } from '../protected-environments/index.ts'
import { exportedProtectedTags } from '../protected-tags/index.ts'
import { exportedPushRule } from '../push-rules/index.ts'
import { exportedReleases } from '../releases/index.ts'
import { exportedSnippets } from '../snippets/index.ts'
import { exportedUploads } from '../uploads/index.ts'
import { exportedRepository } from './contents/bundle.ts'
import { exportedContributors } from './contents/users.ts'
import type { ArchiveIndex, Relation } from './running/relation.ts'

/** The relation of the users to whom the others refer. It is exported last. */
export const contributions = 'user_contributions'

/** A collection, which a batched export divides. */
const many = (name: string, lines: ExportedLines): Relation => ({ name, batches: true, form: 'lines', lines })
/** At most one row. */
const one = (name: string, lines: ExportedLines): Relation => ({ name, batches: false, form: 'lines', lines })
const self = (lines: ExportedLines): Relation => ({ name: 'self', batches: false, form: 'object', lines })
const files = (name: string, found: ExportedFiles, index?: ArchiveIndex): Relation => ({
  ...{ name, batches: true, form: 'archive', files: found },
  ...(index ? { index } : {}),
})
const bundle = (name: string, found: ExportedFiles): Relation => ({
  name,
  batches: false,
  form: 'archive',
  files: found,
})

/** What this server does not have is exported without rows, since clients wait for every name (contract 14). */
const noLines: ExportedLines = async function* () {}
const noFiles: ExportedFiles = async function* () {}

/** In the order of the status (contract 14, "Project relations"). */
const ofProjects: readonly Relation[] = [
  self(exportedProject),
  many('labels', exportedLabels),
  many('milestones', exportedMilestones),
  many('issues', exportedIssues),
  many('snippets', exportedSnippets),
  many('releases', exportedReleases),
  many('merge_requests', exportedMergeRequests),
  many('external_pull_requests', noLines),
  many('commit_notes', exportedCommitNotes),
  many('ci_pipelines', exportedPipelines),
  one('auto_devops', exportedAutoDevops),
  many('pipeline_schedules', exportedSchedules),
  one('container_expiration_policy', exportedContainerPolicy),
  many('protected_branches', exportedProtectedBranches),
  many('protected_tags', exportedProtectedTags),
  one('project_feature', exportedProjectFeature),
  many('custom_attributes', exportedCustomAttributes),
  many('project_badges', exportedProjectBadges),
  one('ci_cd_settings', exportedCiCdSettings),
  one('error_tracking_setting', noLines),
  many('boards', exportedBoards),
  one('service_desk_setting', noLines),
  many('protected_environments', exportedProtectedEnvironments),
  one('security_setting', exportedSecuritySetting),
  one('push_rule', exportedPushRule),
  many('approval_rules', exportedApprovalRules),
  many('vulnerabilities', noLines),
  files('uploads', exportedUploads),
  files('lfs_objects', exportedLfsObjects, lfsIndex),
  bundle('repository', exportedRepository),
  bundle('design', noFiles),
  many(contributions, exportedContributors),
]

/** In the order of the status (contract 14, "Group relations"). */
const ofGroups: readonly Relation[] = [
  self(exportedGroup),
  many('milestones', exportedMilestones),
  many('badges', exportedGroupBadges),
  many('labels', exportedLabels),
  many('boards', exportedBoards),
  one('namespace_settings', exportedNamespaceSettings),
  many('epics', exportedEpics),
  many('epic_boards', noLines),
  many('iterations_cadences', exportedCadences),
  files('uploads', exportedUploads),
  many(contributions, exportedContributors),
]

/** The relations of projects or groups, in the order of the status. */
export const relationsOf = (kind: 'project' | 'group'): readonly Relation[] =>
  kind === 'project' ? ofProjects : ofGroups

/** The relation of a name; undefined for any other text. */
export const relationNamed = (kind: 'project' | 'group', name: string): Relation | undefined =>
  relationsOf(kind).find((relation) => relation.name === name)
