import { ApiError, answerToOutage } from '../../../api/index.ts'
import { isUniqueViolation, ReferenceViolation } from '../../../infra/database/index.ts'
import { LeaseLost, RunLater } from '../../../infra/jobs/index.ts'
import { BadLine, type Platform } from '../../../platform/index.ts'

/** Why a line could not be imported (contract 25, ImportStatus). */
export type Failure = { exception_class: string; exception_message: string }

/**
 * Runs after which an import fails, whatever ended them: what is in an archive may be what kills the process. The run after them only
 * records that.
 */
export const mostRuns = 20

const longestMessage = 255

function sentenceOf({ body: { message } }: ApiError): string {
  if (typeof message === 'string') return message
  const entries = Object.entries((message ?? {}) as Record<string, unknown>)
  return entries.map(([name, texts]) => `${name} ${[texts].flat().join(', ')}`).join('; ')
}

/** Whether an error is about the server and not about what is imported: the import goes on later. */
export const isOutage = (error: unknown): boolean =>
  answerToOutage(error) !== null || error instanceof LeaseLost || error instanceof RunLater

/** The failure that users see. What they could not understand is logged. */
export function failureOf({ log }: Platform, error: unknown, about: object): Failure {
  const failure = (exception_class: string, message: string) => ({
    exception_class,
    exception_message: message.slice(0, longestMessage),
  })
  if (error instanceof BadLine) return failure('InvalidRow', error.message)
  if (error instanceof ApiError) return failure('InvalidRow', sentenceOf(error))
  if (isUniqueViolation(error)) return failure('DuplicateRow', 'There is such a row already')
  if (error instanceof ReferenceViolation) return failure('InvalidRow', 'The row refers to what does not exist')
  log.error({ err: error, ...about }, 'a line could not be imported')
  return failure('ImportError', 'The row could not be imported')
}
