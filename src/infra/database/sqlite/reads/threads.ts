import type { SQLInputValue } from 'node:sqlite'
import { openThreadPool, type PoolBounds, type ThreadPool } from '../../../threads/index.ts'

/** A query, with its encoded parameters. */
export type Read = { text: string; values: readonly SQLInputValue[] }

/** The values of each row, in the order of the columns, and how long the query took. */
export type ReadResult = { rows: readonly (readonly unknown[])[]; ms: number }

const program = new URL('./thread-program', import.meta.url)

/** The limits of PostgreSQL apply here as well, where there is one (`postgres/open.ts`). */
const bounds: PoolBounds = {
  threads: 2,
  waiting: 500,
  longestWaitMs: 30_000,
  longestMs: 60_000,
  idleMs: 30_000,
  mostMemoryMib: 512,
}

/** Opens the threads that read from a database. They are started when there is something to read. */
export function readThreads(path: string, changed: Partial<PoolBounds> = {}): ThreadPool<Read, ReadResult> {
  return openThreadPool(program, path, { ...bounds, ...changed })
}
