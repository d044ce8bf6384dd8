import { Readable } from 'node:stream'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { storageKey } from '../../../infra/objects/index.ts'
import { modules } from '../../../modules.ts'
import { startTestServer, type TestServer } from '../../../testing/index.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.stop())

const bytes = (...parts: (string | number[])[]) =>
  Buffer.concat([
    ...parts.map((part) => (typeof part === 'string' ? Buffer.from(part, 'latin1') : Buffer.from(part))),
    Buffer.alloc(64),
  ])
const png = bytes([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])

function form(content: Buffer, filename: string, fields: Record<string, string> = {}): FormData {
  const data = new FormData()
  for (const [name, value] of Object.entries(fields)) data.append(name, value)
  data.append('avatar', new Blob([new Uint8Array(content)], { type: 'text/html' }), filename)
  return data
}

/** Fetches an address of the server, whole. */
async function fetched(url: string, init: RequestInit = {}) {
  const response = await fetch(url, init)
  return { status: response.status, headers: response.headers, content: Buffer.from(await response.arrayBuffer()) }
}

const unsupported =
  'file format is not supported. Please try one of the following supported formats: image/png, image/jpeg, image/gif, ' +
  'image/bmp, image/tiff, image/vnd.microsoft.icon'

describe('an avatar', () => {
  test('is created with a user and served publicly', async () => {
    const fields = { email: 'pic@example.com', name: 'Pic', username: 'pic', password: 'korrekt-horse-9' }
    const { status, body } = await server.root.post('/users', form(png, 'me & you.png', fields))
    expect(status).toBe(201)
    expect(body.avatar_url).toBe(`${server.url}/uploads/-/system/user/avatar/${body.id}/me_you.png`)
    const { status: found, headers, content } = await fetched(body.avatar_url)
    expect(found).toBe(200)
    expect(content.equals(png)).toBe(true)
    expect(headers.get('content-type')).toBe('image/png')
    expect(headers.get('content-length')).toBe(String(png.length))
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(headers.get('content-disposition')).toBe('inline; filename="me_you.png"')
    expect(headers.get('content-security-policy')).toBe("default-src 'none'; sandbox")
    const head = await fetched(body.avatar_url, { method: 'HEAD' })
    expect({ status: head.status, size: head.content.length }).toEqual({ status: 200, size: 0 })
    const withBadToken = await fetched(body.avatar_url, { headers: { 'PRIVATE-TOKEN': 'glpat-nonsense-nonsense' } })
    expect(withBadToken.status).toBe(200)
  })

  test('is replaced, and removed by an empty value', async () => {
    const user = await server.user('mona')
    const first = await server.root.put(`/users/${user.id}`, form(png, 'one.png'))
    const gif = bytes('GIF89a')
    const second = await server.root.put(`/users/${user.id}`, form(gif, 'two.gif'))
    expect(second.status).toBe(200)
    expect((await fetched(first.body.avatar_url)).status).toBe(404)
    expect((await fetched(second.body.avatar_url)).content.equals(gif)).toBe(true)
    expect((await server.root.put(`/users/${user.id}`, { bio: 'x' })).body.avatar_url).toBe(second.body.avatar_url)
    expect((await server.root.put(`/users/${user.id}`, { avatar: '' })).body.avatar_url).toBeNull()
    const gone = await fetched(second.body.avatar_url)
    expect({ status: gone.status, body: gone.content.toString() }).toEqual({
      status: 404,
      body: '{"message":"404 Not Found"}',
    })
  })

  test('of the same name as the one before is stored by another key', async () => {
    const { objects } = server.app.platform
    const user = await server.user('twice')
    const keys = async () =>
      (await Array.fromAsync(objects.list(storageKey('avatars', 'user', user.id)))).map(({ key }) => key)
    const first = await server.root.put(`/users/${user.id}`, form(png, 'same.png'))
    const before = await keys()
    const other = Buffer.concat([png, png])
    const second = await server.root.put(`/users/${user.id}`, form(other, 'same.png'))
    expect(second.body.avatar_url).toBe(first.body.avatar_url)
    expect((await fetched(second.body.avatar_url)).content.equals(other)).toBe(true)
    const after = await keys()
    expect([before.length, after.length]).toEqual([1, 1])
    expect(after).not.toEqual(before)
  })

  test('of a row without a key of the upload is served, and removed when it is replaced', async () => {
    const { objects, database } = server.app.platform
    const user = await server.user('former')
    const key = storageKey('avatars', 'user', user.id, 'old.png')
    await objects.put(key, Readable.from([png]), { sizeBytes: png.length })
    const address = `${server.url}/uploads/-/system/user/avatar/${user.id}/old.png`
    expect((await fetched(address)).status).toBe(404)
    await database.write((tx) => tx.updateTable('users').set({ avatar: 'old.png' }).where('id', '=', user.id).execute())
    expect((await server.root.get(`/users/${user.id}`)).body.avatar_url).toBe(address)
    expect((await fetched(address)).content.equals(png)).toBe(true)
    expect((await server.root.put(`/users/${user.id}`, form(png, 'old.png'))).body.avatar_url).toBe(address)
    expect(await objects.head(key)).toBeNull()
    expect((await fetched(address)).status).toBe(200)
  })

  test.each([
    ['a.jpg', bytes([0xff, 0xd8, 0xff, 0xe0]), 'image/jpeg', 'a.jpg'],
    ['a.html', bytes([0xff, 0xd8, 0xff, 0xe0]), 'image/jpeg', 'a.jpg'],
    ['a.gif', bytes('GIF87a'), 'image/gif', 'a.gif'],
    ['a', bytes('BM', [1, 0, 0, 0, 0, 0, 0, 0]), 'image/bmp', 'a.bmp'],
    ['a.tif', bytes('II*\0'), 'image/tiff', 'a.tif'],
    ['b.TIFF', bytes('MM\0*'), 'image/tiff', 'b.tiff'],
    ['a.ico', bytes([0, 0, 1, 0]), 'image/vnd.microsoft.icon', 'a.ico'],
    ['../../etc/passwd.png', png, 'image/png', 'passwd.png'],
    ['ünï.png', png, 'image/png', '_n_.png'],
    ['.png', png, 'image/png', '_png.png'],
  ])('called %j is known by its content', async (filename, content, type, name) => {
    const user = await server.user(`type-${Math.trunc(performance.now() * 1000)}`)
    const { status, body } = await server.root.put(`/users/${user.id}`, form(content, filename))
    expect(status).toBe(200)
    expect(body.avatar_url.split('/').at(-1)).toBe(name)
    expect((await fetched(body.avatar_url)).headers.get('content-type')).toBe(type)
  })

  test.each([
    ['a page', Buffer.from('<html><script>alert(1)</script></html>')],
    ['a drawing with scripts', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script/></svg>')],
    ['a text', Buffer.from('BMW is a maker of cars, and this is a text about it')],
    ['nothing', Buffer.alloc(0)],
  ])('that is %s is refused', async (_what, content) => {
    const user = await server.user(`wrong-${Math.trunc(performance.now() * 1000)}`)
    const { status, body } = await server.root.put(`/users/${user.id}`, form(content, 'a.png'))
    expect({ status, body }).toEqual({ status: 400, body: { message: { avatar: [unsupported] } } })
  })

  test('may have at most 200 KiB', async () => {
    const user = await server.user('large')
    const most = Buffer.concat([png, Buffer.alloc(200 * 1024 - png.length)])
    expect((await server.root.put(`/users/${user.id}`, form(most, 'a.png'))).status).toBe(200)
    const more = Buffer.concat([most, Buffer.alloc(1)])
    const { status, body } = await server.root.put(`/users/${user.id}`, form(more, 'a.png'))
    expect({ status, body }).toEqual({
      status: 400,
      body: { message: { avatar: ['is too big (should be at most 200 KiB)'] } },
    })
    const fields = { email: 'no@example.com', name: 'No', username: 'not-made', password: 'korrekt-horse-9' }
    expect((await server.root.post('/users', form(more, 'a.png', fields))).status).toBe(400)
    expect((await server.root.get('/users?username=not-made')).body).toEqual([])
  })

  test.each([
    '/uploads/-/system/user/avatar/1/none.png',
    '/uploads/-/system/user/avatar/1/..%2F..%2F1.png',
    '/uploads/-/system/user/avatar/..%2F1/a.png',
    '/uploads/-/system/other/avatar/1/a.png',
    '/uploads/-/system/user/avatar/1/a.svg',
    '/uploads/-/system/user/avatar/99999999999999999999/a.png',
  ])('%s is not there', async (path) => {
    expect((await fetched(server.url + path)).status).toBe(404)
  })

  test('that a backup retained is removed by the daily sweep, and that of a row stays', async () => {
    const { platform } = server.app
    const { body } = await server.root.put('/users/1', form(png, 'kept.png'))
    const keyOf = (owner: string, name: string) => storageKey('avatars', owner, 1, name)
    for (const owner of ['user', 'project', 'group', 'topic', 'appearance']) {
      await platform.objects.put(keyOf(owner, 'old.png'), Readable.from([png]), { sizeBytes: png.length })
    }
    const clock = { ...platform.clock, now: () => new Date(platform.clock.now().getTime() + 2 * 86_400_000) }
    const sweeps = modules.flatMap(({ jobs = [] }) => jobs).filter(({ kind }) => kind.endsWith('_avatars.sweep'))
    expect(sweeps).toHaveLength(5)
    const nothing = null as never
    const context = { signal: new AbortController().signal } as never
    for (const { run } of sweeps) await run(platform, nothing, context)
    expect(await platform.objects.head(keyOf('topic', 'old.png'))).not.toBeNull()
    for (const { run } of sweeps) await run({ ...platform, clock }, nothing, context)
    for (const owner of ['user', 'project', 'group', 'topic', 'appearance']) {
      expect([owner, await platform.objects.head(keyOf(owner, 'old.png'))]).toEqual([owner, null])
    }
    expect((await fetched(body.avatar_url)).status).toBe(200)
  })
})
