import { request as httpRequest } from 'node:http'
import { describe, expect, test } from 'vitest'
import {
  authorizationOf,
  developer,
  help,
  lfs,
  mediaType,
  notFound,
  objectOf,
  outsider,
  owner,
  projectOfOwner,
  reporter,
  serveForTests,
  server,
  storedKeys,
} from '../testing.ts'
import { objectByOid } from './store.ts'

serveForTests()

const mismatch = () => ({ message: 'SHA256 or size mismatch', ...help() })

describe('an object', () => {
  test('is uploaded and downloaded by the actions of a batch', async () => {
    await projectOfOwner('way')
    const object = objectOf()
    const named = { oid: object.oid, size: object.size }
    const href = `${server.url}/owner/way.git/gitlab-lfs/objects/${object.oid}`
    const Authorization = authorizationOf(developer)
    const up = await lfs.batch(developer, 'owner/way', 'upload', [object])
    expect(up.status).toBe(200)
    expect(up.headers.get('content-type')).toBe(mediaType)
    expect(up.body).toEqual({
      objects: [
        {
          ...named,
          authenticated: true,
          actions: {
            upload: {
              href: `${href}/${object.size}`,
              header: { Authorization, 'Content-Type': 'application/octet-stream' },
            },
          },
        },
      ],
    })
    const missing = {
      code: 404,
      message: "Object does not exist on the server or you don't have permissions to access it",
    }
    expect((await lfs.batch(developer, 'owner/way', 'download', [object])).body).toEqual({
      objects: [{ ...named, error: missing }],
    })
    const { href: to, header } = up.body.objects[0].actions.upload
    const put = await fetch(to, { method: 'PUT', headers: header, body: object.content as never })
    expect([put.status, await put.text()]).toEqual([200, ''])
    expect((await lfs.batch(developer, 'owner/way', 'upload', [object])).body).toEqual({ objects: [named] })
    expect((await lfs.batch(reporter, 'owner/way', 'download', [object])).body).toEqual({
      objects: [
        {
          ...named,
          authenticated: true,
          actions: { download: { href, header: { Authorization: authorizationOf(reporter) } } },
        },
      ],
    })
    const got = await lfs.get(reporter, 'owner/way', object)
    expect(got.status).toBe(200)
    expect(got.bytes.equals(object.content)).toBe(true)
    expect(got.headers.get('content-type')).toBe('application/octet-stream')
    expect(got.headers.get('content-length')).toBe('1000')
    expect(got.headers.get('x-content-type-options')).toBe('nosniff')
  })

  test('can be read by anonymous users where they can read the code', async () => {
    await projectOfOwner('open', 'public')
    const object = objectOf()
    await lfs.put(owner, 'owner/open', object)
    const { body } = await lfs.batch(undefined, 'owner/open', 'download', [object])
    expect(body.objects[0].actions.download.header).toEqual({})
    expect((await lfs.get(undefined, 'owner/open', object)).bytes.equals(object.content)).toBe(true)
  })

  test('may be empty', async () => {
    await projectOfOwner('empty')
    const object = objectOf('')
    expect((await lfs.put(owner, 'owner/empty', object)).status).toBe(200)
    expect(await lfs.get(owner, 'owner/empty', object)).toMatchObject({ status: 200, body: '' })
  })

  test('is downloaded in ranges', async () => {
    await projectOfOwner('parts')
    const object = objectOf('0123456789')
    await lfs.put(owner, 'owner/parts', object)
    const part = async (range: string, more: Record<string, string> = {}) => {
      const { status, headers, body } = await lfs.get(owner, 'owner/parts', object, { Range: range, ...more })
      return [status, body, headers.get('content-range')]
    }
    expect(await part('bytes=3-5')).toEqual([206, '345', 'bytes 3-5/10'])
    expect(await part('bytes=7-')).toEqual([206, '789', 'bytes 7-9/10'])
    expect(await part('bytes=7-100')).toEqual([206, '789', 'bytes 7-9/10'])
    expect(await part('bytes=-2')).toEqual([206, '89', 'bytes 8-9/10'])
    expect(await part('bytes=-20')).toEqual([206, '0123456789', 'bytes 0-9/10'])
    const none = { message: 'Range not satisfiable', ...help() }
    for (const range of ['bytes=10-', 'bytes=-0', 'bytes=5-3', `bytes=${'9'.repeat(40)}-`]) {
      expect(await part(range)).toEqual([416, none, 'bytes */10'])
    }
    for (const range of ['bytes=0-1,3-4', 'lines=1-2', 'bytes=a-b', 'bytes=-']) {
      expect(await part(range), range).toEqual([200, '0123456789', null])
    }
    expect(await part('bytes=1-1', { 'If-Range': '"other"' })).toEqual([200, '0123456789', null])
    expect(await part('bytes=1-1', { 'If-Range': `"${object.oid}"` })).toEqual([206, '1', 'bytes 1-1/10'])
  })

  test('is stored only with the announced digest and size', async () => {
    await projectOfOwner('wrong')
    const object = objectOf()
    const before = await storedKeys(server)
    const other = objectOf()
    const attempts = [
      { ...object, content: other.content },
      { ...object, size: 999 },
      { ...object, size: 1001 },
      { ...object, content: object.content.subarray(1) },
      { ...object, content: Buffer.alloc(0) },
    ]
    for (const attempt of attempts) {
      expect(await lfs.put(owner, 'owner/wrong', attempt)).toMatchObject({ status: 400, body: mismatch() })
    }
    expect(await storedKeys(server)).toEqual(before)
    expect((await lfs.get(owner, 'owner/wrong', object)).status).toBe(404)
    expect(await objectByOid(server.app.platform.database.read, object.oid)).toBeNull()
  })

  test('is refused as soon as it exceeds the announced size', async () => {
    await projectOfOwner('endless')
    const object = objectOf('short')
    const url = new URL(`${server.url}/owner/endless.git/gitlab-lfs/objects/${object.oid}/${object.size}`)
    const status = await new Promise((resolve, reject) => {
      const headers = { Authorization: authorizationOf(owner) as string, 'Transfer-Encoding': 'chunked' }
      const sending = httpRequest(url, { method: 'PUT', headers }, (response) => {
        resolve(response.statusCode)
        sending.destroy()
      })
      sending.on('error', reject)
      // Never ended.
      sending.write('too much')
    })
    expect(status).toBe(400)
  })

  test('leaves no bytes when the client disconnects', async () => {
    await projectOfOwner('away')
    const object = objectOf(Buffer.alloc(100_000, 'x'))
    const url = new URL(`${server.url}/owner/away.git/gitlab-lfs/objects/${object.oid}/${object.size}`)
    const headers = { Authorization: authorizationOf(owner) as string, 'Content-Length': object.size }
    const sending = httpRequest(url, { method: 'PUT', headers })
    const gone = new Promise((resolve) => sending.once('close', resolve))
    sending.on('error', () => {})
    await new Promise((resolve) => sending.write(object.content.subarray(0, 1000), resolve))
    sending.destroy()
    await gone
    expect((await lfs.get(owner, 'owner/away', object)).status).toBe(404)
    expect((await lfs.put(owner, 'owner/away', object)).status).toBe(200)
  })

  test('can be uploaded by several clients at once, and is stored once', async () => {
    await projectOfOwner('twice')
    await lfs.project(owner, 'twice-too')
    const object = objectOf()
    const before = new Set(await storedKeys(server))
    const paths = ['owner/twice', 'owner/twice-too', 'owner/twice', 'owner/twice-too', 'owner/twice']
    const answers = await Promise.all(paths.map((path) => lfs.put(owner, path, object)))
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200])
    expect((await storedKeys(server)).filter((key) => !before.has(key))).toHaveLength(1)
    for (const path of paths) expect((await lfs.get(owner, path, object)).bytes.equals(object.content)).toBe(true)
  })

  test('is requested again when its bytes are missing', async () => {
    await projectOfOwner('lost')
    const object = objectOf()
    await lfs.put(owner, 'owner/lost', object)
    const { database, objects } = server.app.platform
    await objects.delete((await objectByOid(database.read, object.oid))?.storage_key as never)
    expect(await lfs.get(owner, 'owner/lost', object)).toMatchObject({ status: 404, body: notFound() })
    const { body } = await lfs.batch(owner, 'owner/lost', 'upload', [object])
    expect(body.objects[0].actions.upload).toBeDefined()
    expect((await lfs.put(owner, 'owner/lost', object)).status).toBe(200)
    expect((await lfs.get(owner, 'owner/lost', object)).bytes.equals(object.content)).toBe(true)
  })

  test('of another project cannot be linked by its digest alone', async () => {
    await projectOfOwner('secret')
    await lfs.project(outsider, 'mine')
    const object = objectOf()
    await lfs.put(owner, 'owner/secret', object)
    expect((await lfs.get(outsider, 'outsider/mine', object)).status).toBe(404)
    const asked = await lfs.batch(outsider, 'outsider/mine', 'upload', [object])
    expect(asked.body.objects[0].actions.upload).toBeDefined()
    expect((await lfs.batch(outsider, 'outsider/mine', 'download', [object])).body.objects[0].error.code).toBe(404)
    const guessed = { ...object, content: Buffer.alloc(object.size) }
    expect((await lfs.put(outsider, 'outsider/mine', guessed)).status).toBe(400)
    expect((await lfs.get(outsider, 'outsider/mine', object)).status).toBe(404)
    expect((await lfs.put(outsider, 'outsider/mine', object)).status).toBe(200)
    expect((await lfs.get(outsider, 'outsider/mine', object)).status).toBe(200)
  })
})

describe('the size of objects', () => {
  test('is summed up in the statistics of groups', async () => {
    const group = await server.make.group('summed', owner)
    const below = await server.make.group('below', owner, { parent: group })
    await server.make.project('near', owner, { namespace: group })
    await server.make.project('far', owner, { namespace: below })
    await lfs.put(owner, 'summed/near', objectOf(Buffer.alloc(100)))
    await lfs.put(owner, 'summed/near', objectOf(Buffer.alloc(20)))
    await lfs.put(owner, 'summed/below/far', objectOf(Buffer.alloc(3)))
    const { body } = await server.root.get('/groups?search=summed&statistics=true')
    expect(body[0].statistics).toMatchObject({ storage_size: 120, lfs_objects_size: 120 })
    expect(body[0].root_storage_statistics).toMatchObject({ storage_size: 123, lfs_objects_size: 123 })
  })

  test('is in the statistics of projects, and raw files contain the objects', async () => {
    const made = await projectOfOwner('statistics')
    await lfs.put(owner, 'owner/statistics', objectOf(Buffer.alloc(3000)))
    const object = objectOf('the large file')
    await lfs.put(owner, 'owner/statistics', object)
    const { body } = await owner.get(`/projects/${made.id}?statistics=true`)
    expect(body.statistics.lfs_objects_size).toBe(3014)
    expect(body.statistics.storage_size).toBeGreaterThanOrEqual(3014)
    const content = `version https://git-lfs.github.com/spec/v1\noid sha256:${object.oid}\nsize ${object.size}\n`
    const file = { branch: 'main', commit_message: 'Add', content }
    expect((await owner.post(`/projects/${made.id}/repository/files/large.bin`, file)).status).toBe(201)
    const raw = `/projects/${made.id}/repository/files/large.bin/raw`
    expect((await reporter.get(raw)).body).toBe(content)
    const whole = await reporter.get(`${raw}?lfs=true`)
    expect([whole.body, whole.headers.get('content-length')]).toEqual(['the large file', '14'])
    const missing = { ...file, content: content.replace(object.oid, objectOf().oid) }
    await owner.post(`/projects/${made.id}/repository/files/missing.bin`, missing)
    const pointer = await reporter.get(`/projects/${made.id}/repository/files/missing.bin/raw?lfs=true`)
    expect(pointer.body).toBe(missing.content)
  })
})
