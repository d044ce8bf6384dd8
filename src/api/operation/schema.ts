import type { Static, TOptional, TSchema, TUnsafe, Type as TypeBox } from 'typebox'

export type { Static, TOptional, TSchema, TUnsafe }

type Schema = { [keyword: string]: unknown }

/** Marks a member of an object as optional; a symbol, so that it is no keyword and is written nowhere. */
const optional = Symbol('optional')

function requiredOf(properties: Record<string, Schema>): { required?: string[] } {
  const required = Object.keys(properties).filter((name) => !(optional in (properties[name] as object)))
  return required.length > 0 ? { required } : {}
}

/** Where the OpenAPI document has the schemas with a title. */
export const namedSchemas = '#/components/schemas/'

const builders = {
  Array: (items: Schema, options?: Schema) => ({ type: 'array', items, ...options }),
  Boolean: (options?: Schema) => ({ type: 'boolean', ...options }),
  Integer: (options?: Schema) => ({ type: 'integer', ...options }),
  Literal: (value: unknown, options?: Schema) => ({ type: typeof value, const: value, ...options }),
  Object: (properties: Record<string, Schema>, options?: Schema) => ({
    type: 'object',
    ...requiredOf(properties),
    properties,
    ...options,
  }),
  Optional: (schema: Schema) => ({ ...schema, [optional]: true }),
  Record: (_key: Schema, value: Schema, options?: Schema) => ({
    type: 'object',
    patternProperties: { '^.*$': value },
    ...options,
  }),
  /** A schema of another module, by its title. */
  Ref: (title: string) => ({ $ref: `${namedSchemas}${title}` }),
  String: (options?: Schema) => ({ type: 'string', ...options }),
  Union: (anyOf: Schema[], options?: Schema) => ({ anyOf, ...options }),
  Unsafe: (schema: Schema) => schema,
}

/**
 * Schemas of results: plain JSON Schema with the types of TypeBox. Only the types of that library are used: loading it
 * would cost a fifth of the start and of the memory at rest.
 */
export const Type = builders as unknown as Pick<typeof TypeBox, keyof typeof builders>

/** The schema of a value that JSON `null` may clear. */
export function withNull(schema: { [keyword: string]: unknown }): { [keyword: string]: unknown } {
  const { type, enum: values, ...rest } = schema
  if (type === undefined) return { anyOf: [schema, { type: 'null' }] }
  return { ...rest, type: [type, 'null'].flat(), ...(Array.isArray(values) ? { enum: [...values, null] } : {}) }
}

/** Whether a schema is that of an uploaded file, or has such a one in it. */
export function holdsFile(schema: unknown): boolean {
  if (typeof schema !== 'object' || schema === null) return false
  if ('format' in schema && schema.format === 'binary') return true
  return Object.values(schema).some(holdsFile)
}
