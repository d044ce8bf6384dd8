import { DatabaseFull, DatabaseUnavailable } from '../../infra/database/index.ts'
import { GitError } from '../../infra/git/index.ts'
import { ObjectError } from '../../infra/objects/index.ts'
import { type ApiError, insufficientStorage, unavailable } from '../operation/errors.ts'

const fullCodes = new Set(['ENOSPC', 'EDQUOT', 'EFBIG'])
/** A disk that fails, and a system that has no file descriptors, processes or memory left. */
const failingCodes = new Set(['EROFS', 'EIO', 'EMFILE', 'ENFILE', 'EAGAIN', 'ENOMEM'])
/** What git says on a full disk; of a ref it does not say why it could not be written. */
const fullText = /No space left on device|Out of diskspace|Disk quota exceeded|couldn't write '/
const failingText =
  /Read-only file system|Input\/output error|Too many open files|Resource temporarily unavailable|Cannot allocate memory|\bspawn .*E(?:MFILE|NFILE|AGAIN|NOMEM)\b/

/** Errors are wrapped a few times at most. */
const longestChain = 5

const codeOf = (error: unknown): string => (error as { code?: string } | null)?.code ?? ''

/** Whether an error, or what it was caused by, is of a kind. */
function isOf(error: unknown, kind: (one: unknown) => boolean): boolean {
  let one = error
  for (let depth = 0; depth < longestChain && one instanceof Error; depth += 1) {
    if (kind(one)) return true
    one = one.cause
  }
  return false
}

/** Whether there is no room for a write. */
function isFull(error: unknown): boolean {
  if (error instanceof GitError) return fullText.test(error.stderr)
  if (error instanceof ObjectError) return error.code === 'storage_full'
  return error instanceof DatabaseFull || fullCodes.has(codeOf(error))
}

/** Whether something that the server needs is away or used up: the database, the object storage, git, the disk, descriptors. */
function isAway(error: unknown): boolean {
  if (error instanceof GitError) return error.code === 'interrupted' || failingText.test(error.stderr)
  if (error instanceof ObjectError) return error.code === 'unavailable'
  return error instanceof DatabaseUnavailable || failingCodes.has(codeOf(error))
}

/**
 * The answer to an error that passes when an operator or time has mended it: 507 without room, 503 otherwise; null for
 * others. The one place that decides this, whatever failed: files, git, the database, objects (contract 00, "Errors").
 */
export function answerToOutage(error: unknown): ApiError | null {
  if (isOf(error, isFull)) return insufficientStorage()
  return isOf(error, isAway) ? unavailable(1) : null
}
