/** Exemptions from limits of storage (contract 25, and step 13 of the acceptance walk). */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestServer, type TestServer } from '../../testing/index.ts'

let server: TestServer
let group: number
beforeAll(async () => {
  server = await startTestServer()
  group = (await server.root.post('/groups', { name: 'Name of g', path: 'g' })).body.id
})
afterAll(() => server.stop())

const all = '/namespaces/storage/limit_exclusions'
const one = (namespace: number | string) => `/namespaces/${namespace}/storage/limit_exclusion`
const reasoned = { reason: 'They paid <b>more</b> ü💥' }

test('without plans every operation is refused', async () => {
  const refused = { status: 403, body: { message: '403 Forbidden - this API is for GitLab.com only' } }
  expect(await server.root.get(all)).toMatchObject(refused)
  expect(await server.root.post(one(group), {})).toMatchObject(refused)
  expect(await server.root.delete(one(group))).toMatchObject(refused)
  expect((await server.anonymous.get(all)).status).toBe(401)
})

test('with plans a root namespace is excluded once, listed, and included again', async () => {
  const { root } = server
  await root.put('/application/settings', { check_namespace_plan: true })
  const user = await server.user('reader')
  expect((await user.get(all)).body).toEqual({ message: '403 Forbidden' })
  expect(await root.get(all)).toMatchObject({ status: 200, body: [] })
  const made = await root.post(one(group), reasoned)
  const exclusion = { id: made.body.id, namespace_id: group, namespace_name: 'Name of g', ...reasoned }
  expect([made.status, made.body]).toEqual([201, exclusion])
  expect(await root.post(one('g'), reasoned)).toMatchObject({
    status: 400,
    body: { message: '400 Bad request - already excluded' },
  })
  const second = await root.post(one('reader'), reasoned)
  expect((await root.get(all)).body).toEqual([exclusion, second.body])
  expect((await root.get(`${all}?per_page=1&page=2`)).body).toEqual([second.body])
  expect((await root.delete(one('g'))).status).toBe(204)
  expect(await root.delete(one('g'))).toMatchObject({
    status: 400,
    body: { message: '400 Bad request - not excluded' },
  })
  const sub = (await root.post('/groups', { name: 'sub', path: 'sub', parent_id: group })).body.id
  for (const answer of [await root.post(one(sub), reasoned), await root.delete(one(encodeURIComponent('g/sub')))]) {
    expect(answer).toMatchObject({ status: 400, body: { message: '400 Bad request - must use a root namespace' } })
  }
  for (const key of ['none', 999_999, '..%2Fg', '9'.repeat(30)]) {
    const answer = await root.post(one(key), reasoned)
    expect(answer).toMatchObject({ status: 404, body: { message: '404 Namespace Not Found' } })
  }
  expect((await root.post(one(group), {})).body.error).toBe('reason is missing')
  for (const reason of ['', ' ', 'x'.repeat(256), { a: 1 }]) {
    expect((await root.post(one(group), { reason })).status).toBe(400)
  }
  const both = await Promise.all([1, 2].map(() => root.post(one(group), reasoned)))
  expect(both.map(({ status }) => status).sort()).toEqual([201, 400])
  await root.delete(`/users/${user.id}?hard_delete=true`)
  await server.app.platform.jobs.drain()
  expect((await root.get(all)).body).toMatchObject([{ namespace_id: group }])
})
