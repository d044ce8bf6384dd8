import { type Edition, hasTier } from '../../config.ts'
import { type Availability, availabilityOf, isIn } from './availability.ts'
import type { Operation } from './operation.ts'
import type { Param, ParamSet } from './parameters/params.ts'
import type { ResultSchema } from './results.ts'

type Schema = { [keyword: string]: unknown }

/**
 * A parameter that only some editions have.
 * @param elsewhere what stands in its place in the others; without it they ignore the parameter, like an unknown one
 */
export function takenIn<T>(
  availability: Availability,
  definition: Param<T, false>,
  elsewhere?: Param<T, false>,
): Param<T, false> {
  return { ...definition, availability, ...(elsewhere && { elsewhere }) }
}

/** Parameters that only some editions have. */
export function allTakenIn<P extends ParamSet>(availability: Availability, definitions: P): P {
  const taken = Object.entries(definitions).map(([name, one]) => [name, { ...one, availability }])
  return Object.fromEntries(taken) as P
}

const isObject = (value: unknown): value is Schema => typeof value === 'object' && value !== null

type SchemaOf = (schema: unknown) => unknown

/**
 * A function that returns a schema without the fields that the edition does not have, at any depth; itself when it has all of them.
 * Many operations answer the same object, whose schema is looked through once.
 */
function schemasFor(edition: Edition): SchemaOf {
  const known = new Map<unknown, unknown>()
  const schemaFor: SchemaOf = (schema) => {
    if (!isObject(schema)) return schema
    if (!known.has(schema))
      known.set(schema, Array.isArray(schema) ? listFor(schema, schemaFor) : objectFor(schema, edition, schemaFor))
    return known.get(schema)
  }
  return schemaFor
}

function listFor(schemas: readonly unknown[], schemaFor: SchemaOf): readonly unknown[] {
  const changed = schemas.map(schemaFor)
  return changed.every((one, index) => one === schemas[index]) ? schemas : changed
}

function objectFor(schema: Schema, edition: Edition, schemaFor: SchemaOf): Schema {
  const names = Object.keys(schema)
  const kept = names.filter((name) => !isObject(schema[name]) || isIn(edition, availabilityOf(schema[name])))
  const changed = kept.map((name) => [name, schemaFor(schema[name])] as const)
  if (kept.length === names.length && changed.every(([name, value]) => value === schema[name])) return schema
  return requiringOnlyOwn(Object.fromEntries(changed))
}

/** An object cannot require what it does not have any more. */
function requiringOnlyOwn(schema: Schema): Schema {
  const { required, properties } = schema
  if (!Array.isArray(required) || !isObject(properties)) return schema
  return { ...schema, required: required.filter((name) => Object.hasOwn(properties, name)) }
}

/** The parameters that an edition has; the same set when it has all of them. */
function paramsFor(params: ParamSet, edition: Edition): ParamSet {
  const changed = Object.entries(params).flatMap(([name, definition]) => {
    const one = isIn(edition, definition.availability) ? definition : definition.elsewhere
    if (!one) return []
    const other = one.restricted?.((members) => paramsFor(members, edition))
    return [[name, other ? { ...one, schema: other.schema, read: other.read } : one] as const]
  })
  const isSame = changed.length === Object.keys(params).length && changed.every(([name, one]) => one === params[name])
  return isSame ? params : Object.fromEntries(changed)
}

/**
 * The operations as an edition has them: without the parameters and fields that are not available. Where the tier is too
 * low an operation is refused after the look-up of its subject; those of other offerings are answered as no route (contract 00,
 * "Versioning and switches"). Returns copies.
 */
export function operationsFor(operations: readonly Operation[], edition: Edition): Operation[] {
  const schemaFor = schemasFor(edition)
  return operations.map((operation) => {
    const { tier, offerings, params, answers } = operation
    const [status, schema] = operation.result
    return {
      ...operation,
      ...(params && { params: paramsFor(params, edition) }),
      ...(answers && { answers: schemaFor(answers) as typeof answers }),
      result: [status, schemaFor(schema) as ResultSchema],
      isRefused: tier !== undefined && !hasTier(edition, tier),
      isAbsent: !isIn(edition, offerings && { offerings }),
    }
  })
}
