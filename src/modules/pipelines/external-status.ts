import { invalid, parameterError } from '../../api/index.ts'
import type { CommitState } from './tables.ts'

/** Parameters of x.commits_status_set. */
export type GivenStatus = {
  state: CommitState
  ref?: string
  name?: string
  context?: string
  target_url?: string
  description?: string
  coverage?: string
  pipeline_id?: number
}

/** What is told of a status beside its state; what is absent stays as it is. */
export type StatusDetails = { target_url?: string | null; description?: string; coverage?: number }

const maximumLength = 255
const tooLong = `is too long (maximum is ${maximumLength} characters)`
const decimal = /^[+-]?(\d+\.?\d*|\.\d+)$/

function isTooLong(text: string): boolean {
  return [...text].length > maximumLength
}

/** What is wrong with an address that people are led to; null when nothing is. */
function urlProblem(text: string): string | null {
  if (isTooLong(text)) return tooLong
  if (!/^https?:/i.test(text.trim())) return 'is blocked: Only allowed schemes are http, https'
  return /^https?:\/\/[^/?#]/i.test(text) && !/\s/.test(text) && URL.canParse(text)
    ? null
    : 'is blocked: URI is invalid'
}

/** @throws ApiError 400, form B */
export function coverageOf({ coverage }: GivenStatus): number | undefined {
  const text = coverage?.trim() ?? ''
  if (text === '') return undefined
  const value = decimal.test(text) ? Number(text) : Number.NaN
  if (!Number.isFinite(value)) throw parameterError('coverage', 'is invalid')
  return value
}

/** The name of a status, under whichever of its two parameters it is given. */
export function nameOf({ name, context }: GivenStatus): string {
  return name || context || 'default'
}

/**
 * What is told of a status; an empty address takes it away.
 * @throws ApiError 400, form C
 */
export function detailsOf(given: GivenStatus): StatusDetails {
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
