import { hash } from 'node:crypto'
import type { JsonObject } from '../../../infra/json/index.ts'
import type { Mapping } from '../tables.ts'
import { asText, isBlank } from './text.ts'

type Path = readonly (string | number)[]

export const sha1 = (text: string): string => hash('sha1', text)

/** JSON with the keys in order at every level and without spaces: the same for equal values. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null'
  const members = value as JsonObject
  const written = Object.keys(members)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${canonicalJson(members[key])}`)
  return `{${written.join(',')}}`
}

/** A copy without what these paths lead to. */
function without(value: unknown, paths: readonly Path[]): unknown {
  if (typeof value !== 'object' || value === null || paths.length === 0) return value
  const kept = Object.entries(value).flatMap(([key, member]) => {
    const inside = paths.filter(([first]) => String(first) === key)
    if (inside.some(({ length }) => length === 1)) return []
    return [
      [
        key,
        without(
          member,
          inside.map((path) => path.slice(1)),
        ),
      ] as const,
    ]
  })
  return Array.isArray(value) ? kept.map(([, member]) => member) : Object.fromEntries(kept)
}

const unstable = ['start_time', 'end_time', 'hosts']

/**
 * The fingerprint of a payload that names none: the same for payloads that differ only in start, end and hosts (contract 07,
 * "Automatic fingerprint"). @returns null when nothing else is in the payload
 */
export function automaticFingerprint(payload: JsonObject, mappings: readonly Mapping[]): string | null {
  const mapped = mappings.filter(({ field_name: name }) => unstable.includes(name)).map(({ path }) => path)
  const stable = without(payload, [...unstable.map((name) => [name]), ...mapped])
  return isBlank(stable) ? null : sha1(canonicalJson(stable))
}

/** The fingerprint that a payload names, as text or as a list; null when it is blank. */
export function ownFingerprint(value: unknown): string | null {
  const text = Array.isArray(value) ? value.flat(Number.POSITIVE_INFINITY).map(asText).join('') : asText(value ?? '')
  return text.trim() === '' ? null : sha1(text)
}
