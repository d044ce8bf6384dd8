export {
  canSee,
  isOpenTo,
  may,
  type Project,
  type ProjectSubject,
  project,
  refusesWrites,
  withRole,
} from './core/access.ts'
export {
  inOneForkNetwork,
  insertProject,
  type NewProject,
  projectById,
  projectsByIds,
  projectsWithAvatar,
} from './core/store.ts'
export { atProjectAndGroup, type ProjectOrGroup, type SharedAbility, type Twin } from './core/twins.ts'
export { visibleProject } from './core/visible-project.ts'
export { callerOf, projectsWithRoles, visibleProjects } from './core/visible-projects.ts'
export type { Creation } from './creation/create.ts'
export { largestImport, type PulledFrom } from './imports/imports.ts'
export { outboundPolicy, pinnedAddress, readRemoteAddress, withoutLogin } from './imports/remote-address.ts'
export type { ProjectRemover } from './lifecycle/removal.ts'
export {
  createProjectLifecycleModule,
  type ProjectLifecycleModule,
  type ProjectLifecycleModuleNeeds,
} from './lifecycle-module.ts'
export type { ListParams, ProjectLists } from './lists/lists.ts'
export { projectsOfGroup } from './lists/of-group.ts'
export { type Condition as ProjectCondition, isMemberOf } from './lists/store/conditions.ts'
export { createProjectModule, type ProjectModule, type ProjectModuleNeeds } from './module.ts'
export {
  BasicProject,
  createProjectPresenter,
  type PresentedProject,
  type PresenterNeeds,
  type PresentOptions,
  ProjectObject,
  type ProjectPresenter,
} from './present/present.ts'
export { defaultBranchListener, defaultBranchName, defaultBranchOf } from './refs/default-branch.ts'
export { pushNotices } from './refs/push-notices.ts'
export { defaultBranchRule, namingRule, refusalOfName } from './refs/rules.ts'
export { changeSettings } from './settings/changes.ts'
export { type FeatureLevel, type ProjectSettings, settingsOf } from './settings/settings.ts'
export { removeStars } from './stars/removal.ts'
export { chooseStorage } from './storage/storages.ts'
export type { ProjectRow } from './tables.ts'
