import type { Module } from '../../platform/index.ts'
import * as operations from './operations.ts'

/** People who take a seat in a top-level group (contract 26.8). */
export const billableMembers: Module = {
  name: 'billable-members',
  tags: { 'Billable members': 'People with a role in a top-level group or anywhere below it; for its owners.' },
  operations: Object.values(operations),
}
