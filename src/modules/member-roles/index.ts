import type { Events, Module, Reaction } from '../../platform/index.ts'
import { dropForeignRoles } from '../access/index.ts'
import * as operations from './operations.ts'

/** Ends the roles that a moved group's members had from groups that are not above it any more. */
export const dropRolesOfMovedGroup: Reaction<Events['group.moved']> = (_platform, tx, { groupId }) =>
  dropForeignRoles(tx, { namespaceId: groupId })

/** The same of a moved project. */
export const dropRolesOfMovedProject: Reaction<Events['project.moved']> = (_platform, tx, { projectId }) =>
  dropForeignRoles(tx, { projectId })

/** Roles that add permissions to the level of a member (contract 25). */
export const memberRoles: Module = {
  name: 'member-roles',
  tags: { 'Member roles': 'Roles that add permissions to the level of a member.' },
  operations: Object.values(operations),
}
