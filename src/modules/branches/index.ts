export { type Branches, createBranches } from './branches.ts'
export { branchOperations } from './operations.ts'
export { Branch } from './present.ts'
export { searchMatcher } from './search.ts'
