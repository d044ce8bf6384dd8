export {
  canSeeGroup,
  type Group,
  type GroupSubject,
  group,
  isGroupOpenTo,
  mayInGroup,
  visibleGroup,
  withLevel,
} from './access.ts'
export { levelOfProtection } from './branch-protection.ts'
export { initialSettings } from './initial-settings.ts'
export { createGroupModule, type GroupModule, type GroupModuleNeeds } from './module.ts'
export type { GroupPresenting, ProjectsOfGroup } from './presenting.ts'
export { settingsOfGroup } from './settings.ts'
export { groupsWithAvatar } from './store/groups.ts'
