import { invalid, lengthProblems } from '../../../api/index.ts'

/** In characters (contract 03, "Shared parameter rules"). */
export const longestValue = 1_048_576
/** All values of a project, a group or the instance, as they are stored (contract 03, "Shared parameter rules"). */
export const mostBytesOfOwner = 64 * 1024 * 1024
/** All variables of one job, keys and values (contract 03, "Delivery to jobs"). */
export const mostBytesOfJob = 10 * 1024 * 1024

type Pair = { key: string; value: string }

/** The problem of a value of a project, group, schedule, pipeline or job that is too long. */
export const valueProblems = (value: string): string[] => lengthProblems(value, longestValue)

/** @throws ApiError 400 for a value that is too long */
export function requireShortValues(variables: Iterable<Pick<Pair, 'value'>>): void {
  for (const { value } of variables) {
    const problems = valueProblems(value)
    if (problems.length > 0) throw invalid({ value: problems })
  }
}

/** The size of variables, in bytes of UTF-8. */
export function bytesOfVariables(variables: Iterable<Pair>): number {
  let bytes = 0
  for (const { key, value } of variables) bytes += key.length + Buffer.byteLength(value)
  return bytes
}
