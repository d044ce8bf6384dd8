import './events.ts'
import type { Module } from '../../platform/index.ts'
import { memberOperations } from './operations.ts'

export { admitMember } from './adding.ts'
export { addGroupOwner } from './members.ts'
export { Member } from './present.ts'
export { memberOf } from './store.ts'

export const members: Module = { name: 'members', operations: memberOperations }
