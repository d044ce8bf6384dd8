export { type Branches, createBranches } from './branches.ts'
export { branchOperations } from './operations.ts'
export { Branch, CommitSummary, presentCommit } from './present.ts'
