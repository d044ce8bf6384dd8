import { parseDuration } from '../../../infra/durations/index.ts'
import { isNode } from '../document/tree.ts'
import type { Problems } from '../errors.ts'
import type { ConfigImage, ConfigService, ConfigVariable } from '../types.ts'

/** Reads a value at a place such as `jobs:test:script`. Undefined: absent, or invalid and reported. */
export type Read<T> = (value: unknown, place: string, problems: Problems) => T | undefined

const isAbsent = (value: unknown) => value === undefined || value === null
const isScalar = (value: unknown) => ['string', 'number', 'boolean'].includes(typeof value)

/** Makes a reader of a test and a conversion. */
function reader<T>(isValid: (value: unknown) => boolean, convert: (value: never) => T, text: string): Read<T> {
  return (value, place, problems) => {
    if (isAbsent(value)) return undefined
    return isValid(value) ? convert(value as never) : problems.add(place, text)
  }
}

/** Lists within lists, as `!reference` makes them, become one list. */
function flatten(value: unknown, depth = 10): unknown[] | null {
  if (!Array.isArray(value)) return [value]
  if (depth === 0) return null
  const parts = value.map((item) => flatten(item, depth - 1))
  return parts.includes(null) ? null : (parts as unknown[][]).flat()
}

const allAre = (test: (value: unknown) => boolean) => (value: unknown) => Array.isArray(value) && value.every(test)
const isText = (value: unknown) => typeof value === 'string'

export const text = reader<string>(isText, (value) => value, 'config should be a string')
export const boolean = reader<boolean>(
  (value) => typeof value === 'boolean',
  (value) => value,
  'config should be a boolean value',
)
export const strings = reader<string[]>(allAre(isText), (value) => value, 'config should be an array of strings')

/** One string, or a list of them. */
export const stringOrStrings = reader<string[]>(
  (value) => isText(value) || allAre(isText)(value),
  (value: string | string[]) => [value].flat(),
  'config should be an array of strings or a string',
)

/** Commands: a string, or lists of strings up to ten levels deep. */
export const script: Read<string[]> = (value, place, problems) => {
  if (isAbsent(value)) return undefined
  const lines = flatten(value)
  if (lines?.every((line) => isScalar(line))) return lines.map(String)
  return problems.add(place, 'config should be a string or a nested array of strings up to 10 levels deep')
}

/** A duration in words. @returns seconds */
export const duration = reader<number>(
  (value) => isScalar(value) && parseDuration(String(value)) !== null,
  (value) => Math.round(parseDuration(String(value)) ?? 0),
  'config should be a duration',
)

/** One of several words. */
export function word<const W extends string>(words: readonly W[]): Read<W> {
  const isKnown = (value: unknown) => words.includes(value as W)
  return reader<W>(isKnown, (value) => value, `config should be one of: ${words.join(', ')}`)
}

/** A hash with keys of a table; unknown keys are reported. */
export function hash<T extends Record<string, Read<unknown>>>(
  value: unknown,
  place: string,
  problems: Problems,
  members: T,
): { [K in keyof T]?: T[K] extends Read<infer V> ? V | undefined : never } | undefined {
  if (!isNode(value)) return problems.add(place, 'config should be a hash')
  const unknown = Object.keys(value).filter((key) => !Object.hasOwn(members, key))
  if (unknown.length > 0) problems.add(place, `config contains unknown keys: ${unknown.join(', ')}`)
  const entries = Object.entries(members).map(([key, read]) => [key, read(value[key], `${place}:${key}`, problems)])
  return Object.fromEntries(entries) as never
}

const variableOf = (key: string, value: unknown): ConfigVariable | null => {
  if (isAbsent(value)) return { key, value: '', raw: false }
  if (isScalar(value)) return { key, value: String(value), raw: false }
  if (!isNode(value) || (!isScalar(value.value) && !isAbsent(value.value))) return null
  const known = ['value', 'description', 'expand', 'options']
  if (Object.keys(value).some((name) => !known.includes(name))) return null
  const description = isText(value.description) ? (value.description as string) : undefined
  return { key, value: isAbsent(value.value) ? '' : String(value.value), raw: value.expand === false, description }
}

/** `variables`: scalars, or hashes with `value`, `description`, `options` and `expand`. */
export const variables: Read<ConfigVariable[]> = (value, place, problems) => {
  if (isAbsent(value)) return undefined
  if (!isNode(value)) return problems.add(place, 'config should be a hash')
  const read = Object.entries(value).map(([key, one]) => variableOf(key, one))
  if (!read.includes(null)) return read as ConfigVariable[]
  return problems.add(place, 'config should be a hash of key value pairs, value can be a hash')
}

const imageMembers = {
  name: text,
  entrypoint: stringOrStrings,
  docker: (value: unknown) => value,
  kubernetes: (value: unknown) => value,
  pull_policy: stringOrStrings,
  ports: (value: unknown) => value,
} satisfies Record<string, Read<unknown>>

const withoutName = 'config should be a hash or a string'

/** `image`: a name, or a hash with it. */
export const image: Read<ConfigImage> = (value, place, problems) => {
  if (isAbsent(value)) return undefined
  if (typeof value === 'string') return { name: value, entrypoint: null, pullPolicy: null }
  const read = isNode(value) ? hash(value, place, problems, imageMembers) : undefined
  if (!read?.name) return problems.add(place, withoutName)
  return { name: read.name, entrypoint: read.entrypoint ?? null, pullPolicy: read.pull_policy ?? null }
}

const serviceMembers = { ...imageMembers, alias: text, command: stringOrStrings, variables }

const service = (value: unknown, place: string, problems: Problems): ConfigService | undefined => {
  if (typeof value === 'string') {
    return { name: value, entrypoint: null, pullPolicy: null, alias: null, command: null }
  }
  const read = isNode(value) ? hash(value, place, problems, serviceMembers) : undefined
  if (!read?.name) return problems.add(place, withoutName)
  const { name, entrypoint = null, pull_policy: pullPolicy = null, alias = null, command = null } = read
  return { name, entrypoint, pullPolicy, alias, command }
}

export const services: Read<ConfigService[]> = (value, place, problems) => {
  if (isAbsent(value)) return undefined
  if (!Array.isArray(value)) return problems.add(place, 'config should be a array')
  return value.flatMap((one, index) => service(one, `${place}:service[${index}]`, problems) ?? [])
}
