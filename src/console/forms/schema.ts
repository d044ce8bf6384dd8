/** What a value is, as fields and cells need it: one reading of the JSON schemas of parameters and of results. */
export type Schema = {
  kind: 'text' | 'number' | 'boolean' | 'moment' | 'day' | 'file' | 'list' | 'object' | 'any'
  /** The only values that there are. */
  values: readonly (string | number)[] | null
  description?: string
  maxLength?: number
  minimum?: number
  maximum?: number
  isNullable: boolean
  /** Whether it is an older name of another member. */
  isDeprecated: boolean
  /** Of lists. */
  item: Schema | null
  /** Of objects. */
  members: Readonly<Record<string, Schema>>
  required: readonly string[]
}

/** An object of JSON. */
export type Json = Readonly<Record<string, unknown>>

/** Whether a value is an object of JSON. */
export function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

const formats: Readonly<Record<string, Schema['kind']>> = { 'date-time': 'moment', date: 'day', binary: 'file' }
const kinds: Readonly<Record<string, Schema['kind']>> = {
  string: 'text',
  integer: 'number',
  number: 'number',
  boolean: 'boolean',
  array: 'list',
  object: 'object',
}

/** The kind of a schema; text where it may be several: forms send text. */
function kindOf({ type, format, additionalProperties }: Json): Schema['kind'] {
  const types = [type].flat().filter((one) => one !== 'null')
  const one = types.includes('string') ? 'string' : String(types[0])
  if (one === 'string' && typeof format === 'string') return formats[format] ?? 'text'
  if (one === 'object' && additionalProperties !== undefined) return 'any'
  return kinds[one] ?? 'any'
}

const numberOf = (value: unknown) => (typeof value === 'number' ? value : undefined)

function read(json: Json): Schema {
  const { anyOf, enum: values, description, items, properties, required, type, deprecated } = json
  if (Array.isArray(anyOf)) return schemaOf(anyOf.find((one) => isObject(one) && one.type !== 'null'))
  const members = isObject(properties) ? Object.entries(properties) : []
  const [maxLength, minimum, maximum] = [json.maxLength, json.minimum, json.maximum].map(numberOf)
  return {
    kind: kindOf(json),
    values: Array.isArray(values) ? values.filter((value) => value !== null) : null,
    ...(typeof description === 'string' && { description }),
    ...(maxLength !== undefined && { maxLength }),
    ...(minimum !== undefined && { minimum }),
    ...(maximum !== undefined && { maximum }),
    isNullable: [type].flat().includes('null'),
    isDeprecated: deprecated === true,
    item: items === undefined ? null : schemaOf(items),
    members: Object.fromEntries(members.map(([name, member]) => [name, schemaOf(member)])),
    required: Array.isArray(required) ? required : [],
  }
}

const known = new WeakMap<object, Schema>()
const anything: Schema = {
  kind: 'any',
  values: null,
  isNullable: true,
  isDeprecated: false,
  item: null,
  members: {},
  required: [],
}

/** Reads a JSON schema. */
export function schemaOf(json: unknown): Schema {
  if (!isObject(json)) return anything
  const found = known.get(json) ?? read(json)
  known.set(json, found)
  return found
}
