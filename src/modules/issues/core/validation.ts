import { type Problems, refuse } from '../../../api/index.ts'
import { issuableTextProblems } from '../../issuables/index.ts'
import type { NewIssue } from './params.ts'

/** Weights are 32 bit numbers. */
const largestWeight = 2_147_483_647

function weightProblems(weight: number): string[] {
  if (weight < 0) return ['must be greater than or equal to 0']
  return weight > largestWeight ? [`must be less than or equal to ${largestWeight}`] : []
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
