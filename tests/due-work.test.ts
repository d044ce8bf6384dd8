/** What recurring jobs read to find their work. */
import type { CompiledQuery } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { queriesDuring, startTestServer, type TestServer } from '../src/testing/index.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.stop())

/** With the values of the query: SQLite chooses partial indexes by them. */
async function planOf(query: CompiledQuery): Promise<string[]> {
  const { read } = server.app.platform.database
  const explained = { ...query, sql: `explain query plan ${query.sql}` } as CompiledQuery<{ detail: string }>
  return (await read.executeQuery(explained)).rows.map(({ detail }) => detail)
}

/** Steps that read all of a table that grows with the instance. */
const readsAll =
  /^SCAN (users|namespaces|projects|members|repositories|issues|merge_requests|pipelines|ci_jobs|events|snippets|invitations|group_links)$/

test('recurring jobs find their work by indexes, on SQLite', async () => {
  const { database, jobs } = server.app.platform
  const kinds = await database.read.selectFrom('recurring_jobs').select('name').execute()
  expect(kinds.length).toBeGreaterThan(20)
  const queries = await queriesDuring(server, async () => {
    await database.write(async (tx) => {
      for (const { name } of kinds) await jobs.enqueue(tx, name, null)
    })
    await jobs.drain()
  })
  expect(queries.length).toBeGreaterThan(20)
  const found: string[] = []
  for (const query of queries) {
    const plan = await planOf(query)
    if (plan.some((step) => readsAll.test(step))) found.push(`${plan.join('; ')}: ${query.sql.slice(0, 200)}`)
  }
  expect(found).toEqual([])
})
