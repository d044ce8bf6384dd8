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

test.each(['project', 'group'] as const)(
  'the picture of a %s on the web is for those who see it, and so are caches',
  async (kind) => {
    const { body } = await owner.post(`/${kind}s`, { name: 'hung', path: 'hung', visibility: 'private' })
    const form = new FormData()
    form.append('avatar', new Blob([new Uint8Array(png)]), 'logo.png')
    const { avatar_url: url } = (await owner.put(`/${kind}s/${body.id}`, form)).body
    const path = `root:${new URL(url).pathname}`
    const seenBy = async (client: typeof server.anonymous) => {
      const { status, headers } = await client.get(path)
      return [status, headers.get('cache-control')]
    }
    expect(await seenBy(owner)).toEqual([200, 'private, max-age=300'])
    expect((await owner.get(`/${kind}s/${body.id}/avatar`)).headers.get('cache-control')).toBe('private, max-age=300')
    for (const other of [stranger, server.anonymous]) expect((await other.get(path)).status).toBe(404)
    await owner.put(`/${kind}s/${body.id}`, { visibility: 'public' })
    for (const other of [stranger, server.anonymous]) expect(await seenBy(other)).toEqual([200, 'public, max-age=300'])
  },
)

test('the project of file templates of a group is one that the owner sees', async () => {
  const { body: group } = await owner.post('/groups', { name: 'templates', path: 'templates' })
  const own = await server.make.project('templates', owner)
  const hidden = await server.make.project('hidden', stranger)
  const set = async (id: number | null) => {
    const { status, body } = await owner.put(`/groups/${group.id}`, { file_template_project_id: id })
    return [status, status === 200 ? body.file_template_project_id : body.message]
  }
  const refused = [400, { file_template_project_id: ['is invalid'] }]
  expect(await set(hidden.id)).toEqual(refused)
  expect(await set(99_999)).toEqual(refused)
  expect(await set(own.id)).toEqual([200, own.id])
  expect(await set(null)).toEqual([200, null])
})
