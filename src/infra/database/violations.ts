/** A unique index was violated. Both drivers translate the error of their engine into this class. */
export class UniqueViolation extends Error {
  readonly index: string

  constructor(index: string, cause: unknown) {
    super(`unique index ${index} violated`, { cause })
    this.name = 'UniqueViolation'
    this.index = index
  }
}

/** A foreign key was violated: what a row refers to was deleted after it was read, or still has rows that refer to it. */
export class ReferenceViolation extends Error {
  /** Whether a deletion was refused. SQLite does not say which half was violated, so the kind of the statement decides. */
  readonly isOfDeletion: boolean

  /** @param statement the text of the statement that failed */
  constructor(cause: unknown, statement: string) {
    super(`foreign key violated: ${cause instanceof Error ? cause.message : cause}`, { cause })
    this.name = 'ReferenceViolation'
    this.isOfDeletion = /^\s*delete\b/i.test(statement)
  }
}

/**
 * Whether an error is the violation of a unique index.
 * @param index name of the index; any index when undefined
 */
export function isUniqueViolation(error: unknown, index?: string): boolean {
  return error instanceof UniqueViolation && (index === undefined || error.index === index)
}
