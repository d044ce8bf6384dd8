import './events.ts'
import './tables.ts'
import type { Module } from '../../platform/index.ts'
import * as core from './core/operations.ts'
import * as links from './links/operations.ts'
import * as lists from './lists/operations.ts'
import * as positions from './positions/operations.ts'

export { readableAmong } from './core/access.ts'
export { issuesByIds } from './core/store.ts'
export { presentIssues } from './present/present.ts'
export { IssueBasic, ListedIssue, type PresentedEpic, type PresentedIssue } from './present/schema.ts'

/** Issues (contract 16). */
export const issues: Module = {
  name: 'issues',
  operations: [core, lists, links, positions].flatMap((room) => Object.values(room)),
}
