import { DatabaseFull, DatabaseUnavailable } from '../../infra/database/index.ts'
import { GitError } from '../../infra/git/index.ts'
import { ObjectError } from '../../infra/objects/index.ts'
import { type ApiError, insufficientStorage, unavailable } from '../operation/errors.ts'

const fullCodes = new Set(['ENOSPC', 'EDQUOT'])
const failingCodes = new Set(['EROFS', 'EIO'])
/** What git says on a full disk; of a ref it does not say why it could not be written. */
const fullText = /No space left on device|Out of diskspace|Disk quota exceeded|couldn't write '/
const failingText = /Read-only file system|Input\/output error/

const codeOf = (error: unknown): string => (error as { code?: string } | null)?.code ?? ''

/** Whether there is no room for a write. */
function isFull(error: unknown): boolean {
  if (error instanceof GitError) return fullText.test(error.stderr)
  return error instanceof DatabaseFull || codeOf(error) === 'storage_full' || fullCodes.has(codeOf(error))
}

/** Whether something that the server needs is away: the database, the object storage, git, or the disk. */
function isAway(error: unknown): boolean {
  if (error instanceof GitError) return error.code === 'interrupted' || failingText.test(error.stderr)
  if (error instanceof ObjectError) return error.code === 'unavailable'
  return error instanceof DatabaseUnavailable || failingCodes.has(codeOf(error))
}

/** The answer to an error that passes when an operator or time has mended it: 507 without room, 503 otherwise; null for others. */
export function answerToOutage(error: unknown): ApiError | null {
  if (isFull(error)) return insufficientStorage()
  return isAway(error) ? unavailable(1) : null
}
