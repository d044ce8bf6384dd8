/**
 * The database cannot be reached, or the connection to it was lost. The transaction may not have been committed; the same
 * request may succeed later.
 */
export class DatabaseUnavailable extends Error {
  constructor(cause: unknown) {
    const { message, code } = cause as { message?: string; code?: string }
    super(`the database is unavailable: ${message || code || String(cause)}`, { cause })
    this.name = 'DatabaseUnavailable'
  }
}

/** The disk of the database is full. Nothing of the transaction is stored; the same request may succeed later. */
export class DatabaseFull extends DatabaseUnavailable {
  constructor(cause: unknown) {
    super(cause)
    this.name = 'DatabaseFull'
  }
}
