/** Real bare git repositories (design §5). The public face: other folders import from here alone. */
export { callerOf } from './callers.ts'
export { GitError, type GitErrorCode, RefConflict, type RefConflictReason } from './errors.ts'
export { openGit } from './git.ts'
export { defaultLimits } from './limits.ts'
export {
  branchName,
  branchRef,
  type DiskPath,
  diskPath,
  hashedDiskPath,
  isZeroOid,
  type Oid,
  parseOid,
  type RefName,
  refName,
  shortRefName,
  type TreePath,
  tagName,
  tagRef,
  treePath,
  ZERO_SHA1,
  ZERO_SHA256,
  zeroOid,
} from './names.ts'
export type * from './reading-types.ts'
export { type BranchRef, compareByBytes, type RefSnapshot, type TagRef } from './ref-snapshot.ts'
export { readingTogether } from './together.ts'
export type * from './types.ts'
