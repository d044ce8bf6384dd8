import type { Module } from '../../platform/index.ts'
import * as operations from './operations.ts'

export { blockedAmong, mergeUnblocked, mergeUnblockedByProject } from './blocks.ts'
export { requestBlocksCreate, requestBlocksDelete, requestBlocksList } from './operations.ts'

/** Merge requests that must be merged before others (contract 26.5). */
export const mergeRequestBlocks: Module = {
  name: 'merge-request-blocks',
  operations: Object.values(operations),
}
