import type { Kysely, Transaction } from 'kysely'
import type { Held, HoldOptions } from './locks.ts'
import type { Migration } from './migrator.ts'
import type { Engine, Tables } from './tables.ts'

/** A read-only handle. Store functions that only read take this type; a `Tx` is accepted as well. */
export type Reader = Pick<Kysely<Tables>, 'selectFrom' | 'selectNoFrom' | 'with' | 'withRecursive' | 'executeQuery'> & {
  readonly engine: Engine
}

/** An open transaction. Store functions that write take this type (design §4). */
export type Tx = Transaction<Tables> & {
  readonly engine: Engine
  /**
   * Runs `hook` after the transaction has committed, and not when it is rolled back. For effects inside this process, such
   * as waking a worker or dropping a cache entry. An effect that must survive a crash is a job.
   */
  afterCommit(hook: () => void): void
}

/**
 * Locks that a command holds and servers look at, between any number of processes. The system releases them when the process ends,
 * however it ends.
 */
export type Locks = {
  /**
   * Acquires a lock, and waits until the transactions have ended in which `isHeld` answered no.
   * @throws LockHeld when another process has it
   */
  hold(name: string, options?: HoldOptions): Promise<Held>
  /** Whether a process holds a lock. @param tx makes `hold` wait until this transaction has ended */
  isHeld(name: string, tx?: Tx): Promise<boolean>
}

/** An open database. The interface is the same for both engines. */
export interface Database extends Locks {
  readonly engine: Engine
  /** Reads outside a transaction. */
  readonly read: Reader
  /**
   * From now on, what may be slow is read in threads, where the engine reads in this process: for servers, whose other requests it
   * would hold up.
   */
  readInThreads(): void
  /**
   * Runs `work` in a transaction and returns its result. After a serialisation failure or a deadlock it is retried, so `work`
   * must have no effects other than its queries.
   * @throws Error when called inside another `write`, which would wait for itself
   * @throws DatabaseUnavailable when the connection is lost; the transaction may or may not have been committed
   */
  write<T>(work: (tx: Tx) => Promise<T>): Promise<T>
  /**
   * Like `write`, without waiting for the disk: a power failure may undo the transaction, whole, unless a later `write` has
   * ended. For rows without which nothing is lost but an attempt, which its client repeats.
   */
  writeSoon<T>(work: (tx: Tx) => Promise<T>): Promise<T>
  /** Runs `work` in a read-only snapshot: all its queries see the same state. */
  snapshot<T>(work: (reader: Reader) => Promise<T>): Promise<T>
  /** Runs the consistency check of the engine. Returns one sentence for each problem. */
  integrityProblems(): Promise<string[]>
  /** Number of queries since the database was opened, for tests that count queries. */
  queryCount(): number
  /**
   * Deletes the rows of all tables and restarts the id sequences, for `reset()`.
   * @param keepIdsOf tables whose id sequences continue, because data outside the database refers to their ids
   */
  clear(keepIdsOf?: readonly string[]): Promise<void>
  /** Closes all connections. */
  close(): Promise<void>
}

/** Options of `openDatabase`. */
export type DatabaseOptions = {
  /** `sqlite:<path>` or `postgres://…`. */
  url: string
  /** Whether a committed write survives a power failure. Default true; false for tests and temporary servers. */
  durable?: boolean
  /**
   * Whether to refuse a SQLite database that another server uses. Only servers set it: commands may run beside a server. Any
   * number of servers may share a PostgreSQL database.
   */
  exclusive?: boolean
  /** Maximal number of connections to PostgreSQL. Default 10; ignored for SQLite. */
  poolSize?: number
  /** The migrations of the schema, in order. Those that the database does not have yet are applied. */
  migrations: readonly Migration[]
  /**
   * Path of an empty SQLite database that has migrations of this schema: an exclusive one begins as its copy. Nothing is copied where
   * the file does not exist.
   */
  model?: string
  /** Whether to apply them. Default true; a backup does not change what it reads. */
  mayMigrate?: boolean
}
