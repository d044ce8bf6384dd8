/** A unique index was violated; both drivers turn their engine's own error into this. */
export class UniqueViolation extends Error {
  readonly index: string

  constructor(index: string, cause: unknown) {
    super(`unique index ${index} violated`, { cause })
    this.name = 'UniqueViolation'
    this.index = index
  }
}

/**
 * Whether `error` says that a unique index was violated.
 * @param index name of the index, when only that one is meant
 */
export function isUniqueViolation(error: unknown, index?: string): boolean {
  return error instanceof UniqueViolation && (index === undefined || error.index === index)
}
