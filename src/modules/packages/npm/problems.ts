import { ApiError } from '../../../api/index.ts'

/** A refusal with a sentence that npm shows (contract 23, x.npm_publish). */
export const npmRefusal = (status: number, sentence: string) =>
  new ApiError('npm_refused', status, { message: sentence, error: sentence })

/** 400: a rule about versions does not hold. */
export const npmInvalid = (problem: string) => npmRefusal(400, `Validation failed: ${problem}`)

/** 400: a value that the body must have. */
export function npmMissing(name: string) {
  const error = `"${name}" not given`
  return new ApiError('npm_missing', 400, { message: `400 Bad request - ${error}`, error })
}
