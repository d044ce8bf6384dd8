import type { CompiledQuery } from 'kysely'
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
  const execute = read.executeQuery
  const queries: CompiledQuery[] = []
  read.executeQuery = (query) => {
    queries.push('compile' in query ? query.compile() : query)
    return execute.call(read, query) as never
  }
  try {
    await work()
    return queries
  } finally {
    read.executeQuery = execute
  }
}
