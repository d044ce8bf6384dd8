import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Person, startTestServer, type TestServer } from '../../../testing/index.ts'

let server: TestServer
let owner: Person
let stranger: Person
beforeAll(async () => {
  server = await startTestServer()
  owner = await server.user('owner')
  stranger = await server.user('stranger')
})
afterAll(() => server.stop())

const png = Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), Buffer.alloc(64)])

test.each(['project', 'group'] as const)('the picture of a %s is sent to those who see it', async (kind) => {
  const { body } = await owner.post(`/${kind}s`, { name: 'pictured', path: 'pictured', visibility: 'private' })
  const path = `/${kind}s/${body.id}`
  expect(await owner.get(`${path}/avatar`)).toMatchObject({ status: 404, body: { message: '404 Avatar Not Found' } })
  const form = new FormData()
  form.append('avatar', new Blob([new Uint8Array(png)]), 'logo.png')
  await owner.put(path, form)
  const headers = { 'PRIVATE-TOKEN': owner.token }
  const answer = await fetch(`${server.url}/api/v4${path}/avatar`, { headers })
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'image/png'])
  expect(Buffer.from(await answer.arrayBuffer()).equals(png)).toBe(true)
  for (const other of [stranger, server.anonymous]) expect((await other.get(`${path}/avatar`)).status).toBe(404)
})
