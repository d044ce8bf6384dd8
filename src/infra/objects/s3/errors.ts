import { ObjectError } from '../object-error.ts'

type S3Failure = Error & { code?: unknown; $metadata?: { httpStatusCode?: number } }

/** Names by which services report that no space is left, and that one key would be the folder of another. */
const FULL = new Set(['QuotaExceeded', 'XMinioStorageFull', 'InsufficientStorage'])
const CONFLICT = new Set([
  'ObjectParentIsFile',
  'ExistingObjectIsDirectory',
  'XMinioParentIsObject',
  'XMinioObjectExistsAsDirectory',
])
const UNREACHABLE = new Set(['TimeoutError', 'CredentialsProviderError', 'SlowDown'])
/** The object does not exist. The answer to a HEAD request has no body, hence the second name. */
const ABSENT = new Set(['NoSuchKey', 'NotFound'])

/** The HTTP status of a refused request; undefined when there was no answer. */
export function statusOf(error: S3Failure): number | undefined {
  return error.$metadata?.httpStatusCode
}

/** Converts errors that callers distinguish into errors of the store. The client has retried before. */
export function translate(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof ObjectError) return error
  const status = statusOf(error)
  if (FULL.has(error.name) || status === 507) return new ObjectError('storage_full', 'no space is left for objects')
  if (CONFLICT.has(error.name))
    return new ObjectError('key_conflict', 'one of the two keys would be the folder of the other')
  return isUnavailable(error, status) ? unavailable(error) : error
}

function isUnavailable(error: S3Failure, status: number | undefined): boolean {
  if (UNREACHABLE.has(error.name)) return true
  // For example a bucket or an account that was deleted. The objects still count as existing.
  if (status === 404) return !ABSENT.has(error.name) && error.name !== 'NoSuchUpload'
  if (status !== undefined) return (status >= 500 && status !== 501) || [401, 403, 429].includes(status)
  // Errors of sockets and of name resolution, for example ECONNREFUSED.
  return typeof error.code === 'string' && /^E[A-Z_]+$/.test(error.code)
}

/** Codes of errors of connections that a wrong address causes: no time will mend them. */
const MISTAKES = /^ERR_|^EPROTO$/

/** Whether a request failed by a service or network that may be back later, rather than by a setting. */
export function isAway(error: unknown): boolean {
  const cause = (error instanceof ObjectError ? error.cause : error) as S3Failure
  if (cause.name === 'AbortError' || cause.name === 'TimeoutError') return true
  const status = statusOf(cause)
  if (status !== undefined) return (status >= 500 && status !== 501) || status === 429
  return typeof cause.code === 'string' && /^E[A-Z_]+$/.test(cause.code) && !MISTAKES.test(cause.code)
}

/** The error for a service that fails. */
export function unavailable(cause: Error): ObjectError {
  const reason = cause.message === '' || cause.message === 'UnknownError' ? cause.name : cause.message
  return new ObjectError('unavailable', `the object storage is unavailable: ${reason}`, undefined, cause)
}

/** Whether a request failed because the object does not exist. */
export function isAbsent(error: unknown): boolean {
  return error instanceof Error && ABSENT.has(error.name) && statusOf(error) === 404
}

/** Whether the service answered with this code. */
export function isFailure(error: unknown, ...names: string[]): boolean {
  return error instanceof Error && names.includes(error.name)
}

/** Whether the service does not have an operation. */
export function isNotImplemented(error: unknown): boolean {
  return error instanceof Error && (statusOf(error) === 501 || error.name === 'NotImplemented')
}

/** For `catch`: returns null for a missing object, and rethrows other errors. */
export function ignoreAbsent(error: unknown): null {
  if (isAbsent(error)) return null
  throw error
}
