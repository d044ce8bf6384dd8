/** Bare git repositories (design §5). Other folders import only from here. */

export { type Git, openGit } from './git.ts'
export { isObjectFile } from './maintenance/copying.ts'
export { incomingBytes } from './maintenance/locks-and-size.ts'
export { GitError, RefConflict } from './model/errors.ts'
export { limitsOfOneOf } from './model/limits.ts'
export {
  branchName,
  branchRef,
  type DiskPath,
  diskPath,
  isZeroOid,
  newDiskPath,
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
  zeroOid,
} from './model/names.ts'
export type * from './model/reading-types.ts'
export { type BranchRef, compareByBytes, type RefSnapshot, type TagRef } from './model/ref-snapshot.ts'
export type * from './model/types.ts'
export { readingBoth } from './objects/reading-both.ts'
export { isolatedEnvironment } from './process/command.ts'
export { callerOf, type Semaphore, semaphore } from './process/semaphore.ts'
export type { Repository } from './repository.ts'
