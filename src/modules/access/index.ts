export {
  type GroupAbility,
  groupPolicy,
  memberLevels,
  type ProjectAbility,
  projectPolicy,
  type Rule,
  role,
  roleName,
} from './policy.ts'
export {
  gives,
  inheritedLevels,
  live,
  namespaceRoles,
  type OwnRoles,
  ownRoles,
  type ProjectRole,
  projectRoles,
  roleInGroup,
  roleInProject,
  sharedLevel,
} from './store.ts'
