/** A lock that is seen by all processes that use the database. */
export type Held = {
  /** Whether the lock was held without interruption. A lost connection to PostgreSQL loses it. */
  isIntact(): Promise<boolean>
  release(): Promise<void>
}

/** What `hold` does besides. */
export type HoldOptions = {
  /** Called once when the connection is lost, and with it the lock; not after `release`. SQLite loses none. */
  onLost?: () => void
}

/** Another process holds the lock. */
export class LockHeld extends Error {
  constructor(name: string) {
    super(`another process holds the lock ${name} of the database`)
    this.name = 'LockHeld'
  }
}
