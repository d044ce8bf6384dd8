import { availabilityOf, describedFor } from '../operation/availability.ts'

/** A JSON Schema of the document. */
export type JsonSchema = { [keyword: string]: unknown }

/** The named schemas of a document; each is written once and referred to from everywhere. */
export type SchemaRegistry = {
  /** The schema as written in the document: named schemas become references, at any depth. */
  place(schema: object): JsonSchema
  /** A reference to a schema under a name of its own, which the schema, already placed, gets as its title. */
  placeNamed(name: string, schema: JsonSchema): JsonSchema
  /** The named schemas so far, sorted by name. */
  components(): Record<string, JsonSchema>
}

/** Keywords whose values are data: a `title` in there is not the name of a schema. */
const dataKeywords = new Set(['const', 'default', 'enum', 'example', 'examples'])
/** Keywords whose values are schemas by name. */
const mapKeywords = new Set(['properties', 'patternProperties', '$defs', 'dependentSchemas'])

function nameOf(schema: JsonSchema): string | undefined {
  const name = schema.$id ?? schema.title
  return typeof name === 'string' && name !== '' ? name.replace(/[^A-Za-z0-9._-]+/g, '_') : undefined
}

/** The schema without null, when `nullable()` widened it: the document refers to the named one or null. */
function withoutNull(schema: JsonSchema): JsonSchema | undefined {
  const { type } = schema
  if (!Array.isArray(type) || !type.includes('null')) return undefined
  const types = type.filter((one) => one !== 'null')
  return { ...schema, type: types.length === 1 ? types[0] : types }
}

/** A list of types without repeats, which JSON Schema forbids; a single one stands alone. */
function withoutRepeats(types: readonly unknown[]): unknown {
  const unique = [...new Set(types)]
  return unique.length === 1 ? unique[0] : unique
}

/** Whether a schema takes every value. */
function takesAnything(schema: unknown): boolean {
  return isObject(schema) && Object.keys(schema).every((keyword) => keyword === 'description')
}

/**
 * The same schema in the keywords that generators of clients read: the values of a map as `additionalProperties`, several types as
 * alternatives, and a choice that takes every value as no choice. One type and null stay a list of types. Integers have 64 bits,
 * since generators take 32 otherwise.
 */
function forGenerators({ patternProperties, anyOf, type, ...rest }: JsonSchema): JsonSchema {
  const values = isObject(patternProperties) && Object.keys(patternProperties).length === 1 && patternProperties['^.*$']
  const types = Array.isArray(type) ? [...new Set(type)] : []
  const isChoice = types.filter((one) => one !== 'null').length > 1
  const isOpen = Array.isArray(anyOf) && anyOf.some(takesAnything)
  return {
    ...rest,
    ...(type !== undefined && !isChoice ? { type } : {}),
    ...(rest.format === undefined && [type].flat().includes('integer') && !isChoice ? { format: 'int64' } : {}),
    ...(isChoice ? { anyOf: types.map((one) => ({ type: one })) } : {}),
    ...(anyOf !== undefined && !isOpen ? { anyOf } : {}),
    ...(values ? { additionalProperties: values } : patternProperties !== undefined ? { patternProperties } : {}),
  }
}

/** Text that is equal for schemas that mean the same: independent of the order of keys, required names and types. */
function canonical(value: unknown, keyword = ''): unknown {
  if (Array.isArray(value)) {
    const items = value.map((item) => canonical(item))
    return keyword === 'required' || keyword === 'type' ? items.sort() : items
  }
  if (!isObject(value)) return value
  const entries = Object.entries(value).map(([key, inner]) => [key, canonical(inner, key)] as const)
  return Object.fromEntries(entries.sort(([one], [other]) => (one < other ? -1 : 1)))
}

function isObject(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/**
 * Creates an empty registry. Schemas are named by their `$id` or `title`; a different schema with the same name gets a
 * number.
 */
export function createSchemaRegistry(): SchemaRegistry {
  const named = new Map<string, { text: string; schema: JsonSchema }>()

  function walk(value: unknown): unknown {
    if (Array.isArray(value)) return value.map(walk)
    return isObject(value) ? place(value) : value
  }

  /** A field of an object, with the editions that have it. */
  function member(inner: unknown): unknown {
    const placed = walk(inner)
    const availability = isObject(inner) ? availabilityOf(inner) : undefined
    if (!availability || !isObject(placed)) return placed
    return { ...placed, description: describedFor(placed.description, availability) }
  }

  function convert(written: JsonSchema): JsonSchema {
    const schema = forGenerators(written)
    const entries = Object.entries(schema).filter(([keyword]) => keyword !== '$id')
    return Object.fromEntries(
      entries.map(([keyword, value]) => {
        if (dataKeywords.has(keyword)) return [keyword, value]
        if (keyword === 'type' && Array.isArray(value)) return [keyword, withoutRepeats(value)]
        if (!mapKeywords.has(keyword) || !isObject(value)) return [keyword, walk(value)]
        return [keyword, Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, member(inner)]))]
      }),
    )
  }

  function register(wanted: string, schema: JsonSchema): JsonSchema {
    const text = JSON.stringify(canonical(schema))
    let name = wanted
    for (let count = 2; named.has(name) && named.get(name)?.text !== text; count += 1) name = `${wanted}_${count}`
    named.set(name, { text, schema })
    return { $ref: `#/components/schemas/${name}` }
  }

  function place(schema: object): JsonSchema {
    const plain = schema as JsonSchema
    const name = nameOf(plain)
    if (name === undefined) return convert(plain)
    const base = withoutNull(plain)
    const reference = register(name, convert(base ?? plain))
    return base ? { anyOf: [reference, { type: 'null' }] } : reference
  }

  return {
    place,
    placeNamed: (name, schema) => register(name, { ...schema, title: name }),
    components() {
      const sorted = [...named].sort(([one], [other]) => (one < other ? -1 : 1))
      return Object.fromEntries(sorted.map(([name, { schema }]) => [name, schema]))
    },
  }
}
