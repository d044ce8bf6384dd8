import { ApiError } from './errors.ts'
import type { Problem } from './params.ts'

function notGiven(names: readonly string[]): string {
  return `400 (Bad request) ${names.map((name) => `"${name}"`).join(', ')} not given`
}

/**
 * The answer to parameters that cannot be read: form A when one is missing, else form B; `error` tells all of them in
 * the order of declaration (contract 00, "400 bodies").
 */
export function parameterErrors(problems: readonly Problem[]): ApiError {
  const error = problems.map(({ name, text }) => `${name} ${text}`).join(', ')
  const missing = [...new Set(problems.filter((problem) => problem.missing).map(({ name }) => name))]
  if (missing.length > 0) return new ApiError('parameter_missing', 400, { message: notGiven(missing), error })
  const message: Record<string, string[]> = Object.create(null)
  for (const { name, text } of problems) message[name] = [...(message[name] ?? []), text]
  return new ApiError('parameter_invalid', 400, { message, error })
}

/** One parameter that is wrong, found by a rule that only the operation knows. */
export function parameterError(name: string, text: string): ApiError {
  return parameterErrors([{ name, missing: false, text }])
}

/** None of several parameters of which one is needed was given (contract 20 `AL`). */
export function atLeastOneMissing(names: readonly string[]): ApiError {
  return new ApiError('at_least_one_missing', 400, {
    message: notGiven(names),
    error: `${names.join(', ')} are missing, at least one parameter must be provided`,
  })
}

/** Parameters that exclude each other were given together (contract 20 `ME`). */
export function mutuallyExclusive(names: readonly string[]): ApiError {
  return new ApiError('mutually_exclusive', 400, {
    message: Object.fromEntries(names.map((name) => [name, ['are mutually exclusive']])),
    error: `${names.join(', ')} are mutually exclusive`,
  })
}
