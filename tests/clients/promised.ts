import { expect } from 'vitest'

/** What is wrong with a value, one sentence per problem; `path` says where it stands. */
export type Check = (value: unknown, path: string) => string[]

/** The members that a type names, without its index signature. */
type Named<T> = keyof { [K in keyof T as string extends K ? never : K]: T[K] }

function kind(name: string, isIt: (value: unknown) => boolean): Check {
  return (value, path) => (isIt(value) ? [] : [`${path} is ${JSON.stringify(value)}, not ${name}`])
}

export const text = kind('a text', (value) => typeof value === 'string')
export const integer = kind('an integer', Number.isInteger)
export const flag = kind('a boolean', (value) => typeof value === 'boolean')
export const hex = kind('an object id', (value) => typeof value === 'string' && /^[0-9a-f]{40}$/.test(value))
export const date = kind('a time', (value) => typeof value === 'string' && !Number.isNaN(Date.parse(value)))
export const absent = kind('absent', (value) => value === undefined)
export const anything: Check = () => []

export const orNull =
  (check: Check): Check =>
  (value, path) =>
    value === null ? [] : check(value, path)

export const listOf =
  (check: Check): Check =>
  (value, path) =>
    Array.isArray(value) ? value.flatMap((one, index) => check(one, `${path}[${index}]`)) : [`${path} is no list`]

/** Checks every member that a type of the client names: the compiler asks for each of them. */
export const shape =
  <T>(members: Record<Named<T>, Check>): Check =>
  (value, path) => {
    if (typeof value !== 'object' || value === null) return [`${path} is no object`]
    const found = value as Record<string, unknown>
    return Object.entries<Check>(members).flatMap(([name, check]) => check(found[name], `${path}.${name}`))
  }

/** Hands a value on when it is what was promised. */
export async function promised<T>(check: Check, value: T | Promise<T>): Promise<T> {
  const found = await value
  expect(check(found, 'it')).toEqual([])
  return found
}
