/** Values of answers of a source, which may be anything. */
import type { JsonObject } from '../../../infra/json/index.ts'

/** An object of an answer. */
export type Item = JsonObject

const longestText = 1024 * 1024

/** A member that is a text that the databases can store; undefined for any other. */
export function textOf(item: Item, name: string): string | undefined {
  const value = Object.hasOwn(item, name) ? item[name] : undefined
  if (typeof value !== 'string' || value.length > longestText || value.includes('\u0000')) return undefined
  return value.toWellFormed()
}

/** A member that is a whole number from 0; undefined for any other. */
export function countOf(item: Item, name: string): number | undefined {
  const value = Object.hasOwn(item, name) ? item[name] : undefined
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined
}
