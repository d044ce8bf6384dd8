import { isObject, type JsonObject } from '../../../infra/json/index.ts'
import type { AlertRow } from '../tables.ts'

function* membersOf(value: JsonObject, above: string): Generator<[string, unknown]> {
  for (const [key, member] of Object.entries(value)) {
    const name = above === '' ? key : `${above}.${key}`
    if (isObject(member)) yield* membersOf(member, name)
    else yield [name, member]
  }
}

/** An object with dotted keys in place of nested objects. */
const flattened = (value: JsonObject): JsonObject => Object.fromEntries(membersOf(value, ''))

/** The payload of an alert, and what its page shows of it: of an item of the monitoring-tool format, annotations and labels. */
export function detailsOf({ format, payload }: Pick<AlertRow, 'format' | 'payload'>) {
  const value = JSON.parse(payload) as JsonObject
  if (format === 'generic') return { payload: value, details: flattened(value) }
  const { annotations, labels } = value
  const shown = { ...(isObject(annotations) ? { annotations } : {}), ...(isObject(labels) ? { labels } : {}) }
  return { payload: value, details: flattened(shown) }
}
