import { AsyncLocalStorage } from 'node:async_hooks'
import type { Kysely, Transaction } from 'kysely'
import type { Database, Reader, Tx } from './database.ts'
import type { Engine, Tables } from './tables.ts'

/** Returns a Kysely handle as a `Reader`. */
export function asReader(kysely: Kysely<Tables>, engine: Engine): Reader {
  return Object.assign(kysely, { engine }) as unknown as Reader
}

/** Marks the asynchronous context of an open `write`, so that a nested one is rejected instead of waiting for itself. */
const openWrites = new AsyncLocalStorage<true>()

/** How often a transaction is attempted after serialisation failures. */
const attempts = 5

/** Runs a transaction on a connection of its own. */
type Transact = <T>(work: (tx: Transaction<Tables>) => Promise<T>) => Promise<T>

/**
 * Creates the `write` function of a database.
 * @param transact runs one attempt
 * @param shouldRetry whether the transaction may succeed when it is run again after this error
 */
export function writer(
  transact: Transact,
  engine: Engine,
  shouldRetry: (error: unknown) => boolean,
): Database['write'] {
  return async function write<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    if (openWrites.getStore()) throw new Error('a transaction was opened inside another one')
    for (let attempt = 1; ; attempt += 1) {
      const hooks: (() => void)[] = []
      try {
        const result = await transact((transaction) => {
          const tx = Object.assign(transaction, {
            engine,
            afterCommit: (hook: () => void) => {
              hooks.push(hook)
            },
          }) as unknown as Tx
          return openWrites.run(true, () => work(tx))
        })
        for (const hook of hooks) hook()
        return result
      } catch (error) {
        if (attempt >= attempts || !shouldRetry(error)) throw error
      }
    }
  }
}
