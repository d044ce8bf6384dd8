import './events.ts'
import type { Module } from '../../platform/index.ts'
import { endExpiredMembers } from './expiry/expiry.ts'
import { memberOperations, projectMembersImport, usersMemberships } from './operations.ts'

export { type AddedSeveral, addAll, admitMember, errorsOf, recordAdded, sentenceOf } from './adding.ts'
export { exportedMembers } from './export/lines.ts'
export { importMember } from './import/lines.ts'
export { listMembers, listMembershipsOf } from './lists.ts'
export { addGroupOwner } from './members.ts'
export { memberOperations } from './operations.ts'
export { newMembers, oneOrMore } from './params.ts'
export { AddedMembers, Member } from './present.ts'
export { problemsOf, requireGrant, requireLevel } from './rules.ts'
export { memberOf } from './store.ts'

export const members: Module = {
  name: 'members',
  tags: { Members: 'Members of projects and groups, with their roles.' },
  operations: [...memberOperations, usersMemberships, projectMembersImport],
  jobs: [endExpiredMembers],
}
