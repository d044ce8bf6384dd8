import { valuesByName } from '../../../infra/grouping/index.ts'
import { ApiError } from '../errors.ts'
import type { Problem } from './params.ts'

function notGiven(names: readonly string[]): string {
  return `400 (Bad request) ${names.map((name) => `"${name}"`).join(', ')} not given`
}

/**
 * The error for invalid parameters: form A when one is missing, else form B. `error` lists all problems in the order of
 * declaration (contract 00, "400 bodies").
 */
export function parameterErrors(problems: readonly Problem[]): ApiError {
  const error = problems.map(({ name, text }) => `${name} ${text}`).join(', ')
  const missing = [...new Set(problems.filter((problem) => problem.missing).map(({ name }) => name))]
  if (missing.length > 0) return new ApiError('parameter_missing', 400, { message: notGiven(missing), error })
  const message = valuesByName(
    problems,
    ({ name }) => name,
    ({ text }) => text,
  )
  return new ApiError('parameter_invalid', 400, { message, error })
}

/** The error for one invalid parameter, found by a rule of the operation. */
export function parameterError(name: string, text: string): ApiError {
  return parameterErrors([{ name, missing: false, text }])
}

/** At least one of several parameters is required, and none was given (contract 20 `AL`). */
export function atLeastOneMissing(names: readonly string[]): ApiError {
  return new ApiError('at_least_one_missing', 400, {
    message: notGiven(names),
    error: `${names.join(', ')} are missing, at least one parameter must be provided`,
  })
}

/** Exactly one of several parameters is required, and none was given (contract 09, 3.12; 16, x.issue_disc_note_update). */
export function exactlyOneMissing(names: readonly string[]): ApiError {
  return new ApiError('exactly_one_missing', 400, {
    message: notGiven(names),
    error: `${names.join(', ')} are missing, exactly one parameter must be provided`,
  })
}

/** Only some of parameters were given that make sense with each other only (contract 14, 3.39). */
export function allOrNone(names: readonly string[]): ApiError {
  return new ApiError('all_or_none', 400, {
    message: Object.fromEntries(names.map((name) => [name, ['provide all or none of parameters']])),
    error: `${names.join(', ')} provide all or none of parameters`,
  })
}

/** Mutually exclusive parameters were given (contract 20 `ME`). */
export function mutuallyExclusive(names: readonly string[]): ApiError {
  return new ApiError('mutually_exclusive', 400, {
    message: Object.fromEntries(names.map((name) => [name, ['are mutually exclusive']])),
    error: `${names.join(', ')} are mutually exclusive`,
  })
}
