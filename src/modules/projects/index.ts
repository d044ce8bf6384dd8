import { reading } from '../../api/index.ts'
import type { Module } from '../../platform/index.ts'
import { customAttributeOperations } from '../custom-attributes/index.ts'
import { avatarCheck, avatarSweep } from '../users/index.ts'
import { project } from './core/access.ts'
import * as core from './core/operations.ts'
import { projectsWithAvatar } from './core/store.ts'
import * as creation from './creation/operations.ts'
import { copyForkJob } from './forks/copies.ts'
import * as forks from './forks/operations.ts'
import { importJob } from './imports/imports.ts'
import * as jobScope from './job-scope/operations.ts'
import { countLanguagesJob } from './languages/languages.ts'
import * as languages from './languages/operations.ts'
import { removeDueJob } from './lifecycle/deletion.ts'
import * as lifecycle from './lifecycle/operations.ts'
import { removeProjectJob } from './lifecycle/removal.ts'
import * as lists from './lists/operations.ts'
import { defaultBranchProblems } from './refs/default-branch.ts'
import { endExpiredShares } from './sharing/expiry.ts'
import * as sharing from './sharing/operations.ts'
import * as stars from './stars/operations.ts'
import { sizeCheck } from './storage/check.ts'
import { housekeepingJob } from './storage/maintenance.ts'
import * as storage from './storage/operations.ts'

/** Custom attributes of projects (contract 21). */
const projectAttributeOperations = customAttributeOperations({
  kind: 'project',
  path: '/projects/:id',
  subject: project,
  allow: 'administer',
  scopes: reading,
  idOf: (_platform, { id }) => id,
})

/** Projects (contract 21). */
export const projects: Module = {
  name: 'projects',
  tags: {
    Projects: 'Projects: settings, forks, stars, sharing, transfer, archiving and deletion.',
    'Job token scope': 'The projects and groups whose jobs may act in a project.',
  },
  operations: [
    ...[lists, creation, core, jobScope, languages, sharing, forks, stars, lifecycle, storage].flatMap((room) =>
      Object.values(room),
    ),
    ...projectAttributeOperations,
  ],
  jobs: [
    ...[countLanguagesJob, importJob, copyForkJob, removeDueJob, removeProjectJob, housekeepingJob],
    endExpiredShares,
    avatarSweep('project', projectsWithAvatar),
  ],
  checks: [avatarCheck('project', projectsWithAvatar), sizeCheck],
  refChecks: [defaultBranchProblems],
}

export {
  callerIn,
  canSee,
  canUseFeature,
  may,
  outsider,
  type Project,
  type ProjectSubject,
  project,
  projectMoved,
  projectNamed,
  refusesWrites,
  today,
  withRole,
} from './core/access.ts'
export { mayCreateIn, visibleNamespace } from './core/destinations.ts'
export {
  callerOf,
  groupOfProject,
  projectsWithRoles,
  seenProject,
  visibleProject,
  visibleProjects,
} from './core/lookup.ts'
export { pathProblems } from './core/naming.ts'
export { projectsGet, projectsUpdate } from './core/operations.ts'
export {
  inOneForkNetwork,
  insertProject,
  projectById,
  projectsByIds,
  projectsWithAvatar,
  touchProject,
} from './core/store.ts'
export {
  atProjectAndGroup,
  callerLevel,
  fromGroup,
  fromProject,
  type ProjectOrGroup,
  type ProjectOrGroupRef,
  twinsOf,
} from './core/twins.ts'
export { changeProject } from './core/update.ts'
export { chooseStorage, createByPush, createImported } from './creation/create.ts'
export {
  exportedAutoDevops,
  exportedCiCdSettings,
  exportedContainerPolicy,
  exportedProject,
  exportedProjectFeature,
  exportedSecuritySetting,
} from './export/lines.ts'
export { importProjectAttributes } from './import/attributes.ts'
export { importAvatar } from './import/avatar.ts'
export { finishImport, type Replacement, setImportState } from './import/finish.ts'
export { importAutoDevops, importContainerPolicy, importProjectSettings } from './import/lines.ts'
export { importRepository } from './import/repository.ts'
export { largestImport } from './imports/imports.ts'
export { outboundPolicy, pinnedAddress, readRemoteAddress, withoutLogin } from './imports/remote-address.ts'
export { countLanguagesLater } from './languages/languages.ts'
export { projectsLanguages } from './languages/operations.ts'
export { heldInTree } from './lifecycle/relocation.ts'
export { removeProject, removeProjectsOf } from './lifecycle/removal.ts'
export {
  archiveProjectsBelow,
  capProjectVisibility,
  hideProjectsBelow,
  markProjectsBelow,
  renameProjectsBelow,
} from './lifecycle/store.ts'
export { listProjects, projectsInGroupObject } from './lists/lists.ts'
export { projectsList, projectsOfGroup, projectsOfUser } from './lists/operations.ts'
export { projectList } from './lists/params.ts'
export {
  type Caller as ProjectCaller,
  featureLevel,
  isMemberOf,
  isThere,
  isUsableBy,
  plansAreReadable,
  visibleIds,
} from './lists/store/access.ts'
export {
  belongsTo,
  belongsToGroupOrAbove,
  belongsToGroupOrBelow,
  belongsToOrAbove,
  belongsToProjectBelow,
  hasFewProjects,
  hasProject,
  isOfProjectBelow,
  reachesFewProjects,
  rowsByProject,
} from './lists/store/belonging.ts'
export { inGroup, type ProjectScope } from './lists/store/scopes.ts'
export { BasicProject, presentBasicProject } from './present/present.ts'
export { ProjectSummary, projectSummaries } from './present/summary.ts'
export {
  changeProtectionRule,
  createProtectionRule,
  listProtectionRules,
  maximumRules,
  type PagedProtectionKind,
  type ProtectionKind,
  removeProtectionRule,
} from './protection/administration.ts'
export {
  levelRequired,
  type ProtectedAction,
  protectionLevelName,
  protectionLevelNames,
} from './protection/levels.ts'
export { defaultBranchListener, defaultBranchName } from './refs/default-branch.ts'
export { pushNotices } from './refs/push-notices.ts'
export { defaultBranchRule, namingRule, refusalOfName } from './refs/rules.ts'
export { repositorySizeRule } from './refs/size-limit.ts'
export { changeSettings } from './settings/changes.ts'
export { compileCleanupPattern } from './settings/cleanup-pattern.ts'
export type { ContainerPolicy } from './settings/container-policy.ts'
export { writableParams } from './settings/params.ts'
export { claimPackagesRun, claimPolicyRun, recallPolicyRun, storePolicy } from './settings/policy-runs.ts'
export { type ProjectSettings, settingOf, settingsOf } from './settings/settings.ts'
export { duePackagesPolicies, duePolicies, policiesAfter } from './settings/store.ts'
export { removeStars } from './stars/stars.ts'
export { sumSizes } from './storage/store.ts'
export type { ProjectRow } from './tables.ts'
export { moveTopic } from './topics/topics.ts'
