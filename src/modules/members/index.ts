export { createMemberLists, levelOf, type MemberLists, type VisitedPlace } from './lists.ts'
export {
  createMembers,
  type EndingMembership,
  type Members,
  type MembersListener,
  type MembersNeeds,
} from './members.ts'
export { memberOperations } from './operations.ts'
export { addGroupOwner } from './owners.ts'
export { Member } from './present.ts'
export {
  insertMembers,
  makeOwner,
  type NewMember,
} from './store/members.ts'
