import { invalid, type Problems, parseDateTime, refuse } from '../../../api/index.ts'
import { issuableTextProblems } from '../../issuables/index.ts'
import type { NewIssue } from './params.ts'

/** Weights are 32 bit numbers. */
const largestWeight = 2_147_483_647

function weightProblems(weight: number): string[] {
  if (weight < 0) return ['must be greater than or equal to 0']
  return weight > largestWeight ? [`must be less than or equal to ${largestWeight}`] : []
}

/** Reads a due date; the time of a moment is cut off. @throws ApiError 400 */
export function dueDateOf(text: string): string {
  const date = parseDateTime(text.trim())?.slice(0, 10)
  if (date === undefined) throw invalid({ due_date: ['is invalid'] })
  return date
}

type Checked = Pick<Partial<NewIssue>, 'title' | 'description' | 'weight'>

/** @throws ApiError 400 for the rules of title, description and weight (contract 16, x.issue_create) */
export function refuseInvalid({ title, description, weight }: Checked): void {
  const problems: Problems = {
    ...issuableTextProblems({ title, description }),
    weight: typeof weight === 'number' ? weightProblems(weight) : [],
  }
  refuse(problems)
}
