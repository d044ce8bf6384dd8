import type { Module } from '../../platform/index.ts'
import { endExpiredInvitations } from './invitations.ts'
import { invitationOperations } from './operations.ts'

export { acceptInvitations } from './invitations.ts'

/** Invitations of people without an account, by their addresses (contract 21). */
export const invitations: Module = {
  name: 'invitations',
  tags: { Invitations: 'Invitations to projects and groups by mail.' },
  operations: invitationOperations,
  jobs: [endExpiredInvitations],
}
