import type { Module } from '../../platform/index.ts'
import { accessRequestOperations } from './operations.ts'

export { endRequests } from './access-requests.ts'

/** Requests to join projects and groups (contract 11). */
export const accessRequests: Module = {
  name: 'access-requests',
  tags: { 'Access requests': 'Requests of users to join projects and groups.' },
  operations: accessRequestOperations,
}
