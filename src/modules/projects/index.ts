export {
  canSee,
  isOpenTo,
  may,
  type Project,
  type ProjectSubject,
  project,
  refusesWrites,
  withRole,
} from './access.ts'
export type { Creation } from './create.ts'
export { defaultBranchListener, defaultBranchName, defaultBranchOf } from './default-branch.ts'
export { largestImport, type PulledFrom } from './imports.ts'
export {
  createProjectLifecycleModule,
  type ProjectLifecycleModule,
  type ProjectLifecycleModuleNeeds,
} from './lifecycle-module.ts'
export type { ListParams, ProjectLists } from './list.ts'
export { createProjectModule, type ProjectModule, type ProjectModuleNeeds } from './module.ts'
export { projectsOfGroup } from './of-group.ts'
export {
  BasicProject,
  createProjectPresenter,
  type PresentedProject,
  type PresenterNeeds,
  type PresentOptions,
  ProjectObject,
  type ProjectPresenter,
} from './present.ts'
export { pushNotices } from './push-notices.ts'
export { defaultBranchRule, namingRule, refusalOfName } from './ref-rules.ts'
export { outboundPolicy, pinnedAddress, readRemoteAddress, withoutLogin } from './remote-address.ts'
export type { ProjectRemover } from './removal.ts'
export { changeSettings } from './setting-changes.ts'
export { type FeatureLevel, type ProjectSettings, settingsOf } from './settings.ts'
export { chooseStorage } from './storages.ts'
export { type Condition as ProjectCondition, isMemberOf } from './store/listing.ts'
export {
  inOneForkNetwork,
  insertProject,
  type NewProject,
  projectById,
  projectsByIds,
  projectsWithAvatar,
} from './store/projects.ts'
export type { ProjectRow } from './tables.ts'
export { atProjectAndGroup, type ProjectOrGroup, type SharedAbility, type Twin } from './twins.ts'
export { visibleProject } from './visible-project.ts'
export { callerOf, projectsWithRoles, visibleProjects } from './visible-projects.ts'
