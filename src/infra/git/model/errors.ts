import type { RefName } from './names.ts'

/**
 * Why a git operation failed.
 * - `unsupported_version`: the git binary is older than 2.38, or missing
 * - `unknown_storage`: no storage of that name is configured
 * - `invalid_input`: an argument that git must never see (a caller's mistake)
 * - `repository_missing`: there is no repository at that place
 * - `repository_exists`: there is one where none may be
 * - `repository_in_use`: a push to it is under way
 * - `object_missing`: an object is not there, or is not of the type that is needed
 * - `too_large`: an object is above the bound that the caller gave
 * - `unsupported`: the machine lacks a program that it takes
 * - `busy`: too many are waiting for a process
 * - `timeout`, `aborted`: the process was ended with its group
 * - `interrupted`: the process that runs git died; the operation may or may not have happened
 * - `closed`: the mechanism has been closed
 * - `protocol_error`: the client sent something that git's protocol does not allow, or stopped in the middle of a request
 * - `command_failed`: git said no; `stderr` says why
 */
export type GitErrorCode =
  | 'unsupported_version'
  | 'unknown_storage'
  | 'invalid_input'
  | 'repository_missing'
  | 'repository_exists'
  | 'repository_in_use'
  | 'object_missing'
  | 'too_large'
  | 'unsupported'
  | 'busy'
  | 'timeout'
  | 'aborted'
  | 'interrupted'
  | 'closed'
  | 'protocol_error'
  | 'command_failed'

/** A failed git operation. `message` is for the log, not for users: it may name directories. */
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

/**
 * - `moved`: the ref is not where the update said it is
 * - `exists`: it was to be created and is there
 * - `missing`: it was to be changed or deleted and is not there
 * - `directory`: `a/b` while `a` exists, or the reverse; `conflictsWith` is the ref in the way
 * - `locked`: another writer held it for too long
 */
export type RefConflictReason = 'moved' | 'exists' | 'missing' | 'directory' | 'locked'

/** A ref update that lost against the repository's state. Nothing of the update has happened. */
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
