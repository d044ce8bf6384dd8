import { ApiError } from '../../api/index.ts'

/** Why a field has no value, in words for the caller. */
export class Refusal extends Error {}

/** The sentence of an error of the API, which `error` or `message` has. */
function textOf({ error, message }: { error?: unknown; message?: unknown }): string {
  const text = error ?? message
  if (typeof text === 'string') return text
  return textOf({ error: (text as { error?: unknown } | undefined)?.error ?? JSON.stringify(text) })
}

/** What the caller may not read, and what there is not: both are null. */
export const isHidden = (error: unknown): boolean =>
  error instanceof ApiError && [301, 401, 403, 404].includes(error.status)

/** The error in words for the caller; null for a defect and for an outage, which end the whole request (contract 00). */
export function refusalOf(error: unknown): Refusal | null {
  if (error instanceof Refusal) return error
  return error instanceof ApiError && error.status < 500 ? new Refusal(textOf(error.body)) : null
}
