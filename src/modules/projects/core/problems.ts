import { invalid } from '../../../api/index.ts'

/** Validation errors by field: form C of bad requests (contract 00). */
export type Problems = Record<string, string[]>

/** @throws ApiError 400, form C, unless there are no problems */
export function refuse(problems: Problems): void {
  if (Object.keys(problems).length > 0) throw invalid(problems)
}
