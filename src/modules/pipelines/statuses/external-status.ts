import { invalid, parameterError } from '../../../api/index.ts'
import type { NewStatus } from './params.ts'

/** Details of a status besides its state; absent ones are unchanged. */
export type StatusDetails = { target_url?: string | null; description?: string; coverage?: number }

const maximumLength = 255
const tooLong = `is too long (maximum is ${maximumLength} characters)`
const decimal = /^[+-]?(\d+\.?\d*|\.\d+)$/

function isTooLong(text: string): boolean {
  return [...text].length > maximumLength
}

/** Validates a link; null when it is valid. */
function urlProblem(text: string): string | null {
  if (isTooLong(text)) return tooLong
  if (!/^https?:/i.test(text.trim())) return 'is blocked: Only allowed schemes are http, https'
  return /^https?:\/\/[^/?#]/i.test(text) && !/\s/.test(text) && URL.canParse(text)
    ? null
    : 'is blocked: URI is invalid'
}

/** @throws ApiError 400, form B */
export function coverageOf({ coverage }: NewStatus): number | undefined {
  const text = coverage?.trim() ?? ''
  if (text === '') return undefined
  const value = decimal.test(text) ? Number(text) : Number.NaN
  if (!Number.isFinite(value)) throw parameterError('coverage', 'is invalid')
  return value
}

/** The name of a status, given as `name` or `context`. */
export function nameOf({ name, context }: NewStatus): string {
  return name || context || 'default'
}

/** Validates the details of a status; an empty `target_url` removes it. @throws ApiError 400, form C */
export function detailsOf(given: NewStatus): StatusDetails {
  const { target_url: url, description } = given
  const coverage = coverageOf(given)
  const problems: Record<string, string[]> = {}
  if (isTooLong(nameOf(given))) problems.name = [tooLong]
  const wrong = url ? urlProblem(url) : null
  if (wrong !== null) problems.target_url = [wrong]
  if (description !== undefined && isTooLong(description)) problems.description = [tooLong]
  if (Object.keys(problems).length > 0) throw invalid(problems)
  return {
    ...(url === undefined ? {} : { target_url: url || null }),
    ...(description === undefined ? {} : { description }),
    ...(coverage === undefined ? {} : { coverage }),
  }
}
