import buildSerialiser from 'fast-json-stringify'
import type { ResultSchema } from '../operation/results.ts'
import { namedSchemas } from '../operation/schema.ts'

type Serialise = (value: unknown) => string

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
 * Formats are for the documentation; the serialiser would check and convert what is right already. Without a list of what is
 * required it keeps the order of the schema. Alternatives are told apart by that list: there it is written in a way that is
 * validated and does not bear on the order.
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

/**
 * The function that writes a result as JSON: exactly the members that the schema names, so that nothing leaks. Compiled
 * when first needed, since compiling all of them would be most of the start.
 * @param results of all operations: a schema may refer to others by title
 */
export function serialiserOf(result: ResultSchema, results: readonly ResultSchema[]): Serialise {
  const known = compiled.get(result)
  if (known) return known
  const serialise = buildSerialiser(plainSchema(resolved(schemaOf(result), results)) as never) as Serialise
  compiled.set(result, serialise)
  return serialise
}
