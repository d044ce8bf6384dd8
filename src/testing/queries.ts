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

/** The queries for reading that something takes, for their plans. */
export async function queriesDuring(server: TestServer, work: () => Promise<unknown>): Promise<CompiledQuery[]> {
  const { read } = server.app.platform.database
  const queries: CompiledQuery[] = []
  // On SQLite the handle runs compiled queries itself, without the executor of its query builder.
  const executor = (read as unknown as Kysely<unknown>).getExecutor()
  const originals = [read.executeQuery, executor.executeQuery] as const
  if (read.engine === 'sqlite') {
    read.executeQuery = (query) => {
      queries.push('compile' in query ? query.compile() : query)
      return originals[0].call(read, query) as never
    }
  }
  executor.executeQuery = (query, ...rest) => {
    queries.push(query)
    return originals[1].call(executor, query, ...rest) as never
  }
  try {
    await work()
    return queries
  } finally {
    read.executeQuery = originals[0]
    executor.executeQuery = originals[1]
  }
}
