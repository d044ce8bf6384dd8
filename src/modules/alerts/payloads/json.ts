import { isUtf8 } from 'node:buffer'
import { ApiError, badRequest, tooLarge } from '../../../api/index.ts'
import { isObject, type JsonObject } from '../../../infra/json/index.ts'

/** The largest payload (contract 07, Limits). */
export const largestPayloadBytes = 1_048_576

const deepestPayload = 100

/** Whether a value has more levels than this; it is never entered more deeply. */
function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (levels === 0) return true
  return Object.values(value).some((member) => isDeeper(member, levels - 1))
}

/** A payload: an object of at most 100 levels. @throws ApiError 400 */
export function checkedPayload(value: unknown): JsonObject {
  if (!isObject(value)) throw badRequest('payload must be a JSON object')
  if (isDeeper(value, deepestPayload)) throw badRequest('payload is nested too deeply')
  return value
}

/** Parses JSON. @throws ApiError 400 */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw badRequest('invalid JSON')
  }
}

/** Parses the body of a delivery (contract 2.22). @throws ApiError 400 */
export function parsePayload(bytes: Buffer): JsonObject {
  if (!isUtf8(bytes)) throw badRequest('invalid JSON')
  return checkedPayload(parsed(bytes.toString('utf8')))
}

/** Reads a payload that was sent as a parameter, as an object or as text. @throws ApiError 400, 413 */
export function readPayload(given: unknown): JsonObject {
  const text = typeof given === 'string' ? given : JSON.stringify(given)
  if (Buffer.byteLength(text) > largestPayloadBytes) throw tooLarge()
  return checkedPayload(typeof given === 'string' ? parsed(text) : given)
}

/** Reads a sample of a payload, as an object or as text. @returns its JSON text, or null when it is no object */
export function exampleText(given: unknown): string | null {
  try {
    const value = typeof given === 'string' ? parsed(given) : given
    return isObject(value) ? JSON.stringify(value) : null
  } catch (error) {
    if (error instanceof ApiError) return null
    throw error
  }
}
