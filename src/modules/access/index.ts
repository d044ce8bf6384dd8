import type { Module } from '../../platform/index.ts'
import * as operations from './operations.ts'

export { expiryJob } from './expiry-job.ts'
export { memberRoleProblems, requirePermissions } from './giving-roles.ts'
export { policyGet } from './operations.ts'
export {
  addsInGroup,
  addsInProject,
  noPermissions,
  type Permission,
  permissionNames,
  type Standing,
} from './permissions.ts'
export {
  type GroupAbility,
  groupPolicy,
  memberLevels,
  type ProjectAbility,
  type ProjectFeature,
  privateFeatureRoles,
  projectFeatures,
  projectPolicy,
  type Rule,
  role,
  roleName,
} from './policy.ts'
export { hasProjectBelow, namespacesAboveProjects } from './store/below.ts'
export {
  deleteExpiredGroupLink,
  expiredGroupLinks,
  expiredMembershipIds,
  holdExpired,
  holdExpiredOf,
} from './store/expired.ts'
export { deleteGroupLink, groupLink, insertGroupLink } from './store/links.ts'
export {
  dropForeignRoles,
  insertMemberRole,
  memberRolesAbove,
  memberRolesByIds,
  memberRolesOf,
  removeMemberRole,
} from './store/member-roles.ts'
export {
  deleteMembers,
  deleteMemberships,
  deleteMembershipsOf,
  insertMembers,
  makeOwner,
  memberColumnOf,
  membersByIds,
  membershipIn,
  ownersOfGroup,
  updateMember,
  updateMembership,
} from './store/members.ts'
export {
  effectiveMembers,
  effectiveMemberships,
  type MemberSource,
  type Membership,
  membershipColumns,
  usersWithRole,
} from './store/memberships.ts'
export { membershipOrigins, membershipsBelow } from './store/memberships-below.ts'
export { groupsDependingOn } from './store/owners.ts'
export {
  inheritedLevels,
  isAmong,
  isSelected,
  levelsOf,
  noRoles,
  type OwnRoles,
  ownRoles,
  permissionsInProjects,
  projectLevels,
  reachesNamespace,
  reachesProject,
} from './store/reach.ts'
export { gives, live, type ProjectRole, roleInGroup, roleInProject, standingInGroup } from './store/roles.ts'
export type { MemberRoleRow, MemberRow } from './tables.ts'

export const access: Module = { name: 'access', operations: Object.values(operations) }
