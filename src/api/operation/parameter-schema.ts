/** The schema of a value that JSON `null` may clear. */
export function withNull(schema: { [keyword: string]: unknown }): { [keyword: string]: unknown } {
  const { type, enum: values, ...rest } = schema
  if (type === undefined) return { anyOf: [schema, { type: 'null' }] }
  return { ...rest, type: [type, 'null'].flat(), ...(Array.isArray(values) ? { enum: [...values, null] } : {}) }
}
