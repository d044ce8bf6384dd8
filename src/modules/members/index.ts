import './events.ts'
import type { Module } from '../../platform/index.ts'
import { memberOperations } from './operations.ts'

export { addGroupOwner } from './members.ts'

export const members: Module = { name: 'members', operations: memberOperations }
