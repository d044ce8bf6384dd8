import type { Module } from '../../platform/index.ts'
import * as operations from './operations.ts'

/** Commits that are shown beside the changes of a merge request (contract 26.4). */
export const contextCommits: Module = {
  name: 'context-commits',
  operations: Object.values(operations),
}
