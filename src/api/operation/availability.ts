import { type Edition, hasTier, type Offering, type Tier } from '../../config.ts'
import type { Operation } from './operation.ts'
import type { Param, ParamSet } from './params.ts'
import type { ResultSchema } from './results.ts'

/** Which editions have an operation, a parameter or a field of a result; those without it are in all of them. */
export type Availability = {
  /** The lowest tier. */
  tier?: Exclude<Tier, 'free'>
  offerings?: readonly Offering[]
  /** Not where FIPS holds. */
  fips?: false
}

type Schema = { [keyword: string]: unknown; [limits]?: Availability }

/** Marks the schema of a field; a symbol, so that it is no keyword and fields of the same form share one schema. */
const limits = Symbol('availability')

const tierNames = { premium: 'Premium and Ultimate', ultimate: 'Ultimate' }

/** A sentence for the reference, such as `Premium and Ultimate only.` */
function availabilityText({ tier, offerings, fips }: Availability): string {
  const parts = [tier && tierNames[tier], offerings?.join(' and '), fips === false && 'not with FIPS']
  return `${parts.filter(Boolean).join(', ')} only.`.replace(/^not with FIPS only/, 'Not with FIPS')
}

/** A description with the editions that have what it describes. */
export const describedFor = (description: unknown, availability: Availability): string =>
  [description, availabilityText(availability)].filter(Boolean).join(' ')

/** The availability of a field; undefined when all editions have it. */
export const availabilityOf = (schema: object): Availability | undefined => (schema as Schema)[limits]

/** A field of a result that only some editions have. */
export function onlyIn<S extends object>(availability: Availability, schema: S): S {
  return { ...schema, [limits]: availability }
}

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

function isIn(edition: Edition, { tier, offerings, fips }: Availability = {}): boolean {
  if (tier && !hasTier(edition, tier)) return false
  if (offerings && !offerings.some((one) => edition.offerings.includes(one))) return false
  return !(fips === false && edition.fips)
}

const isObject = (value: unknown): value is Schema => typeof value === 'object' && value !== null

/** The schema without the fields that the edition does not have, at any depth; itself when it has all of them. */
function schemaFor(schema: unknown, edition: Edition): unknown {
  if (Array.isArray(schema)) {
    const changed = schema.map((one) => schemaFor(one, edition))
    return changed.every((one, index) => one === schema[index]) ? schema : changed
  }
  if (!isObject(schema)) return schema
  const names = Object.keys(schema)
  const kept = names.filter((name) => !isObject(schema[name]) || isIn(edition, availabilityOf(schema[name])))
  const changed = kept.map((name) => [name, schemaFor(schema[name], edition)] as const)
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
  return operations.map((operation) => {
    const { tier, offerings, params, answers } = operation
    const [status, schema] = operation.result
    return {
      ...operation,
      ...(params && { params: paramsFor(params, edition) }),
      ...(answers && { answers: schemaFor(answers, edition) as typeof answers }),
      result: [status, schemaFor(schema, edition) as ResultSchema],
      isRefused: tier !== undefined && !hasTier(edition, tier),
      isAbsent: !isIn(edition, offerings && { offerings }),
    }
  })
}
