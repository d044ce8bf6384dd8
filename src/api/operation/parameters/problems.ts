import { invalid } from '../errors.ts'
import { parseDateTime } from './dates.ts'

/** What is wrong with each field, in sentences: form C of the bad requests (contract 00). */
export type Problems = Record<string, string[]>

export const blank = "can't be blank"
export const taken = 'has already been taken'
export const notIncluded = 'is not included in the list'

/** The problem of a text of more characters (code points) than this; none for a shorter one. */
export function lengthProblems(text: string, maximum: number): string[] {
  // A character has one or two units; only a text between the two bounds is counted.
  const isLonger = text.length > maximum && (text.length > 2 * maximum || [...text].length > maximum)
  return isLonger ? [`is too long (maximum is ${maximum} characters)`] : []
}

/** The problem of a text that may be neither blank nor longer than this. */
export function textProblems(text: string, maximum: number): string[] {
  return text.trim() === '' ? [blank] : lengthProblems(text, maximum)
}

/** Leaves out the fields without problems. */
export function onlyProblems(fields: Problems): Problems {
  return Object.fromEntries(Object.entries(fields).filter(([, sentences]) => sentences.length > 0))
}

/** @throws ApiError 400, form C, unless all fields are without problems */
export function refuse(fields: Problems): void {
  const problems = onlyProblems(fields)
  if (Object.keys(problems).length > 0) throw invalid(problems)
}

/** Phrases as one English sentence: `a`, `a and b`, `a, b, and c`. */
export function oneSentence(phrases: readonly string[]): string {
  if (phrases.length <= 2) return phrases.join(' and ')
  return `${phrases.slice(0, -1).join(', ')}, and ${phrases.at(-1)}`
}

/**
 * Reads the day of a field that is checked with the rules of its resource; a date-time is cut to its date (contract 16,
 * `due_date`; contract 17).
 * @throws ApiError 400, form C
 */
export function dayOfField(name: string, text: string): string {
  const written = text.trim()
  if (parseDateTime(written) === null) throw invalid({ [name]: ['is invalid'] })
  return written.slice(0, 'YYYY-MM-DD'.length)
}

const units = ['Bytes', 'KiB', 'MiB', 'GiB', 'TiB'] as const

/** A size with three significant digits and without trailing zeros, such as `5 MiB` and `1.25 KiB`. */
export function humanSize(sizeBytes: number): string {
  let value = sizeBytes
  let unit = 0
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024
    unit += 1
  }
  return `${value >= 1000 ? Math.round(value) : Number(value.toPrecision(3))} ${units[unit]}`
}
