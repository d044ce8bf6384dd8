import { createRequire } from 'node:module'
import type buildSerialiser from 'fast-json-stringify'
import type { ResultSchema } from '../../operation/results.ts'
import { namedSchemas } from '../../operation/schema.ts'

export type Serialise = (value: unknown) => string

/** Loaded with the first result, so that the server listens before. */
const load = () => createRequire(import.meta.url)('fast-json-stringify') as typeof buildSerialiser

const compiled = new WeakMap<object, Serialise>()

function schemaOf(result: ResultSchema): object {
  return 'pageOf' in result ? { type: 'array', items: result.pageOf } : result
}

/** The schema with a title at any depth of another one. */
function findNamed(schema: unknown, title: string): object | undefined {
  if (typeof schema !== 'object' || schema === null) return undefined
  if ((schema as { title?: unknown }).title === title) return schema
  for (const inner of Object.values(schema)) {
    const found = findNamed(inner, title)
    if (found) return found
  }
  return undefined
}

/** Replaces references to schemas with a title by these schemas; `results` has all of them. */
function resolved(schema: unknown, results: readonly ResultSchema[]): unknown {
  if (Array.isArray(schema)) return schema.map((one) => resolved(one, results))
  if (typeof schema !== 'object' || schema === null) return schema
  const { $ref: reference } = schema as { $ref?: unknown }
  if (typeof reference !== 'string')
    return Object.fromEntries(Object.entries(schema).map(([keyword, inner]) => [keyword, resolved(inner, results)]))
  const named = findNamed(results, reference.slice(namedSchemas.length))
  if (!named) throw new Error(`no operation has the schema ${reference}`)
  return resolved(named, results)
}

const alternatives = ['anyOf', 'oneOf']

/**
 * Prepares a schema for the serialiser. `format` is removed, since the serialiser would check and convert valid values;
 * so is `required`, which would change the order of members. Alternatives are distinguished by their required members,
 * so there the list is written as a nested `not`, which is validated and does not affect the order.
 */
function plainSchema(schema: unknown, isAlternative = false): unknown {
  if (Array.isArray(schema)) return schema.map((one) => plainSchema(one, isAlternative))
  if (typeof schema !== 'object' || schema === null) return schema
  const isForOthers = (keyword: string, value: unknown) =>
    (keyword === 'format' && typeof value === 'string') || (keyword === 'required' && Array.isArray(value))
  const kept = Object.entries(schema).filter(([keyword, value]) => !isForOthers(keyword, value))
  const plain = Object.fromEntries(
    kept.map(([keyword, value]) => [keyword, plainSchema(value, alternatives.includes(keyword))]),
  )
  const { required } = schema as { required?: unknown }
  return isAlternative && Array.isArray(required) ? { ...plain, not: { not: { required } } } : plain
}

/** The schema of the rows of a list; null for other results. */
export function rowSchemaOf(result: ResultSchema): ResultSchema | null {
  if ('pageOf' in result) return result.pageOf
  const { type, items } = result as { type?: unknown; items?: unknown }
  return type === 'array' && typeof items === 'object' && !Array.isArray(items) ? (items as ResultSchema) : null
}

/**
 * Returns the function that serialises a result: only the members that the schema names. It is compiled at the first
 * use, since compiling all of them would dominate the start.
 * @param results schemas of all operations: a schema may refer to another one by its title
 */
export function serialiserOf(result: ResultSchema, results: readonly ResultSchema[]): Serialise {
  const known = compiled.get(result)
  if (known) return known
  const serialise = load()(plainSchema(resolved(schemaOf(result), results)) as never) as Serialise
  compiled.set(result, serialise)
  return serialise
}
