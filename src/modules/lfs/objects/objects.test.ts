import { request as httpRequest } from 'node:http'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Person, queriesOf, type TestServer } from '../../../testing/index.ts'
import { authorizationOf, everyRole, type Lfs, mediaType, objectOf, startLfsServer, storedKeys } from '../testing.ts'
import { objectByOid } from './store.ts'

let server: TestServer
let lfs: Lfs
let owner: Person
let developer: Person
let reporter: Person
let guest: Person
let outsider: Person
beforeAll(async () => {
  ;({ server, lfs, owner, developer, reporter, guest, outsider } = await startLfsServer(everyRole))
})
afterAll(() => server.stop())

const help = () => ({ documentation_url: `${server.url}/help` })
const notFound = () => ({ message: 'Not found.', ...help() })
const forbidden = () => ({ message: 'Access forbidden. Check your access level.', ...help() })
const mismatch = () => ({ message: 'SHA256 or size mismatch', ...help() })

const project = (path: string, visibility?: 'private' | 'public') =>
  lfs.project(owner, path, { 30: developer, 20: reporter, 10: guest }, visibility)

describe('an object', () => {
  test('goes up and comes down by what a batch says', async () => {
    await project('way')
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

  test('may be read by everybody where the code may', async () => {
    await project('open', 'public')
    const object = objectOf()
    await lfs.put(owner, 'owner/open', object)
    const { body } = await lfs.batch(undefined, 'owner/open', 'download', [object])
    expect(body.objects[0].actions.download.header).toEqual({})
    expect((await lfs.get(undefined, 'owner/open', object)).bytes.equals(object.content)).toBe(true)
  })

  test('may be empty', async () => {
    await project('empty')
    const object = objectOf('')
    expect((await lfs.put(owner, 'owner/empty', object)).status).toBe(200)
    expect(await lfs.get(owner, 'owner/empty', object)).toMatchObject({ status: 200, body: '' })
  })

  test('comes in parts', async () => {
    await project('parts')
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
    for (const range of ['bytes=10-', 'bytes=-0', `bytes=${'9'.repeat(15)}-`]) {
      expect(await part(range)).toEqual([416, none, 'bytes */10'])
    }
    for (const range of [
      'bytes=5-3',
      'bytes=0-1,3-4',
      'lines=1-2',
      'bytes=a-b',
      'bytes=-',
      `bytes=${'9'.repeat(40)}-`,
    ]) {
      expect(await part(range), range).toEqual([200, '0123456789', null])
    }
    expect(await part('bytes=1-1', { 'If-Range': '"other"' })).toEqual([200, '0123456789', null])
    expect(await part('bytes=1-1', { 'If-Range': `"${object.oid}"` })).toEqual([206, '1', 'bytes 1-1/10'])
  })

  test('is kept only when it is what was named', async () => {
    await project('wrong')
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

  test('is refused as soon as more comes than was said', async () => {
    await project('endless')
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

  test('leaves nothing when its sender goes away', async () => {
    await project('away')
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

  test('may be sent by several at once, and is stored once', async () => {
    await project('twice')
    await lfs.project(owner, 'twice-too')
    const object = objectOf()
    const before = new Set(await storedKeys(server))
    const paths = ['owner/twice', 'owner/twice-too', 'owner/twice', 'owner/twice-too', 'owner/twice']
    const answers = await Promise.all(paths.map((path) => lfs.put(owner, path, object)))
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200])
    expect((await storedKeys(server)).filter((key) => !before.has(key))).toHaveLength(1)
    for (const path of paths) expect((await lfs.get(owner, path, object)).bytes.equals(object.content)).toBe(true)
  })

  test('of which the bytes have got lost is asked for again', async () => {
    await project('lost')
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

  test('that another project has is not to be had by its name alone', async () => {
    await project('secret')
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

describe('who may', () => {
  test('download: readers of the code; upload: those who push', async () => {
    await project('roles')
    const object = objectOf()
    await lfs.put(owner, 'owner/roles', object)
    const path = 'owner/roles'
    const reads = async (person?: Person) => [
      (await lfs.batch(person, path, 'download', [object])).status,
      (await lfs.get(person, path, object)).status,
    ]
    const writes = async (person?: Person) => [
      (await lfs.batch(person, path, 'upload', [object])).status,
      (await lfs.put(person, path, object)).status,
    ]
    expect([await reads(developer), await writes(developer)]).toEqual([
      [200, 200],
      [200, 200],
    ])
    expect([await reads(reporter), await writes(reporter)]).toEqual([
      [200, 200],
      [403, 403],
    ])
    expect([await reads(guest), await writes(guest)]).toEqual([
      [403, 403],
      [403, 403],
    ])
    expect([await reads(outsider), await writes(outsider)]).toEqual([
      [404, 404],
      [404, 404],
    ])
    expect([await reads(), await writes()]).toEqual([
      [401, 401],
      [401, 401],
    ])
    expect(await lfs.batch(reporter, path, 'upload', [object])).toMatchObject({ body: forbidden() })
    expect(await lfs.batch(guest, path, 'download', [object])).toMatchObject({ body: forbidden() })
    expect(await lfs.batch(outsider, path, 'download', [object])).toMatchObject({ body: notFound() })
    const missing = await lfs.batch(undefined, 'owner/nothing', 'download', [object])
    for (const answer of [missing, await lfs.batch(undefined, path, 'download', [object])]) {
      expect(answer.status).toBe(401)
      expect(answer.headers.get('lfs-authenticate')).toBe('Basic realm="GitLab"')
      expect(answer.headers.get('www-authenticate')).toBe('Basic realm="GitLab"')
      expect(answer.headers.get('content-type')).toBe(mediaType)
      expect(answer.body).toMatchObject({ message: expect.stringMatching(/^HTTP Basic: Access denied\./), ...help() })
    }
  })

  test('a public project: everybody reads, nobody but members writes', async () => {
    await project('common', 'public')
    const object = objectOf()
    expect((await lfs.batch(undefined, 'owner/common', 'upload', [object])).status).toBe(401)
    expect((await lfs.put(undefined, 'owner/common', object)).status).toBe(401)
    expect((await lfs.batch(outsider, 'owner/common', 'upload', [object])).status).toBe(403)
    expect((await lfs.batch(undefined, 'owner/common', 'download', [object])).status).toBe(200)
  })

  test('is a matter of the scopes of the token, and of good credentials', async () => {
    await project('scopes')
    const object = objectOf()
    const as = async (scopes: string[]) => ({ username: 'x', token: await server.make.token(owner, scopes) })
    const statuses = async (scopes: string[]) => {
      const login = await as(scopes)
      const operations = ['download', 'upload']
      return Promise.all(operations.map(async (one) => (await lfs.batch(login, 'owner/scopes', one, [object])).status))
    }
    expect(await statuses(['read_repository'])).toEqual([200, 403])
    expect(await statuses(['write_repository'])).toEqual([200, 200])
    expect(await statuses(['read_api'])).toEqual([403, 403])
    for (const token of ['wrong', '', 'glfs-x.y', `glfs-${'A'.repeat(20)}.${'B'.repeat(43)}`]) {
      const answer = await lfs.batch({ username: 'owner', token }, 'owner/scopes', 'download', [object])
      expect(answer.status, token).toBe(401)
    }
    for (const authorization of ['Bearer x', 'Basic', 'Basic ???']) {
      expect((await lfs.batch({ authorization }, 'owner/scopes', 'download', [object])).status).toBe(401)
    }
  })

  test('a deploy token reads', async () => {
    const made = await project('deploy')
    const object = objectOf()
    await lfs.put(owner, 'owner/deploy', object)
    const wanted = { name: 'reader', scopes: ['read_repository'] }
    const { body } = await owner.post(`/projects/${made.id}/deploy_tokens`, wanted)
    expect((await lfs.get(body, 'owner/deploy', object)).status).toBe(200)
    expect((await lfs.batch(body, 'owner/deploy', 'upload', [object])).status).toBe(403)
    const locked = await lfs.ask(body, 'owner/deploy.git/info/lfs/locks', { body: { path: 'a' } })
    expect(locked.status).toBe(403)
  })

  test('nobody writes to what is archived, and uploading makes no project', async () => {
    const made = await project('archived')
    const object = objectOf()
    await lfs.put(owner, 'owner/archived', object)
    await owner.post(`/projects/${made.id}/archive`)
    expect((await lfs.get(reporter, 'owner/archived', object)).status).toBe(200)
    expect(await lfs.put(owner, 'owner/archived', object)).toMatchObject({ status: 403, body: forbidden() })
    expect((await lfs.batch(owner, 'owner/unmade', 'upload', [object])).status).toBe(404)
    expect((await lfs.put(owner, 'owner/unmade', object)).status).toBe(404)
    expect((await owner.get('/projects/owner%2Funmade')).status).toBe(404)
  })

  test('nobody where it is switched off, in the project or in a group above it', async () => {
    const made = await project('off')
    const object = objectOf()
    await owner.put(`/projects/${made.id}`, { lfs_enabled: false })
    const disabled = { message: 'Git LFS is not enabled on this GitLab server, contact your admin.', ...help() }
    expect(await lfs.batch(owner, 'owner/off', 'download', [object])).toMatchObject({ status: 501, body: disabled })
    expect((await lfs.put(owner, 'owner/off', object)).status).toBe(501)
    expect((await lfs.ask(reporter, 'owner/off.git/info/lfs/locks')).status).toBe(501)
    expect((await lfs.batch(outsider, 'owner/off', 'download', [object])).status).toBe(404)
    const group = await server.make.group('without', owner)
    const inner = await server.make.group('inner', owner, { parent: group })
    await server.make.project('below', owner, { namespace: inner })
    expect((await lfs.batch(owner, 'without/inner/below', 'download', [object])).status).toBe(200)
    expect((await owner.put(`/groups/${group.id}`, { lfs_enabled: false })).status).toBe(200)
    expect((await lfs.batch(owner, 'without/inner/below', 'download', [object])).status).toBe(501)
  })

  test('nobody by HTTP where git goes by SSH alone', async () => {
    await project('ssh-only', 'public')
    await server.root.put('/application/settings', { enabled_git_access_protocol: 'ssh' })
    const answer = await lfs.batch(owner, 'owner/ssh-only', 'download', [objectOf()])
    await server.root.put('/application/settings', { enabled_git_access_protocol: 'all' })
    const refused = { message: 'Git access over HTTP is not allowed', ...help() }
    expect(answer).toMatchObject({ status: 403, body: refused })
  })

  test('no wiki has large files, and a moved project is found', async () => {
    const made = await project('moving')
    const object = objectOf()
    await lfs.put(owner, 'owner/moving', object)
    expect((await lfs.batch(owner, 'owner/moving.wiki', 'download', [object])).status).toBe(404)
    await owner.put(`/projects/${made.id}`, { path: 'moved' })
    const { body } = await lfs.batch(owner, 'owner/moving', 'download', [object])
    const href = `${server.url}/owner/moved.git/gitlab-lfs/objects/${object.oid}`
    expect(body.objects[0].actions.download.href).toBe(href)
  })
})

describe('a batch that is none', () => {
  test('is refused', async () => {
    await project('hostile')
    const object = objectOf()
    const path = 'owner/hostile.git/info/lfs/objects/batch'
    const answer = async (body: unknown, headers = {}) => {
      const { status, body: said } = await lfs.ask(owner, path, { body, headers, method: 'POST' })
      return [status, said.message]
    }
    const operation = 'operation must be download or upload'
    expect(await answer({ objects: [object] })).toEqual([400, operation])
    expect(await answer({ operation: ['download'], objects: [object] })).toEqual([400, operation])
    expect(await answer({ operation: 'verify', objects: [object] })).toEqual([400, operation])
    expect(await answer({ operation: 'download' })).toEqual([404, 'Not found.'])
    expect(await answer({ operation: 'download', objects: [] })).toEqual([404, 'Not found.'])
    expect(await answer({ operation: 'download', objects: { a: 1 } })).toEqual([400, 'objects is invalid'])
    expect(await answer('{')).toEqual([400, 'The request is no JSON'])
    expect(await answer('[]')).toEqual([400, 'The request is invalid'])
    expect(await answer('null')).toEqual([400, 'The request is invalid'])
    const wrongType = 'The request must be application/vnd.git-lfs+json'
    expect(await answer('{}', { 'Content-Type': 'text/plain' })).toEqual([415, wrongType])
    expect(await answer(`"${'x'.repeat(300_000)}"`)).toEqual([413, 'The request is too large'])
    const many = Array.from({ length: 101 }, () => ({ oid: object.oid, size: 1 }))
    const tooMany = 'At most 100 objects may be asked for at once'
    expect(await answer({ operation: 'download', objects: many })).toEqual([413, tooMany])
    const sha512 = { operation: 'download', objects: [object], hash_algo: 'sha512' }
    expect(await answer(sha512)).toEqual([409, 'Objects are named by their SHA-256 only'])
    expect(await lfs.ask(owner, path)).toMatchObject({ status: 404, body: notFound() })
    expect((await lfs.ask(owner, 'owner/hostile.git/info/lfs/other')).status).toBe(404)
    expect((await lfs.ask(owner, 'owner%2Fhostile.git/info/lfs/locks')).status).toBe(200)
    expect((await lfs.ask(owner, 'owner/%zz.git/info/lfs/locks')).status).toBe(404)
    expect((await lfs.ask(owner, 'owner/%00.git/info/lfs/locks')).status).toBe(404)
  })

  test('tells of each object what is wrong with it', async () => {
    await project('mixed')
    const object = objectOf()
    await lfs.put(owner, 'owner/mixed', object)
    const invalid = { code: 422, message: 'Object is invalid' }
    const objects = [
      object,
      { oid: object.oid, size: 5 },
      { oid: object.oid.toUpperCase(), size: 5 },
      { oid: '../../etc/passwd', size: 5 },
      { oid: object.oid, size: -1 },
      { oid: object.oid, size: '5' },
      { oid: object.oid, size: 1e300 },
      { oid: { a: 1 }, size: 1 },
      {},
    ]
    for (const operation of ['download', 'upload']) {
      const { status, body } = await lfs.batch(owner, 'owner/mixed', operation, objects)
      expect(status).toBe(200)
      const errors = body.objects.map(({ error }: { error?: unknown }) => error ?? null)
      const otherSize = { code: 422, message: 'Object has another size' }
      expect(errors).toEqual([null, otherSize, ...Array.from({ length: 7 }, () => invalid)])
    }
    const { body } = await lfs.ask(owner, 'owner/mixed.git/info/lfs/objects/batch', {
      body: { operation: 'upload', objects: [null, 7, 'x'] },
    })
    expect(body.objects.map(({ error }: { error: unknown }) => error)).toEqual([invalid, invalid, invalid])
  })

  test('costs the same for one object and for a hundred', async () => {
    await project('costs')
    const objects = Array.from({ length: 100 }, (_, index) => objectOf(`object ${index}`))
    for (const object of objects) await lfs.put(owner, 'owner/costs', object)
    for (const operation of ['download', 'upload']) {
      const cost = (count: number) =>
        queriesOf(server, () => lfs.batch(owner, 'owner/costs', operation, objects.slice(0, count)))
      expect(await cost(100)).toBe(await cost(2))
    }
  })

  test('no address of an object leads anywhere else', async () => {
    await project('paths')
    const object = objectOf()
    for (const rest of ['x', '..%2f..%2fx', object.oid.slice(1), `${object.oid}/1`, `${object.oid}%00`]) {
      expect((await lfs.ask(owner, `owner/paths.git/gitlab-lfs/objects/${rest}`)).status).toBe(404)
    }
    for (const size of ['-1', '1e3', 'x', '9'.repeat(16)]) {
      const path = `owner/paths.git/gitlab-lfs/objects/${object.oid}/${size}`
      expect((await lfs.ask(owner, path, { method: 'PUT', body: 'x' })).status).toBe(404)
    }
  })
})

describe('what projects take up', () => {
  test('is summed up for their groups', async () => {
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

  test('is told in their statistics, and their raw files are what pointers stand for', async () => {
    const made = await project('statistics')
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
