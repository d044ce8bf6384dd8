import type { CompiledQuery, QueryResult } from 'kysely'
import { type ThreadPool, ThreadsBusy } from '../../../threads/index.ts'
import { DatabaseUnavailable } from '../../unavailable.ts'
import { type Connection, execute } from '../driver.ts'
import { encode, type Prepared, rowsOf } from '../statements.ts'
import { type Placement, placements } from './placement.ts'
import { sizes } from './sizes.ts'
import { type Read, type ReadResult, readThreads } from './threads.ts'
import { walkReader } from './walks.ts'

/** The reads outside of transactions. */
export type Reads = {
  run<R>(query: CompiledQuery): QueryResult<R> | Promise<QueryResult<R>>
  /** From now on, what may be slow is read in threads. */
  useThreads(): void
  close(): Promise<void>
}

/** What decides where statements run, and where they run when not here. */
type Places = {
  threads: ThreadPool<Read, ReadResult>
  placementOf(prepared: Prepared, text: string): Placement
  decide: ReturnType<typeof placements>
}

function openPlaces({ handle }: Connection, path: string, smallBytes?: number): Places {
  const decide = placements({ ...sizes(handle, smallBytes), walkOf: walkReader(handle) })
  const known = new WeakMap<Prepared, Placement>()
  return {
    threads: readThreads(path),
    decide,
    placementOf(prepared, text) {
      let placement = known.get(prepared)
      if (!placement) {
        placement = decide.first(text)
        known.set(prepared, placement)
      }
      return placement
    },
  }
}

async function runInThread<R>(
  { threads, decide }: Places,
  placement: Placement,
  prepared: Prepared,
  query: CompiledQuery,
): Promise<QueryResult<R>> {
  try {
    const values = query.parameters.map(encode)
    const { rows, ms } = await threads.run({ text: query.sql, values }, placement.isSlow)
    decide.ranInThread(placement, ms)
    return { rows: rowsOf(prepared, rows) as R[], numAffectedRows: BigInt(rows.length) }
  } catch (error) {
    throw error instanceof ThreadsBusy ? new DatabaseUnavailable(error) : error
  }
}

/**
 * Reads through a connection, on the event loop; and in threads what may be slow (`placement.ts`), because it would hold up all other
 * requests. A read in a thread sees what was committed before it was asked for, like any other.
 * @param path of the database
 * @param smallBytes size below which statements are not looked at before they take long
 */
export function readsThrough(connection: Connection, path: string, smallBytes?: number): Reads {
  let places: Places | undefined
  return {
    run<R>(query: CompiledQuery) {
      if (!places) return execute<R>(connection, query)
      const prepared = connection.statements.prepare(query.sql)
      const placement = places.placementOf(prepared, query.sql)
      if (placement.inThread) return runInThread<R>(places, placement, prepared, query)
      const started = performance.now()
      const result = execute<R>(connection, query)
      places.decide.ranHere(placement, performance.now() - started)
      return result
    },
    useThreads() {
      places ??= openPlaces(connection, path, smallBytes)
    },
    async close() {
      await places?.threads.close()
    },
  }
}
