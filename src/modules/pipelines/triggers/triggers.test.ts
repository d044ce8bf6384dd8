import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Person, queriesOf, startTestServer, type TestServer } from '../../../testing/index.ts'

let server: TestServer
let owner: Person
let maintainer: Person
let base: string
beforeAll(async () => {
  server = await startTestServer()
  owner = await server.user('owner')
  maintainer = await server.user('maintainer')
  const project = await server.make.project('triggered', owner)
  await server.make.member({ project }, maintainer, 40)
  base = `/projects/${project.id}/triggers`
})
afterAll(() => server.stop())

async function created(person: Person, body: object = { description: 'nightly' }, at = base) {
  const answer = await person.post(at, body)
  expect(answer).toMatchObject({ status: 201 })
  return answer.body
}

describe('a trigger', () => {
  test('shows its token to its owner only', async () => {
    const trigger = await created(maintainer, { description: 'deploy', expires_at: '2999-01-01T00:00:00Z' })
    const moment = expect.stringMatching(/^\d{4}-.*Z$/)
    const shown = {
      ...{ id: expect.any(Number), description: 'deploy', created_at: moment, updated_at: moment, deleted_at: null },
      ...{ last_used: null, expires_at: '2999-01-01T00:00:00.000Z' },
      token: expect.stringMatching(/^glptt-[A-Za-z0-9_-]{20}$/),
      owner: expect.objectContaining({ id: maintainer.id, username: 'maintainer' }),
    }
    expect(trigger).toEqual(shown)
    const path = `${base}/${trigger.id}`
    expect((await maintainer.get(path)).body).toEqual(trigger)
    expect((await owner.get(path)).body).toEqual({ ...trigger, token: 'glpt' })
    expect((await server.root.get(path)).body.token).toBe('glpt')
    const rows = await server.app.platform.database.read.selectFrom('ci_triggers').selectAll().execute()
    expect(JSON.stringify(rows)).not.toContain(trigger.token)
  })

  test('is changed by its owner only', async () => {
    const { id } = await created(maintainer)
    const path = `${base}/${id}`
    expect(await maintainer.put(path, { description: '🦊' })).toMatchObject({
      status: 200,
      body: { description: '🦊' },
    })
    expect(await maintainer.put(path)).toMatchObject({ status: 200, body: { description: '🦊' } })
    for (const other of [owner, server.root]) {
      const answer = await other.put(path, { description: 'mine' })
      expect(answer).toMatchObject({ status: 403, body: { message: '403 Forbidden' } })
    }
    expect((await owner.get(path)).body.description).toBe('🦊')
  })

  test('is deleted by every maintainer, once', async () => {
    const path = `${base}/${(await created(maintainer)).id}`
    const headers = { 'If-Unmodified-Since': 'Wed, 01 Jan 2020 00:00:00 GMT' }
    expect((await owner.delete(path, { headers })).status).toBe(412)
    const answers = await Promise.all([owner.delete(path), owner.delete(path)])
    expect(answers.map(({ status }) => status).toSorted()).toEqual([204, 404])
    const unknown = { status: 404, body: { message: '404 Not found' } }
    expect(await owner.get(path)).toMatchObject(unknown)
    expect(await owner.put(path, { description: 'x' })).toMatchObject(unknown)
  })

  test('is not found in another project', async () => {
    const { id } = await created(owner)
    const other = await server.make.project('other', owner)
    for (const answer of await Promise.all([
      owner.get(`/projects/${other.id}/triggers/${id}`),
      owner.delete(`/projects/${other.id}/triggers/${id}`),
    ])) {
      expect(answer).toMatchObject({ status: 404, body: { message: '404 Not found' } })
    }
    expect((await owner.get(`${base}/${id}`)).status).toBe(200)
  })

  test('ends with the account of its owner', async () => {
    const leaving = await server.user('leaving')
    const project = await server.make.project('left', owner)
    await server.make.member({ project }, leaving, 40)
    const { id } = await created(leaving, undefined, `/projects/${project.id}/triggers`)
    expect((await server.root.delete(`/users/${leaving.id}?hard_delete=true`)).status).toBe(204)
    await server.app.platform.jobs.drain()
    expect((await owner.get(`/projects/${project.id}/triggers/${id}`)).status).toBe(404)
  })

  test('needs a description', async () => {
    expect(await owner.post(base)).toMatchObject({
      status: 400,
      body: { message: '400 (Bad request) "description" not given', error: 'description is missing' },
    })
    const odd = [{ a: 1 }, 'a\u0000b', '\ud83d', 'x'.repeat(1_048_577)]
    for (const description of odd) expect((await owner.post(base, { description })).status).toBe(400)
    expect((await owner.post(base, { description: 'x', expires_at: 'soon' })).body.error).toBe('expires_at is invalid')
  })

  test('is refused where pipelines are disabled', async () => {
    const project = await server.make.project('disabled', owner)
    await owner.put(`/projects/${project.id}`, { builds_access_level: 'disabled' })
    for (const answer of [
      await owner.get(`/projects/${project.id}/triggers`),
      await owner.post(`/projects/${project.id}/triggers`, { description: 'x' }),
    ]) {
      expect(answer).toMatchObject({ status: 403, body: { message: '403 Forbidden' } })
    }
  })
})

test('the list is in the order of ids, with a constant number of queries', async () => {
  const project = await server.make.project('listed', owner)
  await server.make.member({ project }, maintainer, 40)
  const path = `/projects/${project.id}/triggers`
  for (const person of [owner, maintainer, owner]) await created(person, { description: person.username }, path)
  const first = await owner.get(`${path}?per_page=2`)
  expect(first.body.map(({ description }: { description: string }) => description)).toEqual(['owner', 'maintainer'])
  expect(first.body.map(({ token }: { token: string }) => token.length)).toEqual([26, 4])
  expect(first.headers.get('x-next-page')).toBe('2')
  const few = await queriesOf(server, () => owner.get(`${path}?per_page=1`))
  const many = await queriesOf(server, () => owner.get(`${path}?per_page=3`))
  expect(many).toBe(few)
})
