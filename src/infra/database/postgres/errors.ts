import { DatabaseFull, DatabaseUnavailable } from '../unavailable.ts'
import { ReferenceViolation, UniqueViolation } from '../violations.ts'

/** SQLSTATE classes: connection exceptions (08), operator intervention (57P0x), too many connections (53300). */
const connectionState = /^(08...|57P0[1-5]|53300)$/

/** The server has no file descriptors or memory left (53), or its disk fails (58030). */
const outOfResources = /^(53...|58030)$/

/** Codes of the operating system, and of a socket that was closed while a query was sent. */
const systemErrors = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EMFILE',
  'ENFILE',
  'ERR_STREAM_DESTROYED',
  'ERR_STREAM_WRITE_AFTER_END',
])

/** Errors of `pg` itself have no code. */
const driverMessages =
  /^(Connection terminated|Client has encountered a connection error|Client was closed|timeout expired)/

/** Whether an error means that the connection is unusable, rather than that the query is wrong. */
export function isConnectionError(error: unknown): boolean {
  const { code = '', message = '' } = error as { code?: string; message?: string }
  return connectionState.test(code) || systemErrors.has(code) || driverMessages.test(message)
}

/** Whether a kept statement has other columns by now: a newer release has migrated the database meanwhile. */
export function isOutdatedStatement(error: unknown): boolean {
  const { code, routine } = error as { code?: string; routine?: string }
  return code === '0A000' && routine === 'RevalidateCachedQuery'
}

/**
 * Turns errors of `pg` that callers handle into those of `violations.ts` and `unavailable.ts`.
 * @param statement the text of the statement that failed
 */
export function translateError(error: unknown, statement: string): unknown {
  const { code, constraint } = error as { code?: string; constraint?: string }
  if (code === '23505') return new UniqueViolation(constraint ?? '', error)
  if (code === '23503') return new ReferenceViolation(error, statement)
  // disk_full
  if (code === '53100') return new DatabaseFull(error)
  return isConnectionError(error) || outOfResources.test(code ?? '') ? new DatabaseUnavailable(error) : error
}
