import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  makePeople,
  type People,
  projectWithMembers,
  queriesOf,
  startTestServer,
  type TestServer,
} from '../../../testing/index.ts'
import type { ProjectRow } from '../../projects/index.ts'

let server: TestServer
let people: People
let project: ProjectRow
beforeAll(async () => {
  server = await startTestServer()
  people = await makePeople(server)
  project = await made('shared')
})
afterAll(() => server.stop())

const made = async (name: string) => (await projectWithMembers(server, { people, path: name })).project

const pathOf = ({ id }: { id: number }) => `/projects/${id}/remote_mirrors`
const url = 'https://user:secret@example.com/group/project.git'
const shown = 'https://*****:*****@example.com/group/project.git'
const missing = { status: 404, body: { message: '404 Not found' } }

describe('a push mirror', () => {
  test('is created, read, changed and deleted', async () => {
    const created = await people.maintainer.post(pathOf(project), { url })
    expect(created.status).toBe(201)
    expect(created.body).toEqual({
      id: expect.any(Number),
      enabled: false,
      url: shown,
      update_status: 'none',
      last_update_at: null,
      last_update_started_at: null,
      last_successful_update_at: null,
      last_error: null,
      only_protected_branches: false,
      keep_divergent_refs: false,
      auth_method: 'password',
      mirror_branch_regex: null,
      host_keys: [],
    })
    const path = `${pathOf(project)}/${created.body.id}`
    expect(await people.maintainer.get(path)).toMatchObject({ status: 200, body: created.body })
    const changes = { only_protected_branches: true, keep_divergent_refs: true, auth_method: 'ssh_public_key' }
    const changed = await people.maintainer.put(path, { ...changes, url: 'https://example.org/x.git' })
    expect(changed).toMatchObject({ status: 200, body: { ...created.body, ...changes } })
    expect(await people.maintainer.put(path, {})).toMatchObject({ status: 200, body: changed.body })
    expect(await people.maintainer.delete(path)).toMatchObject({ status: 204, body: '' })
    expect(await people.maintainer.get(path)).toMatchObject(missing)
  })

  test('stores credentials encrypted', async () => {
    await people.maintainer.post(pathOf(await made('sealed')), { url })
    const rows = await server.app.platform.database.read.selectFrom('remote_mirrors').selectAll().execute()
    expect(JSON.stringify(rows)).not.toContain('secret')
  })

  test('shows neither the user name nor the password of its address', async () => {
    const own = await made('hidden')
    const { body } = await people.maintainer.post(pathOf(own), { url: 'https://login-name@example.com/x.git' })
    await people.maintainer.post(pathOf(own), { url: 'https://login-name:pass-word@example.com/x.git' })
    expect(body.url).toBe('https://*****:*****@example.com/x.git')
    for (const path of [pathOf(own), `${pathOf(own)}/${body.id}`]) {
      expect(JSON.stringify((await people.maintainer.get(path)).body)).not.toMatch(/login-name|pass-word/)
    }
  })

  test('is deleted with its project', async () => {
    const gone = await made('gone')
    const { body } = await people.maintainer.post(pathOf(gone), { url })
    await server.app.platform.database.write((tx) => tx.deleteFrom('projects').where('id', '=', gone.id).execute())
    const query = server.app.platform.database.read.selectFrom('remote_mirrors').selectAll()
    expect(await query.where('id', '=', body.id).execute()).toEqual([])
  })

  test('is not deleted when it was modified since', async () => {
    const { body } = await people.maintainer.post(pathOf(project), { url })
    const path = `${pathOf(project)}/${body.id}`
    const headers = { 'If-Unmodified-Since': 'Mon, 01 Jan 2001 00:00:00 GMT' }
    expect((await people.maintainer.delete(path, { headers })).status).toBe(412)
    expect((await people.maintainer.delete(path)).status).toBe(204)
  })

  test('chooses branches by protection or by a pattern, whichever was set last', async () => {
    const { body } = await people.maintainer.post(pathOf(project), { url, mirror_branch_regex: '^main$' })
    const path = `${pathOf(project)}/${body.id}`
    expect(body).toMatchObject({ mirror_branch_regex: '^main$', only_protected_branches: false })
    const guarded = await people.maintainer.put(path, { only_protected_branches: true })
    expect(guarded.body).toMatchObject({ mirror_branch_regex: null, only_protected_branches: true })
    const matched = await people.maintainer.put(path, { mirror_branch_regex: 'x+' })
    expect(matched.body).toMatchObject({ mirror_branch_regex: 'x+', only_protected_branches: false })
    expect((await people.maintainer.put(path, { mirror_branch_regex: '' })).body.mirror_branch_regex).toBeNull()
    const both = await people.maintainer.put(path, { only_protected_branches: true, mirror_branch_regex: 'x' })
    expect(both).toMatchObject({
      status: 400,
      body: { error: 'only_protected_branches, mirror_branch_regex are mutually exclusive' },
    })
  })
})

describe('the public key of a push mirror', () => {
  const line = /^ssh-ed25519 [A-Za-z0-9+/]+=* push-mirror$/
  const none = { status: 404, body: { message: '404 Not Found' } }

  test('is there for the method ssh_public_key, and stays the same', async () => {
    const own = await made('keyed')
    const address = 'ssh://git@example.com/x.git'
    const { body } = await people.maintainer.post(pathOf(own), { url: address, auth_method: 'ssh_public_key' })
    const path = `${pathOf(own)}/${body.id}`
    const key = await people.maintainer.get(`${path}/public_key`)
    expect(key).toMatchObject({ status: 200, body: { public_key: expect.stringMatching(line) } })
    expect(Object.keys(body)).not.toContain('public_key')
    await people.maintainer.put(path, { auth_method: 'password' })
    expect(await people.maintainer.get(`${path}/public_key`)).toMatchObject(none)
    await people.maintainer.put(path, { auth_method: 'ssh_public_key' })
    await people.maintainer.put(path, { only_protected_branches: true })
    expect((await people.maintainer.get(`${path}/public_key`)).body).toEqual(key.body)
  })

  test('is made when a mirror begins to sign in with one, once for requests at the same time', async () => {
    const own = await made('switched')
    const { body } = await people.maintainer.post(pathOf(own), { url })
    const path = `${pathOf(own)}/${body.id}`
    expect(await people.maintainer.get(`${path}/public_key`)).toMatchObject(none)
    const keys = await Promise.all(
      [1, 2, 3].map(async () => {
        await people.maintainer.put(path, { auth_method: 'ssh_public_key' })
        return (await people.maintainer.get(`${path}/public_key`)).body.public_key
      }),
    )
    expect([...new Set(keys)]).toEqual([expect.stringMatching(line)])
  })

  test('is of one mirror alone, and its private half is stored encrypted', async () => {
    const own = await made('pairs')
    const ids = await Promise.all(
      [1, 2].map(
        async () => (await people.maintainer.post(pathOf(own), { url, auth_method: 'ssh_public_key' })).body.id,
      ),
    )
    const keys = await Promise.all(ids.map((id) => people.maintainer.get(`${pathOf(own)}/${id}/public_key`)))
    expect(new Set(keys.map(({ body }) => body.public_key)).size).toBe(2)
    const rows = await server.app.platform.database.read.selectFrom('remote_mirrors').selectAll().execute()
    expect(rows.every((row) => row.public_key === null || row.sealed_private_key !== null)).toBe(true)
    expect(JSON.stringify(rows)).not.toContain('PRIVATE KEY')
  })
})

describe('a list of push mirrors', () => {
  test('is paginated in the order of creation', async () => {
    const listed = await made('listed')
    for (let count = 0; count < 5; count += 1)
      await people.maintainer.post(pathOf(listed), { url: `https://x/${count}` })
    const page = await people.maintainer.get(`${pathOf(listed)}?per_page=2&page=2`)
    expect(page.body.map((mirror: { url: string }) => mirror.url)).toEqual(['https://x/2', 'https://x/3'])
    expect(Object.fromEntries(page.headers)).toMatchObject({ 'x-total': '5', 'x-total-pages': '3', 'x-next-page': '3' })
  })

  test('takes a constant number of queries', async () => {
    const cost = (place: ProjectRow) =>
      queriesOf(server, async () => {
        expect((await people.maintainer.get(`${pathOf(place)}?per_page=100`)).status).toBe(200)
      })
    const [few, many] = [await made('few'), await made('many')]
    for (let count = 0; count < 2; count += 1) await people.maintainer.post(pathOf(few), { url })
    for (let count = 0; count < 20; count += 1) await people.maintainer.post(pathOf(many), { url })
    expect(await cost(many)).toBe(await cost(few))
    const { status, body } = await people.maintainer.post(pathOf(many), { url })
    expect([status, body]).toEqual([400, { message: { base: ['Maximum number of remote mirrors (20) exceeded'] } }])
  })

  test('does not exceed its limit with concurrent requests', async () => {
    const crowded = await made('crowded')
    for (let count = 0; count < 19; count += 1) await people.maintainer.post(pathOf(crowded), { url })
    const both = await Promise.all([1, 2].map(() => people.maintainer.post(pathOf(crowded), { url })))
    expect(both.map(({ status }) => status).sort()).toEqual([201, 400])
  })
})

describe('access rights', () => {
  const each = (id: number | string) =>
    [
      ['get', pathOf(project)],
      ['get', `${pathOf(project)}/${id}`],
      ['post', pathOf(project)],
      ['put', `${pathOf(project)}/${id}`],
      ['delete', `${pathOf(project)}/${id}`],
      ['post', `${pathOf(project)}/${id}/sync`],
      ['get', `${pathOf(project)}/${id}/public_key`],
    ] as const

  test('need the scope api for changes', async () => {
    const reader = server.as(await server.make.token(people.maintainer, ['read_api']))
    expect((await reader.get(pathOf(project))).status).toBe(200)
    expect((await reader.post(pathOf(project), { url })).body.error).toBe('insufficient_scope')
  })

  test('do not cover mirrors of other projects', async () => {
    const { body } = await people.maintainer.post(pathOf(await made('other')), { url })
    for (const id of [body.id, 0, 999_999, 'x', '99999999999999999999', '1%2F2', '-1']) {
      for (const [method, path] of each(id).filter((one) => one[1] !== pathOf(project))) {
        expect([id, method, await people.maintainer[method](path)]).toMatchObject([id, method, missing])
      }
    }
  })
})

describe('invalid requests', () => {
  test.each([
    ['ftp://example.com/x', 'is blocked: Only allowed schemes are http, https, ssh, git'],
    ['file:///etc/passwd', 'is blocked: Only allowed schemes are http, https, ssh, git'],
    ['ext::sh -c true', 'is blocked: Only allowed schemes are http, https, ssh, git'],
    ['no address', 'is blocked: URI is invalid'],
    ['', 'is blocked: URI is invalid'],
    ['git@example.com:group/x.git', 'is blocked: URI is invalid'],
    ['https://u:%zz@example.com/x.git', 'is blocked: URI is invalid'],
    ['http://127.0.0.1/x.git', 'is blocked: Requests to localhost are not allowed'],
    ['http://u:p@localhost:3000/x.git', 'is blocked: Requests to localhost are not allowed'],
    ['http://[::ffff:7f00:1]/x.git', 'is blocked: Requests to localhost are not allowed'],
    ['http://2130706433/x.git', 'is blocked: Requests to localhost are not allowed'],
    ['https://169.254.169.254/x.git', 'is blocked: Requests to the link local network are not allowed'],
    ['ssh://git@10.0.0.1/x.git', 'is blocked: Requests to the local network are not allowed'],
    ['git://-oProxyCommand=x/y', 'is blocked: Host cannot be resolved or invalid'],
    [`https://example.com/${'x'.repeat(2048)}`, 'is too long (maximum is 2048 characters)'],
  ])('the address %j', async (address, reason) => {
    const { status, body } = await people.maintainer.post(pathOf(project), { url: address })
    expect([status, body]).toEqual([400, { message: { url: [reason] } }])
  })

  test('a missing address', async () => {
    expect(await people.maintainer.post(pathOf(project), {})).toMatchObject({
      status: 400,
      body: { error: 'url is missing' },
    })
  })

  test.each([
    [{ enabled: 'maybe' }, 'enabled is invalid'],
    [{ keep_divergent_refs: {} }, 'keep_divergent_refs is invalid'],
    [{ auth_method: 'magic' }, 'auth_method does not have a valid value'],
    [{ mirror_branch_regex: '(' }, 'mirror_branch_regex is an invalid regexp'],
    [{ mirror_branch_regex: '(?=x)' }, 'mirror_branch_regex is an invalid regexp'],
    [{ mirror_branch_regex: 'x'.repeat(1001) }, 'mirror_branch_regex is an invalid regexp'],
    [{ mirror_branch_regex: '((a{100}){100}){100}' }, 'mirror_branch_regex is an invalid regexp'],
    [{ mirror_branch_regex: 'a\u0000' }, 'mirror_branch_regex is invalid'],
  ])('%j', async (values, error) => {
    expect(await people.maintainer.post(pathOf(project), { url, ...values })).toMatchObject({
      status: 400,
      body: { error },
    })
  })
})
