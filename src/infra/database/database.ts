import type { Kysely, Transaction } from 'kysely'
import type { Migration } from './migrator.ts'
import type { Engine, Tables } from './tables.ts'

/** A handle that can only read. Store functions that only read take this; a `Tx` may be given as well. */
export type Reader = Pick<Kysely<Tables>, 'selectFrom' | 'selectNoFrom' | 'with' | 'withRecursive' | 'executeQuery'> & {
  readonly engine: Engine
}

/** An open transaction: reads and writes. A store function that writes takes this and nothing else (design §4). */
export type Tx = Transaction<Tables> & {
  readonly engine: Engine
  /**
   * Runs `hook` after the transaction has committed, and not at all when it is rolled back. For what must follow a
   * write inside this process (waking a worker, dropping a cache); what must survive a crash is a job instead.
   */
  afterCommit(hook: () => void): void
}

/** The open database, the same face for both engines. */
export interface Database {
  readonly engine: Engine
  /** Reads outside of a transaction. */
  readonly read: Reader
  /**
   * Runs `work` in one transaction and returns what it returns. Retried when the engine asks for it (a serialisation
   * failure or deadlock), so `work` must have no effects besides its queries. Not to be nested: a second `write` inside
   * throws, for it would wait for itself.
   */
  write<T>(work: (tx: Tx) => Promise<T>): Promise<T>
  /** Runs `work` in one read-only snapshot, for answers that need several queries to agree. */
  snapshot<T>(work: (reader: Reader) => Promise<T>): Promise<T>
  /** The engine's own consistency check; an empty list means that all is well. */
  integrityProblems(): Promise<string[]>
  /** Queries run since the start, for tests that count them. */
  queryCount(): number
  /**
   * Empties every table and restarts every id sequence: the clean slate of `reset()`.
   * @param keepIdsOf tables whose ids are not given out again, since something outside hangs on them
   */
  clear(keepIdsOf?: readonly string[]): Promise<void>
  close(): Promise<void>
}

/** Where a database is and how to treat it. */
export type DatabaseOptions = {
  /** `sqlite:<path>` or `postgres://…`. */
  url: string
  /** Whether a committed write survives a power cut. Only tests and throw-away servers say no. */
  durable?: boolean
  /**
   * Whether to refuse a SQLite database that another server uses. Only servers set it: commands may run beside a server. Any
   * number of servers may share a PostgreSQL database.
   */
  exclusive?: boolean
  /** Connections held open to PostgreSQL at the most; SQLite ignores it. */
  poolSize?: number
  /** The whole schema, in order: those that the database does not have yet are applied. */
  migrations: readonly Migration[]
}
