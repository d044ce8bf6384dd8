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
