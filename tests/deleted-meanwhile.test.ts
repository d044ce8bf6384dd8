/** Rows that a request refers to are deleted by another transaction after they were looked up. */
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Answer, onPostgres, startTestServer, type TestServer } from '../src/testing/index.ts'

type Made = { id: number; name: string }
type Case = {
  table: string
  make(name: string): Promise<Answer>
  ask(made: Made): Promise<Answer>
  status: number
  body?: object
}

// On SQLite a transaction waits until the one before has ended.
describe.runIf(onPostgres)('a request', () => {
  let server: TestServer
  beforeAll(async () => {
    server = await startTestServer()
  })
  afterAll(() => server.stop())

  /** Performs a request beside a transaction that has deleted a row, and that ends when the request waits for it. */
  async function whileDeleting(table: string, id: number, request: () => Promise<Answer>): Promise<Answer> {
    const { database } = server.app.platform
    const [begun, over] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const deleting = database.write(async (tx) => {
      await sql`delete from ${sql.table(table)} where id = ${id}`.execute(tx)
      begun.resolve()
      await over.promise
    })
    await begun.promise
    const asked = request()
    const waiting = sql`
      select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
    await expect.poll(async () => (await waiting.execute(database.read as never)).rows).not.toEqual([])
    over.resolve()
    await deleting
    return asked
  }

  test('of something that is deleted meanwhile is answered as if it had been deleted before', async () => {
    const { root } = server
    const { body: group } = await root.post('/groups', { name: 'g', path: 'g' })
    const { body: project } = await root.post('/projects', { name: 'p', namespace_id: group.id })
    const at = `/projects/${project.id}`
    const newTopic = (name: string) => root.post('/topics', { name, title: name })
    const newLabel = (name: string) => root.post(`${at}/labels`, { name, color: '#ff0000' })
    const newGroup = (name: string) => root.post('/groups', { name, path: name })
    const newUser = (name: string) =>
      root.post('/users', { name, username: name, email: `${name}@example.com`, force_random_password: true })
    const { body: issue } = await root.post(`${at}/issues`, { title: 'i' })
    const one = `${at}/issues/${issue.iid}`
    const gone = { message: '404 Not found' }
    const cases: Case[] = [
      { table: 'topics', make: newTopic, ask: ({ name }) => root.put(at, { topics: [name] }), status: 200 },
      { table: 'labels', make: newLabel, ask: ({ name }) => root.put(one, { labels: name }), status: 200 },
      { table: 'users', make: newUser, ask: ({ id }) => root.post(`/users/${id}/follow`), status: 404, body: gone },
      {
        ...{ table: 'users', make: newUser, status: 404, body: gone },
        ask: ({ id }) => root.post(`${at}/members`, { user_id: id, access_level: 30 }),
      },
      {
        ...{ table: 'namespaces', make: newGroup, status: 404, body: gone },
        ask: ({ id }) => root.post(`${at}/share`, { group_id: id, group_access: 30 }),
      },
    ]
    for (const [index, { table, make, ask, status, body = {} }] of cases.entries()) {
      const name = `name${index}`
      const { body: made } = await make(name)
      const answer = await whileDeleting(table, made.id, () => ask({ id: made.id, name }))
      expect([table, answer.status, answer.body]).toMatchObject([table, status, body])
    }
    // What the second attempt made anew is not what was deleted.
    expect((await root.get(at)).body.topics).toEqual(['name0'])
    expect((await root.get(one)).body.labels).toEqual(['name1'])
  })
})
