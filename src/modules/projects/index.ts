export {
  canSee,
  isOpenTo,
  may,
  type Project,
  type ProjectSubject,
  projectSubject,
  refusesWrites,
  withRole,
} from './access.ts'
export type { Creation } from './create.ts'
export { defaultBranchListener, defaultBranchOf } from './default-branch.ts'
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
export { defaultBranchRule, namingRule } from './ref-rules.ts'
export type { ProjectRemover } from './removal.ts'
export { type FeatureLevel, type ProjectSettings, settingsOf } from './settings.ts'
export { insertProject, type NewProject, projectById, projectsByIds } from './store.ts'
export type { ProjectRow } from './tables.ts'
