import { parseDateTime } from '../../../api/index.ts'
import type { JsonObject } from '../../../infra/json/index.ts'

/** A field of a sample that a mapping can name (contract 07, PayloadField). */
export type Field = { path: (string | number)[]; label: string; type: 'string' | 'array' | 'datetime' }

const mostFields = 500
const deepestField = 20

const typeOf = (value: unknown): Field['type'] => {
  if (Array.isArray(value)) return 'array'
  return typeof value === 'string' && parseDateTime(value) !== null ? 'datetime' : 'string'
}

function* fieldsBelow(value: object, above: readonly (string | number)[]): Generator<Field> {
  for (const [key, member] of Object.entries(value) as [string, unknown][]) {
    const path = [...above, Array.isArray(value) ? Number(key) : key]
    const isNested = typeof member === 'object' && member !== null
    if (!isNested || Array.isArray(member)) yield { path, label: path.join('/'), type: typeOf(member) }
    if (isNested && path.length < deepestField) yield* fieldsBelow(member, path)
  }
}

/** Every scalar and every array of a sample, depth first, at most 500 (contract 07, x.alert_payload_fields). */
export function fieldsOf(payload: JsonObject): Field[] {
  const fields: Field[] = []
  for (const field of fieldsBelow(payload, [])) {
    if (fields.length === mostFields) break
    fields.push(field)
  }
  return fields
}
