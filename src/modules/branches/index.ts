import type { Module } from '../../platform/index.ts'
import { deleteMergedJob } from './merged.ts'
import * as operations from './operations.ts'

export {
  branchesCreate,
  branchesDelete,
  branchesDeleteMerged,
  branchesGet,
  branchesList,
  branchesProtect,
  branchesUnprotect,
} from './operations.ts'
export { searchMatcher } from './search.ts'

export const branches: Module = {
  name: 'branches',
  tags: { Branches: 'Branches of a repository.' },
  operations: Object.values(operations),
  jobs: [deleteMergedJob],
}
