/** A unique index was violated. Both drivers translate the error of their engine into this class. */
export class UniqueViolation extends Error {
  readonly index: string

  constructor(index: string, cause: unknown) {
    super(`unique index ${index} violated`, { cause })
    this.name = 'UniqueViolation'
    this.index = index
  }
}

/**
 * Whether an error is the violation of a unique index.
 * @param index name of the index; any index when undefined
 */
export function isUniqueViolation(error: unknown, index?: string): boolean {
  return error instanceof UniqueViolation && (index === undefined || error.index === index)
}
