import { type ApiError, failure } from '../../../api/index.ts'
import type { Attempt } from '../delivery/attempt.ts'

/** 422: there is nothing of which a test could tell. */
export const nothingToSend = (sentence: string): ApiError => failure(422, sentence)

/** 422 with what the receiver has answered, or why it has not (contract 21, x.project_hooks_test). */
export function receiverFailed({ responseBody, code }: Attempt): ApiError {
  return failure(422, responseBody || (code === null ? 'internal error' : String(code)))
}
