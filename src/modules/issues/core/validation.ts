import {
  invalid,
  lengthProblems,
  type Problems,
  parseDate,
  parseDateTime,
  refuse,
  textProblems,
} from '../../../api/index.ts'
import type { NewIssue } from './params.ts'

const longestTitle = 255
const mebibyte = 1024 * 1024
/** Weights are 32 bit numbers. */
const largestWeight = 2_147_483_647

function descriptionProblems(text: string): string[] {
  const bytes = Buffer.byteLength(text)
  if (bytes <= mebibyte) return []
  const size = (bytes / mebibyte).toPrecision(3).replace(/\.?0+$/, '')
  return [`is too long (${size} MiB). The maximum size is 1 MiB.`]
}

function weightProblems(weight: number): string[] {
  if (weight < 0) return ['must be greater than or equal to 0']
  return weight > largestWeight ? [`must be less than or equal to ${largestWeight}`] : []
}

/** Reads a due date; the time of a moment is cut off. @throws ApiError 400 */
export function dueDateOf(text: string): string {
  const date = parseDate(text.trim()) ?? parseDateTime(text.trim())?.slice(0, 10)
  if (date === undefined) throw invalid({ due_date: ['is invalid'] })
  return date
}

type Checked = Pick<Partial<NewIssue>, 'title' | 'description' | 'weight'>

/** @throws ApiError 400 for the rules of title, description and weight (contract 16, x.issue_create) */
export function refuseInvalid({ title, description, weight }: Checked): void {
  const problems: Problems = {
    title: title === undefined ? [] : textProblems(title, longestTitle),
    description: description ? descriptionProblems(description) : [],
    weight: typeof weight === 'number' ? weightProblems(weight) : [],
  }
  refuse(problems)
}

/** The beginning of a title that is as long as titles may be. */
export const asTitle = (text: string) =>
  lengthProblems(text, longestTitle).length > 0 ? [...text].slice(0, 255).join('') : text

/** The beginning of a description that is as long as descriptions may be, in whole characters. */
export function asDescription(text: string): string {
  if (Buffer.byteLength(text) <= mebibyte) return text
  // A character that is cut off at the end is left out while the decoder may expect more.
  return new TextDecoder().decode(Buffer.from(text).subarray(0, mebibyte), { stream: true })
}
