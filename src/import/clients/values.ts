import { isObject, type JsonObject } from '../../infra/json/index.ts'
import { NotBrought } from './errors.ts'

/** Members of answers. A server may send any JSON: each member is read with the type that it must have, and is absent otherwise. */

/** An object of an answer. */
export type Item = JsonObject

export function textOf(item: Item, name: string): string | undefined {
  const value = item[name]
  return typeof value === 'string' ? value : undefined
}

/** A whole number that is not negative, such as an id. */
export function numberOf(item: Item, name: string): number | undefined {
  const value = item[name]
  return Number.isSafeInteger(value) && (value as number) >= 0 ? (value as number) : undefined
}

export function flagOf(item: Item, name: string): boolean | undefined {
  const value = item[name]
  return typeof value === 'boolean' ? value : undefined
}

export function itemOf(item: Item, name: string): Item | undefined {
  const value = item[name]
  return isObject(value) ? value : undefined
}

export function itemsOf(item: Item, name: string): Item[] {
  const value = item[name]
  return Array.isArray(value) ? value.filter(isObject) : []
}

export function textsOf(item: Item, name: string): string[] {
  const value = item[name]
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : []
}

/** A point in time, as ISO 8601 in UTC. */
export function timeOf(item: Item, name: string): string | undefined {
  const ms = Date.parse(textOf(item, name) ?? '')
  return Number.isNaN(ms) ? undefined : new Date(ms).toISOString()
}

/** The members of these names that are texts, numbers or booleans, such as those that are passed on as they are. */
export function plainOf(item: Item, names: readonly string[]): Record<string, string | number | boolean> {
  const found = names.flatMap((name) => {
    const value = item[name]
    return ['string', 'number', 'boolean'].includes(typeof value) ? [[name, value as string] as const] : []
  })
  return Object.fromEntries(found)
}

/** A text that has to be there. @throws NotBrought without one */
export function requireText(item: Item, name: string): string {
  const text = textOf(item, name)
  if (text === undefined || text === '') throw new NotBrought(`the source sends no ${name}`)
  return text
}

/** A number that has to be there. @throws NotBrought without one */
export function requireNumber(item: Item, name: string): number {
  const number = numberOf(item, name)
  if (number === undefined) throw new NotBrought(`the source sends no ${name}`)
  return number
}
