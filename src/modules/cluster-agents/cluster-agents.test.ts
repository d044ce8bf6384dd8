import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { manualClock } from '../../infra/clock/index.ts'
import { hashToken } from '../../infra/secrets/index.ts'
import {
  makePeople,
  type People,
  type ProjectWithMembers,
  projectWithMembers,
  queriesOf,
  startTestServer,
  type TestServer,
} from '../../testing/index.ts'

const start = '2026-05-01T00:00:00.000Z'
let server: TestServer
let people: People
beforeAll(async () => {
  server = await startTestServer({ clock: manualClock({ start }) })
  people = await makePeople(server)
})
afterAll(() => server.stop())

let at: ProjectWithMembers
let path: string
let count = 0
beforeEach(async () => {
  count += 1
  at = await projectWithMembers(server, { people, path: `demo${count}` })
  path = `/projects/${at.project.id}/cluster_agents`
})

const create = (name: unknown) => people.maintainer.post(path, { name })
const made = async (name: string): Promise<number> => {
  const { status, body } = await create(name)
  expect(status).toBe(201)
  return body.id
}
const refused = (sentence: string) => ({
  status: 400,
  body: { message: `400 Bad request - ["${sentence}"]` },
})
const malformed = refused("Name can contain only lowercase letters, digits, and '-', but cannot start or end with '-'")
const missing = { status: 404, body: { message: '404 Not found' } }

describe('agents', () => {
  test('are registered, and shown with their project', async () => {
    const { status, body } = await create('production')
    expect([status, body]).toEqual([
      201,
      {
        id: expect.any(Number),
        name: 'production',
        config_project: {
          ...{ id: at.project.id, description: null, name: at.project.name },
          name_with_namespace: expect.stringMatching(` / ${at.project.name}$`),
          ...{ path: at.project.path, path_with_namespace: at.path, created_at: expect.any(String) },
        },
        ...{ created_at: start, created_by_user_id: people.maintainer.id, is_receptive: false },
      },
    ])
    const found = await people.developer.get(`${path}/${body.id}`)
    expect([found.status, found.body]).toEqual([200, body])
  })

  test('are listed by name in pages, with a constant number of queries', async () => {
    for (const name of ['b', 'c', 'a']) await made(name)
    const { body, headers } = await people.developer.get(`${path}?per_page=2`)
    expect([body.map(({ name }: { name: string }) => name), headers.get('x-total')]).toEqual([['a', 'b'], '3'])
    const one = await queriesOf(server, () => people.developer.get(`${path}?per_page=1`))
    expect(await queriesOf(server, () => people.developer.get(path))).toBe(one)
  })

  test.each(['A!', 'A', '', ' ', '-a', 'a-', 'a_b', 'a b', 'a\n', 'é', 'a.b', '-', 'a'.repeat(64)])(
    'may not be called %j',
    async (name) => {
      expect(await create(name)).toMatchObject(malformed)
    },
  )

  test.each(['a', '0', 'a-b', 'a--b', '9-9', 'a'.repeat(63)])('may be called %j', async (name) => {
    expect((await create(name)).body.name).toBe(name)
  })

  test('need a name, which no other one of the project has, also of two at once', async () => {
    expect(await people.maintainer.post(path, {})).toMatchObject({ status: 400, body: { error: 'name is missing' } })
    const both = await Promise.all([create('same'), create('same')])
    expect(both.map(({ status }) => status).sort()).toEqual([201, 400])
    expect(await create('same')).toMatchObject(refused('Name has already been taken'))
    const other = await projectWithMembers(server, { people, path: `other${count}` })
    const elsewhere = await people.maintainer.post(`/projects/${other.project.id}/cluster_agents`, { name: 'same' })
    expect(elsewhere.status).toBe(201)
  })

  test('are deleted with their tokens', async () => {
    const id = await made('gone')
    await people.maintainer.post(`${path}/${id}/tokens`, { name: 'a' })
    expect((await people.maintainer.delete(`${path}/${id}`)).status).toBe(204)
    for (const call of ['get', 'delete'] as const) {
      expect(await people.maintainer[call](`${path}/${id}`)).toMatchObject(missing)
    }
    expect(await people.maintainer.get(`${path}/${id}/tokens`)).toMatchObject(missing)
    const { read } = server.app.platform.database
    expect(await read.selectFrom('cluster_agent_tokens').selectAll().where('agent_id', '=', id).execute()).toEqual([])
  })

  test('of other projects are unknown', async () => {
    const id = await made('mine')
    const token = (await people.maintainer.post(`${path}/${id}/tokens`, { name: 'a' })).body.id
    const other = await projectWithMembers(server, { people, path: `other${count}` })
    const elsewhere = `/projects/${other.project.id}/cluster_agents`
    const paths = [`${elsewhere}/${id}`, `${elsewhere}/${id}/tokens/${token}`, `${path}/9007199254740993`]
    for (const one of paths) {
      expect([one, await people.maintainer.get(one)]).toMatchObject([one, missing])
      expect([one, await people.maintainer.delete(one)]).toMatchObject([one, missing])
    }
    expect(await people.maintainer.post(`${elsewhere}/${id}/tokens`, { name: 'a' })).toMatchObject(missing)
    expect((await people.maintainer.get(`${path}/${id}/tokens/${token}`)).status).toBe(200)
  })
})

describe('tokens', () => {
  let tokens: string
  beforeEach(async () => {
    tokens = `${path}/${await made('agent')}/tokens`
  })
  const give = (body: object) => people.maintainer.post(tokens, body)

  test('are shown once, and stored as a digest only', async () => {
    const { status, body } = await give({ name: 'laptop', description: 'of Ada' })
    expect([status, body]).toEqual([
      201,
      {
        ...{ id: expect.any(Number), name: 'laptop', description: 'of Ada', agent_id: expect.any(Number) },
        ...{ status: 'active', created_at: start, created_by_user_id: people.maintainer.id, last_used_at: null },
        token: expect.stringMatching(/^glagent-[A-Za-z0-9_-]{50}$/),
      },
    ])
    const { token, ...shown } = body
    expect((await people.developer.get(`${tokens}/${body.id}`)).body).toEqual(shown)
    const { last_used_at: _, ...listed } = shown
    expect((await people.developer.get(tokens)).body).toEqual([listed])
    const query = server.app.platform.database.read.selectFrom('cluster_agent_tokens').selectAll()
    const row = await query.where('id', '=', body.id).executeTakeFirstOrThrow()
    expect(row.digest).toBe(hashToken(token))
    expect(JSON.stringify(row)).not.toContain(token)
  })

  test('open nothing', async () => {
    const { body } = await give({ name: 'a' })
    const answer = await server.anonymous.get('/user', { headers: { 'PRIVATE-TOKEN': body.token } })
    expect(answer.status).toBe(401)
  })

  test('are two at most that are active, also of many at once', async () => {
    const answers = await Promise.all([1, 2, 3, 4, 5].map((number) => give({ name: `${number}` })))
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 400, 400, 400])
    expect(await give({ name: 'more' })).toMatchObject(refused('An agent can have only two active tokens at a time'))
    const [newest, oldest] = (await people.developer.get(tokens)).body
    expect(newest.id).toBeGreaterThan(oldest.id)
    expect((await people.maintainer.delete(`${tokens}/${oldest.id}`)).status).toBe(204)
    expect((await give({ name: 'more' })).status).toBe(201)
  })

  test('are revoked, again without an effect, and are not shown then', async () => {
    const { body } = await give({ name: 'a' })
    for (const _ of [1, 2]) expect((await people.maintainer.delete(`${tokens}/${body.id}`)).status).toBe(204)
    expect(await people.maintainer.get(`${tokens}/${body.id}`)).toMatchObject(missing)
    expect((await people.maintainer.get(tokens)).body).toEqual([])
    expect(await people.maintainer.delete(`${tokens}/0`)).toMatchObject(missing)
  })

  test('have a name and a description of some length', async () => {
    expect(await give({})).toMatchObject({ status: 400, body: { error: 'name is missing' } })
    expect(await give({ name: ' ' })).toMatchObject(refused("Name can't be blank"))
    expect(await give({ name: '😀'.repeat(256) })).toMatchObject(
      refused('Name is too long (maximum is 255 characters)'),
    )
    const description = '😀'.repeat(1025)
    expect(await give({ name: 'a', description })).toMatchObject(
      refused('Description is too long (maximum is 1024 characters)'),
    )
    const longest = { name: '😀'.repeat(255), description: '😀'.repeat(1024) }
    expect((await give(longest)).body).toMatchObject(longest)
  })
})

test('who created them is forgotten with the user', async () => {
  const leaving = await server.user(`leaving${count}`)
  await server.make.member(at, leaving, 40)
  const { body } = await leaving.post(path, { name: 'left' })
  await leaving.post(`${path}/${body.id}/tokens`, { name: 'a' })
  expect((await server.root.delete(`/users/${leaving.id}?hard_delete=true`)).status).toBe(204)
  await server.app.platform.jobs.drain()
  expect((await people.developer.get(`${path}/${body.id}`)).body.created_by_user_id).toBeNull()
  expect((await people.developer.get(`${path}/${body.id}/tokens`)).body[0].created_by_user_id).toBeNull()
})
