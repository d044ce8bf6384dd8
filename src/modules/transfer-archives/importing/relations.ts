import type { ImportFile, Importing, ImportLine, Platform } from '../../../platform/index.ts'
import { importBadge } from '../../badges/index.ts'
import { importBoard } from '../../boards/index.ts'
import { importCustomAttribute } from '../../custom-attributes/index.ts'
import { importEpic, importEpicLinks, importEpicParent } from '../../epics/index.ts'
import { importIssue } from '../../issues/index.ts'
import { importCadence } from '../../iterations/index.ts'
import { importLabel } from '../../labels/index.ts'
import { importLfsObject } from '../../lfs/index.ts'
import { importMember } from '../../members/index.ts'
import { importApprovalRule, importMergeRequest } from '../../merge-requests/index.ts'
import { importMilestone } from '../../milestones/index.ts'
import { importCommitNote } from '../../notes/index.ts'
import { importSchedule } from '../../pipeline-schedules/index.ts'
import { importPipeline } from '../../pipelines/index.ts'
import {
  importAutoDevops,
  importContainerPolicy,
  importProjectSettings,
  importRepository,
} from '../../projects/index.ts'
import { importProtectedBranch } from '../../protected-branches/index.ts'
import { importProtectedEnvironment } from '../../protected-environments/index.ts'
import { importProtectedTag } from '../../protected-tags/index.ts'
import { importPushRule } from '../../push-rules/index.ts'
import { importRelease } from '../../releases/index.ts'
import { importSnippet } from '../../snippets/index.ts'
import { importUpload } from '../../uploads/index.ts'
import { importWiki } from '../../wikis/index.ts'

/** Imports a bundle. @param place its path on disk @param defaultBranch that of the other server, where its files say */
type ImportBundle = (platform: Platform, into: Importing, place: string, defaultBranch: string | null) => Promise<void>

/**
 * How a relation is imported. Its name is also that of the step whose progress is recorded; `of` names the relation whose lines it
 * reads, where that is another one.
 */
export type RelationImport = { name: string; of?: string } & (
  | { form: 'lines'; importLine: ImportLine }
  | { form: 'files'; importFile: ImportFile }
  | { form: 'bundle'; importBundle: ImportBundle }
)

const lines = (name: string, importLine: ImportLine, of?: string): RelationImport => ({
  ...{ name, form: 'lines', importLine },
  ...(of && { of }),
})

/** The relations of a project, in the order in which they are imported (contract 25, What an import makes). */
export const importedProjectRelations: readonly RelationImport[] = [
  lines('labels', importLabel),
  lines('milestones', importMilestone),
  lines('boards', importBoard),
  lines('project_badges', importBadge),
  lines('issues', importIssue),
  { name: 'repository', form: 'bundle', importBundle: importRepository },
  lines('merge_requests', importMergeRequest),
  lines('releases', importRelease),
  lines('commit_notes', importCommitNote),
  lines('snippets', importSnippet),
  lines('ci_pipelines', importPipeline),
  lines('pipeline_schedules', importSchedule),
  lines('protected_branches', importProtectedBranch),
  lines('protected_tags', importProtectedTag),
  lines('self', importProjectSettings),
  lines('project_feature', importProjectSettings),
  lines('ci_cd_settings', importProjectSettings),
  lines('auto_devops', importAutoDevops),
  lines('container_expiration_policy', importContainerPolicy),
  lines('push_rule', importPushRule),
  lines('approval_rules', importApprovalRule),
  lines('project_members', importMember),
  lines('protected_environments', importProtectedEnvironment),
  lines('custom_attributes', importCustomAttribute),
  { name: 'uploads', form: 'files', importFile: importUpload },
  { name: 'lfs_objects', form: 'files', importFile: importLfsObject },
  { name: 'wiki', form: 'bundle', importBundle: importWiki },
]

/** The relations of a group, in the order in which they are imported. Its own attributes its importer sets. */
export const importedGroupRelations: readonly RelationImport[] = [
  lines('labels', importLabel),
  lines('milestones', importMilestone),
  lines('badges', importBadge),
  lines('iterations_cadences', importCadence),
  // Their lists are of labels, milestones and iterations.
  lines('boards', importBoard),
  lines('epics', importEpic),
  lines('epic_parents', importEpicParent, 'epics'),
  lines('epic_links', importEpicLinks, 'epics'),
  lines('members', importMember),
  { name: 'uploads', form: 'files', importFile: importUpload },
  { name: 'wiki', form: 'bundle', importBundle: importWiki },
]
