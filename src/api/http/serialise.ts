import buildSerialiser from 'fast-json-stringify'
import type { ResultSchema } from '../operation/results.ts'

type Serialise = (value: unknown) => string

const compiled = new WeakMap<object, Serialise>()

function schemaOf(result: ResultSchema): object {
  return 'pageOf' in result ? { type: 'array', items: result.pageOf } : result
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
 */
export function serialiserOf(result: ResultSchema): Serialise {
  const known = compiled.get(result)
  if (known) return known
  const serialise = buildSerialiser(plainSchema(schemaOf(result)) as never) as Serialise
  compiled.set(result, serialise)
  return serialise
}
