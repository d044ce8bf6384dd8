/** An object of parsed JSON: no array, and not null. */
export type JsonObject = { readonly [name: string]: unknown }

/** Whether a value of parsed JSON is an object. */
export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
