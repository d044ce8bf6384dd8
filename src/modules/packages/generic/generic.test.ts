import { describe, expect, test } from 'vitest'
import {
  basic,
  deployToken,
  newProject,
  people,
  publish,
  send,
  servePackagesForTests,
  server,
  sha256,
  storedKeys,
} from '../testing.ts'

servePackagesForTests()

const realm = 'Basic realm="GitLab Packages Registry"'
const created = { status: 201, body: { message: '201 Created' } }

describe('publishing', () => {
  test('stores the bytes with their digests', async () => {
    const { place, project } = await newProject()
    expect(await publish(people.developer, place, 'tool/1.0/f.bin', 'abc')).toMatchObject(created)
    const got = await send(`${place}/packages/generic/tool/1.0/f.bin`, { headers: basic(people.reporter.token) })
    expect([got.status, got.body]).toEqual([200, 'abc'])
    expect(Object.fromEntries(got.headers)).toMatchObject({
      'content-type': 'application/octet-stream',
      'content-length': '3',
      'content-disposition': `attachment; filename="f.bin"; filename*=UTF-8''f.bin`,
      'x-content-type-options': 'nosniff',
      'x-checksum-sha256': sha256('abc'),
      'accept-ranges': 'bytes',
      etag: `"${sha256('abc')}"`,
    })
    const [found] = (await people.reporter.get(`${place}/packages`)).body
    expect(found).toEqual({
      ...{ id: expect.any(Number), name: 'tool', version: '1.0', package_type: 'generic', status: 'default' },
      _links: { web_path: `/${project.full_path}/-/packages/${found.id}` },
      ...{ created_at: expect.any(String), last_downloaded_at: expect.any(String), tags: [] },
    })
    const files = (await people.reporter.get(`${place}/packages/${found.id}/package_files`)).body
    expect(files).toEqual([
      {
        ...{
          id: expect.any(Number),
          package_id: found.id,
          created_at: expect.any(String),
          file_name: 'f.bin',
          size: 3,
        },
        file_md5: '900150983cd24fb0d6963f7d28e17f72',
        file_sha1: 'a9993e364706816aba3e25717850c26c9cd0d89d',
        file_sha256: sha256('abc'),
      },
    ])
  })

  test('answers with the file on request', async () => {
    const { place } = await newProject()
    const answer = await publish(people.developer, place, 'tool/1.0/f.bin?select=package_file', 'abc')
    expect(answer).toMatchObject({
      status: 200,
      body: { file_name: 'f.bin', size: 3, file_store: 1, status: 'default' },
    })
    const { url } = answer.body.file
    expect(url).toMatch(/\/package_files\/\d+\/download$/)
    const got = await people.reporter.get(url.slice(url.indexOf('/projects')))
    expect([got.status, got.body]).toEqual([200, 'abc'])
  })

  test('takes an empty file, any content type, and a body without a length', async () => {
    const { place } = await newProject()
    const path = `${place}/packages/generic/tool/1.0`
    const headers = { 'PRIVATE-TOKEN': people.developer.token }
    expect(await send(`${path}/empty`, { method: 'PUT', headers })).toMatchObject(created)
    const typed = { ...headers, 'Content-Type': 'application/json' }
    expect(await send(`${path}/broken.json`, { method: 'PUT', body: '{"a":', headers: typed })).toMatchObject(created)
    const stream = new Blob(['streamed']).stream()
    expect(await send(`${path}/streamed`, { method: 'PUT', body: stream, headers })).toMatchObject(created)
    for (const [name, content] of [
      ['empty', ''],
      ['broken.json', '{"a":'],
      ['streamed', 'streamed'],
    ])
      expect((await send(`${path}/${name}`, { headers })).body).toBe(content)
  })

  test('takes directories, with raw and encoded slashes', async () => {
    const { place } = await newProject()
    expect(await publish(people.developer, place, 'tool/1.0/dir/sub/f.bin', 'one')).toMatchObject(created)
    const [found] = (await people.reporter.get(`${place}/packages`)).body
    const files = (await people.reporter.get(`${place}/packages/${found.id}/package_files`)).body
    expect(files).toMatchObject([{ file_name: 'dir%2Fsub%2Ff.bin' }])
    for (const path of ['dir/sub/f.bin', 'dir%2Fsub%2Ff.bin', 'dir%2fsub/f.bin']) {
      const got = await send(`${place}/packages/generic/tool/1.0/${path}`, { headers: basic(people.reporter.token) })
      expect([got.status, got.body, got.headers.get('content-disposition')]).toEqual([
        ...[200, 'one'],
        `attachment; filename="f.bin"; filename*=UTF-8''f.bin`,
      ])
    }
  })

  test.each([
    ['to%20ol/1.0/f', 'package_name is invalid'],
    ['t%2F..%2Fx/1.0/f', 'package_name should be a valid file path'],
    [`${'a'.repeat(256)}/1.0/f`, 'package_name is invalid'],
    ['tool/..1/f', 'package_version is invalid'],
    ['tool/1%3A0/f', 'package_version is invalid'],
    ['tool/1.0/%2e%2e%2fx', 'path should be a valid file path'],
    ['tool/1.0/a%2F%2E%2Fx', 'path should be a valid file path'],
    ['tool/1.0/~f', 'file_name is invalid'],
    ['tool/1.0/f@', 'file_name is invalid'],
    ['tool/1.0/f%20g', 'file_name is invalid'],
    ['tool/1.0/caf%C3%A9', 'file_name is invalid'],
    [`tool/1.0/${'d%20/'.repeat(80)}f`, 'file_name is invalid'],
    ['tool/1.0/f?status=processing', 'status does not have a valid value'],
    ['tool/1.0/f?select=all', 'select does not have a valid value'],
  ])('refuses %s', async (path, error) => {
    const { place } = await newProject()
    expect(await publish(people.developer, place, path)).toMatchObject({ status: 400, body: { error } })
    expect((await people.reporter.get(`${place}/packages`)).body).toEqual([])
  })

  test('takes names with plus signs and tildes inside', async () => {
    const { place } = await newProject()
    expect(await publish(people.developer, place, 'g++/1.0+b_2/a~b@c')).toMatchObject(created)
  })

  test('may hide the package, which is still served', async () => {
    const { place } = await newProject()
    expect(await publish(people.developer, place, 't2/1.0/f?status=hidden')).toMatchObject(created)
    expect((await people.reporter.get(`${place}/packages`)).body).toEqual([])
    expect((await people.reporter.get(`${place}/packages?status=hidden`)).body).toMatchObject([{ name: 't2' }])
    const headers = { 'PRIVATE-TOKEN': people.reporter.token }
    expect((await send(`${place}/packages/generic/t2/1.0/f`, { headers })).status).toBe(200)
    expect(await publish(people.developer, place, 't2/1.0/g?status=default')).toMatchObject(created)
    expect((await people.reporter.get(`${place}/packages`)).body).toMatchObject([{ name: 't2', status: 'default' }])
  })

  test('keeps a second file of one name, and serves the newest', async () => {
    const { place } = await newProject()
    for (const content of ['one', 'two']) await publish(people.developer, place, 'tool/1.0/f', content)
    const headers = { 'PRIVATE-TOKEN': people.reporter.token }
    expect((await send(`${place}/packages/generic/tool/1.0/f`, { headers })).body).toBe('two')
    const [found, ...others] = (await people.reporter.get(`${place}/packages`)).body
    expect(others).toEqual([])
    const files = (await people.reporter.get(`${place}/packages/${found.id}/package_files`)).body
    expect(files).toHaveLength(2)
  })

  test('by twenty at once makes one package', async () => {
    const { place } = await newProject()
    const names = Array.from({ length: 20 }, (_, index) => `tool/2.0/f${index}`)
    const answers = await Promise.all(names.map((name) => publish(people.developer, place, name, name)))
    expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(201))
    const [found, ...others] = (await people.reporter.get(`${place}/packages`)).body
    expect(others).toEqual([])
    const files = await people.reporter.get(`${place}/packages/${found.id}/package_files?per_page=100`)
    expect(files.body).toHaveLength(20)
    const { statistics } = (await people.maintainer.get(`${place}?statistics=true`)).body
    expect(statistics.packages_size).toBe(names.join('').length)
  })

  test('stores the same bytes once, and counts them in each project', async () => {
    const content = `the same ${performance.now()}`
    const before = (await storedKeys()).length
    const [first, second] = [await newProject(), await newProject()]
    for (const { place } of [first, second]) await publish(people.developer, place, 'tool/1.0/f', content)
    expect(await storedKeys()).toHaveLength(before + 1)
    for (const { place } of [first, second]) {
      const { statistics } = (await people.maintainer.get(`${place}?statistics=true`)).body
      expect(statistics).toMatchObject({ packages_size: content.length, storage_size: content.length })
    }
  })

  test('is limited by the plan, also without a length', async () => {
    const { place } = await newProject()
    const limit = (bytes: number) =>
      server.root.put('/application/plan_limits', { plan_name: 'default', generic_packages_max_file_size: bytes })
    await limit(1024)
    const before = (await storedKeys()).length
    const large = 'x'.repeat(1025)
    for (const body of [large, new Blob([large]).stream()]) {
      const headers = { 'PRIVATE-TOKEN': people.developer.token }
      const refused = await send(`${place}/packages/generic/tool/1.0/f`, { method: 'PUT', body, headers })
      expect(refused).toMatchObject({ status: 400, body: { message: '400 Bad request - File is too large' } })
    }
    expect(await storedKeys()).toHaveLength(before)
    expect(await publish(people.developer, place, 'tool/1.0/f', large.slice(1))).toMatchObject(created)
    await limit(0)
    expect(await publish(people.developer, place, 'tool/1.0/f', large)).toMatchObject(created)
  })
})

describe('downloading', () => {
  test('answers heads, ranges and conditional requests', async () => {
    const { place } = await newProject()
    await publish(people.developer, place, 'tool/1.0/f', '0123456789')
    const path = `${place}/packages/generic/tool/1.0/f`
    const ask = (headers: Record<string, string>, method = 'GET') =>
      send(path, { method, headers: { ...basic(people.reporter.token), ...headers } })
    const head = await ask({}, 'HEAD')
    expect([head.status, head.headers.get('content-length'), head.body]).toEqual([200, '10', ''])
    const [shown] = (await people.reporter.get(`${place}/packages`)).body
    expect(shown.last_downloaded_at).toBeNull()
    expect(await ask({ Range: 'bytes=0-3' })).toMatchObject({ status: 206, body: '0123' })
    expect((await ask({ Range: 'bytes=10-' })).status).toBe(416)
    const etag = head.headers.get('etag') ?? ''
    expect((await ask({ 'If-None-Match': etag })).status).toBe(304)
    expect(await ask({ Range: 'bytes=8-', 'If-Range': etag })).toMatchObject({ status: 206, body: '89' })
    expect(await ask({ Range: 'bytes=8-', 'If-Range': '"other"' })).toMatchObject({ status: 200, body: '0123456789' })
  })

  test.each(['tool/1.0/g', 'tool/1.1/f', 'other/1.0/f'])('does not find %s', async (path) => {
    const { place } = await newProject()
    await publish(people.developer, place, 'tool/1.0/f')
    const got = await send(`${place}/packages/generic/${path}`, { headers: basic(people.reporter.token) })
    expect(got).toMatchObject({ status: 404, body: { message: '404 Not found' } })
  })
})

describe('who may', () => {
  test('publish: developers', async () => {
    const { place } = await newProject()
    for (const [name, status] of [
      ['maintainer', 201],
      ['developer', 201],
      ['reporter', 403],
      ['guest', 403],
      ['outsider', 404],
    ] as const) {
      expect([name, (await publish(people[name], place, 'tool/1.0/f')).status]).toEqual([name, status])
    }
    const anonymous = await publish(server.anonymous, place, 'tool/1.0/f')
    expect([anonymous.status, anonymous.headers.get('www-authenticate')]).toEqual([401, realm])
  })

  test('read a private project: reporters, and guests with the flag', async () => {
    const { place } = await newProject()
    await publish(people.developer, place, 'tool/1.0/f')
    const read = async (name: keyof typeof people) =>
      (await send(`${place}/packages/generic/tool/1.0/f`, { headers: basic(people[name].token) })).status
    expect([await read('reporter'), await read('guest'), await read('outsider')]).toEqual([200, 403, 404])
    await server.root.post('/features/allow_guest_plus_roles_to_pull_packages', { value: true })
    expect([await read('guest'), await read('outsider')]).toEqual([200, 404])
    expect((await people.guest.get(`${place}/packages`)).status).toBe(200)
    await server.root.delete('/features/allow_guest_plus_roles_to_pull_packages')
    expect(await read('guest')).toBe(403)
  })

  test('an absent and a hidden project are the same to anonymous callers', async () => {
    const { place } = await newProject()
    for (const at of [place, '/projects/999999', '/projects/no%2Fwhere']) {
      const answer = await send(`${at}/packages/generic/tool/1.0/f`)
      expect([answer.status, answer.body, answer.headers.get('www-authenticate')]).toEqual([
        ...[401, { message: '401 Unauthorized' }],
        realm,
      ])
    }
  })

  test('read a public project: everyone', async () => {
    const { place } = await newProject({ visibility: 'public' })
    await publish(people.developer, place, 'tool/1.0/f')
    expect((await send(`${place}/packages/generic/tool/1.0/f`)).status).toBe(200)
    const wrong = await send(`${place}/packages/generic/tool/1.0/f`, { headers: basic('wrong') })
    expect([wrong.status, wrong.headers.get('www-authenticate')]).toEqual([401, realm])
  })

  test('a project that is archived is only read', async () => {
    const { place } = await newProject()
    await publish(people.developer, place, 'tool/1.0/f')
    await people.owner.post(`${place}/archive`)
    expect((await publish(people.developer, place, 'tool/1.0/g')).status).toBe(403)
    const headers = basic(people.reporter.token)
    expect((await send(`${place}/packages/generic/tool/1.0/f`, { headers })).status).toBe(200)
  })

  test('the access level decides from the next request on', async () => {
    const { place } = await newProject({ visibility: 'public' })
    await publish(people.developer, place, 'tool/1.0/f')
    const level = (value: string) => people.owner.put(place, { package_registry_access_level: value })
    const read = async (token?: string) =>
      (await send(`${place}/packages/generic/tool/1.0/f`, token ? { headers: basic(token) } : {})).status
    expect((await level('private')).body).toMatchObject({
      package_registry_access_level: 'private',
      packages_enabled: true,
    })
    expect([await read(), await read(people.guest.token), await read(people.reporter.token)]).toEqual([401, 403, 200])
    expect((await level('disabled')).body.packages_enabled).toBe(false)
    expect([await read(), await read(people.owner.token), await read(server.root.token)]).toEqual([401, 403, 403])
    expect((await people.owner.get(`${place}/packages`)).status).toBe(403)
    await level('public')
    await people.owner.put(place, { visibility: 'private' })
    expect([await read(), await read(people.outsider.token)]).toEqual([200, 200])
    expect((await server.anonymous.get(place)).status).toBe(404)
    await server.root.put('/application/settings', { package_registry_allow_anyone_to_pull_option: false })
    expect([await read(), await read(people.outsider.token)]).toEqual([401, 404])
    await server.root.put('/application/settings', { package_registry_allow_anyone_to_pull_option: true })
  })
})

describe('tokens', () => {
  test('of deployment open their project or group', async () => {
    const { place } = await newProject()
    const write = await deployToken(people.owner, place, ['read_package_registry', 'write_package_registry'])
    const read = await deployToken(people.owner, place, ['read_package_registry'])
    const code = await deployToken(people.owner, place, ['read_repository'])
    const path = `${place}/packages/generic/tool/1.0/f`
    const put = (headers: Record<string, string>) => send(path, { method: 'PUT', body: 'x', headers })
    expect((await put({ 'Deploy-Token': write })).status).toBe(201)
    expect((await put(basic(write, 'anything'))).status).toBe(201)
    expect((await put({ Authorization: `Bearer ${write}` })).status).toBe(201)
    expect((await put({ 'Deploy-Token': read })).status).toBe(403)
    expect((await send(path, { headers: { 'Deploy-Token': read } })).status).toBe(200)
    expect(await send(path, { headers: basic(code) })).toMatchObject({
      status: 403,
      body: { error: 'insufficient_scope' },
    })
    const other = await newProject()
    expect(await send(`${other.place}/packages/generic/tool/1.0/f`, { headers: basic(read) })).toMatchObject({
      status: 404,
      body: { message: '404 Project Not Found' },
    })
  })

  test('need a scope, and passwords are none', async () => {
    const { place } = await newProject()
    await publish(people.developer, place, 'tool/1.0/f')
    const path = `${place}/packages/generic/tool/1.0/f`
    const reading = await server.make.token(people.developer, ['read_api'])
    const other = await server.make.token(people.developer, ['read_user'])
    expect((await send(path, { headers: basic(reading) })).status).toBe(200)
    expect((await send(path, { method: 'PUT', body: 'x', headers: basic(reading) })).status).toBe(403)
    expect((await send(path, { headers: basic(other) })).status).toBe(403)
    expect((await send(path, { headers: basic('correct horse', people.developer.username) })).status).toBe(401)
    expect((await send(path, { headers: basic('') })).status).toBe(401)
    expect((await send(path, { headers: { Authorization: 'Basic !!' } })).status).toBe(401)
  })
})
