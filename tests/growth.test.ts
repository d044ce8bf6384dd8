/** What lists of people, groups and projects read of a growing instance. */
import type { CompiledQuery } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makePeople, type People, queriesDuring, startTestServer, type TestServer } from '../src/testing/index.ts'

let server: TestServer
let people: People
beforeAll(async () => {
  server = await startTestServer()
  people = await makePeople(server)
  const group = await server.make.group('company', people.owner)
  await server.make.project('service', people.owner, { namespace: group })
})
afterAll(() => server.stop())

const lists = ['/users', '/namespaces', '/groups', '/projects', '/groups/company/members', '/user']
const searches = ['/users', '/namespaces', '/groups', '/projects'].map((path) => `${path}?search=nowhere`)

async function planOf(query: CompiledQuery): Promise<string[]> {
  const { read } = server.app.platform.database
  const explained = { ...query, sql: `explain query plan ${query.sql}` } as CompiledQuery<{ detail: string }>
  return (await read.executeQuery(explained)).rows.map(({ detail }) => detail)
}

/** Steps that read all rows of a table that grows with the instance, or all that are of a kind or in a state. */
const readsAll =
  /^SCAN (users|u|namespaces|n|projects|p|members|m|user_follows)$|(users_state|namespaces_list) \((state|kind)=/

/** PostgreSQL chooses by statistics, SQLite by the text of the query. */
test('what is shown beside the rows of a page is looked up, on SQLite', async () => {
  if (server.app.platform.database.engine !== 'sqlite') return
  for (const path of [...lists, ...searches]) {
    for (const caller of [server.root, people.owner]) {
      const queries = await queriesDuring(server, () => caller.get(path))
      expect(queries.length).toBeGreaterThan(0)
      // A page and its count end at their limits.
      for (const query of queries.filter(({ sql }) => !sql.includes('limit ?'))) {
        const plan = await planOf(query)
        expect([path, query.sql, plan.filter((step) => readsAll.test(step))]).toEqual([path, query.sql, []])
      }
    }
  }
})

test('searches read the rows that an index finds, on SQLite', async () => {
  if (server.app.platform.database.engine !== 'sqlite') return
  for (const path of searches) {
    const queries = await queriesDuring(server, () => server.root.get(path))
    const searching = queries.filter(
      ({ sql }) => sql.includes('_text" match') && !sql.startsWith('select count(*) as count from (select rowid'),
    )
    expect(searching.length).toBeGreaterThan(0)
    for (const query of searching) {
      const plan = await planOf(query)
      expect([path, plan.filter((step) => /^SCAN (users|namespaces|projects)( |$)/.test(step))]).toEqual([path, []])
      expect(plan.join()).toMatch(/SEARCH (users|namespaces|projects) USING INTEGER PRIMARY KEY/)
    }
  }
})

test('namespaces are listed in the order of an index, on SQLite', async () => {
  if (server.app.platform.database.engine !== 'sqlite') return
  const queries = await queriesDuring(server, () => server.root.get('/namespaces'))
  const page = queries.find(({ sql }) => sql.includes('order by case'))
  expect(page && (await planOf(page))).toEqual(['SCAN namespaces USING INDEX namespaces_order'])
})
