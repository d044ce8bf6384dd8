import type { Mapping } from '../tables.ts'

/** The fields of alerts that a mapping may fill (contract 07, Mapping). */
export const fieldNames = [
  'title',
  'description',
  'start_time',
  'end_time',
  'service',
  'monitoring_tool',
  'hosts',
  'severity',
  'fingerprint',
  'gitlab_environment_name',
] as const

const aliases: Readonly<Record<string, string>> = { service_environment_name: 'gitlab_environment_name' }

/** Deeper payloads are refused, so that longer paths find nothing. */
const maximumSteps = 100

/** One step of a JSONPath: `.name`, `[0]`, `['name']` or `["name"]`. */
const step = /^(?:\.([^.[\]'"]+)|\[(\d{1,9})\]|\['((?:[^'\\]|\\.)*)'\]|\["((?:[^"\\]|\\.)*)"\])/

function parsedPath(text: string): (string | number)[] | null {
  const trimmed = text.trim()
  let rest = trimmed.startsWith('$') ? trimmed.slice(1) : trimmed
  if (rest === trimmed && !rest.startsWith('[')) rest = `.${rest}`
  const path: (string | number)[] = []
  while (rest !== '') {
    const [matched, name, index, single, double] = step.exec(rest) ?? []
    if (matched === undefined) return null
    const quoted = (single ?? double)?.replace(/\\(.)/g, '$1')
    path.push(index === undefined ? (name ?? quoted ?? '') : Number(index))
    rest = rest.slice(matched.length)
  }
  return path
}

const isStep = (value: unknown) =>
  (typeof value === 'string' && value.isWellFormed() && !value.includes('\u0000')) ||
  (Number.isSafeInteger(value) && (value as number) >= 0)

/** Reads the path of a mapping: its steps, or JSONPath text with child steps and indexes. @returns null when it is invalid */
export function readPath(value: unknown): (string | number)[] | null {
  const path = typeof value === 'string' ? parsedPath(value) : value
  if (!Array.isArray(path) || path.length === 0 || path.length > maximumSteps) return null
  return path.every(isStep) ? path : null
}

/** A mapping as it was given. */
export type GivenMapping = { field_name: string; path: unknown; label?: string | null; type?: Mapping['type'] }

/**
 * Reads mappings (contract 07, x.alert_integration_create).
 * @param hasExample whether the integration has a sample payload
 * @returns the mappings, or the sentence that says what is wrong
 */
export function readMappings(given: readonly GivenMapping[], hasExample: boolean): Mapping[] | string {
  if (given.length === 0) return []
  const names = given.map(({ field_name: name }) => (Object.hasOwn(aliases, name) ? (aliases[name] as string) : name))
  if (!names.includes('title')) return 'must include title'
  if (!hasExample) return 'require payload_example'
  const paths = given.map(({ path }) => readPath(path))
  if (paths.includes(null)) return 'has an invalid path'
  if (new Set(names).size < names.length) return 'has a duplicate field_name'
  const known: readonly string[] = fieldNames
  if (!names.every((name) => known.includes(name))) return 'has an unknown field_name'
  return given.map(({ label, type = 'string' }, index) => {
    const path = paths[index] ?? []
    return { field_name: names[index] ?? '', path, label: label ?? String(path.at(-1)), type }
  })
}
