import type { CompiledQuery, Kysely } from 'kysely'
import type { TestServer } from './server.ts'

/** Queries that a request takes once everything is warm; of a few times the least, for others may be asking as well. */
export async function queriesOf(server: TestServer, ask: () => Promise<unknown>): Promise<number> {
  const { jobs, database } = server.app.platform
  await jobs.drain()
  await ask()
  const counts: number[] = []
  while (counts.length < 4) {
    const before = database.queryCount()
    await ask()
    counts.push(database.queryCount() - before)
  }
  return Math.min(...counts)
}

type Seen = (query: CompiledQuery, rows: Promise<{ rows: unknown[] }>) => void

/** Calls `seen` with the queries for reading that something takes. */
async function watchQueries(server: TestServer, work: () => Promise<unknown>, seen: Seen): Promise<void> {
  const { read } = server.app.platform.database
  // On SQLite the handle runs compiled queries itself, without the executor of its query builder.
  const executor = (read as unknown as Kysely<unknown>).getExecutor()
  const originals = [read.executeQuery, executor.executeQuery] as const
  if (read.engine === 'sqlite') {
    read.executeQuery = (query) => {
      const rows = originals[0].call(read, query)
      seen('compile' in query ? query.compile() : query, rows)
      return rows as never
    }
  }
  executor.executeQuery = (query, ...rest) => {
    const rows = originals[1].call(executor, query, ...rest)
    seen(query, rows)
    return rows as never
  }
  try {
    await work()
  } finally {
    read.executeQuery = originals[0]
    executor.executeQuery = originals[1]
  }
}

/** The queries for reading that something takes, for their plans. */
export async function queriesDuring(server: TestServer, work: () => Promise<unknown>): Promise<CompiledQuery[]> {
  const queries: CompiledQuery[] = []
  await watchQueries(server, work, (query) => queries.push(query))
  return queries
}

/** The largest number of rows that one query for reading finds while something runs. */
export async function mostRowsDuring(server: TestServer, work: () => Promise<unknown>): Promise<number> {
  let most = 0
  await watchQueries(server, work, (_query, found) => {
    // What fails is the concern of the caller.
    found.then(
      ({ rows }) => {
        most = Math.max(most, rows.length)
      },
      () => {},
    )
  })
  return most
}
