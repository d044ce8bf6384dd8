import type { RefName } from './names.ts'

/** Why a git operation failed. */
export type GitErrorCode =
  | 'unsupported_version' // the git binary is missing, or not accepted (`requireVersion`)
  | 'unknown_storage' // no storage with that name is configured
  | 'invalid_input' // an argument must not be passed to git (an error of the caller)
  | 'repository_missing'
  | 'repository_exists' // the directory of a new repository is in use
  | 'repository_in_use' // a push to it is under way
  | 'object_missing' // an object does not exist, or has another type
  | 'too_large' // an object is larger than the limit of the caller
  | 'unsupported' // a required program is not installed
  | 'busy' // too many requests wait for a process slot
  | 'timeout' // the process group was killed
  | 'aborted' // the process group was killed
  | 'interrupted' // git or the process that runs it was killed; the operation may or may not have happened
  | 'closed' // `Git` was closed
  | 'protocol_error' // the client violated git's protocol, or stopped in the middle of a request
  | 'command_failed' // git failed; `stderr` has the reason

/** A failed git operation. `message` may contain directories: it is for the log, not for users. */
export class GitError extends Error {
  readonly code: GitErrorCode
  readonly stderr: string

  constructor(code: GitErrorCode, message: string, options: { stderr?: string; cause?: unknown } = {}) {
    super(message, { cause: options.cause })
    this.name = 'GitError'
    this.code = code
    this.stderr = options.stderr ?? ''
  }
}

/** Why a ref could not be updated. */
export type RefConflictReason =
  | 'moved' // the ref is not at the expected id
  | 'exists' // a ref to be created exists
  | 'missing' // a ref to be changed or deleted does not exist
  | 'directory' // `a/b` cannot exist beside `a`; `conflictsWith` is the existing ref
  | 'locked' // another writer held the lock for too long

/** A ref update conflicts with the state of the repository. No ref of the update has moved. */
export class RefConflict extends Error {
  readonly reason: RefConflictReason
  readonly ref: RefName
  readonly conflictsWith: RefName | null

  constructor(reason: RefConflictReason, ref: RefName, conflictsWith: RefName | null = null) {
    super(`ref ${ref}: ${reason}${conflictsWith === null ? '' : ` (${conflictsWith})`}`)
    this.name = 'RefConflict'
    this.reason = reason
    this.ref = ref
    this.conflictsWith = conflictsWith
  }
}
