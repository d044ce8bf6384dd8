import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Operation } from '../src/api/index.ts'
import { manualClock } from '../src/index.ts'
import { type Answer, type Client, type Person, startTestServer, type TestServer } from '../src/testing/index.ts'

const clock = manualClock({ start: '2026-05-05T12:00:00.000Z' })
const password = 'korrekt-horse-9'
let server: TestServer
let owner: Person
let outsider: Person
const secret: Record<string, number> = {}

beforeAll(async () => {
  server = await startTestServer({ clock })
  owner = await server.user('owner')
  outsider = await server.user('outsider')
  const namespace = await server.make.group('hidden-group', owner)
  secret.group = namespace.id
  secret.project = (await server.make.project('hidden-project', owner, { namespace })).id
})
afterAll(() => server.stop())

const short = ({ status, body }: Answer) => ({ status, body })
const nobody = '99999999'

describe('private resources', () => {
  /** The same request for a private and for a missing resource. */
  function addresses({ path, root, subject }: Operation): [string, string] {
    const fill = (id: string) => path.replace(/:(\w+)/g, (_, name) => (name === 'id' ? id : nobody))
    const prefix = root ? 'root:' : ''
    return [prefix + fill(String(secret[subject.name])), prefix + fill(nobody)]
  }

  test('are answered like missing ones, by every operation', async () => {
    const places = server.app.operations.filter(({ subject }) => subject.name in secret)
    expect(places.length).toBeGreaterThan(50)
    for (const operation of places) {
      for (const client of [outsider, server.anonymous]) {
        const [hidden, missing] = addresses(operation)
        const answers = [
          await client.request(operation.method, hidden),
          await client.request(operation.method, missing),
        ].map(short)
        expect([operation.id, answers[0]]).toEqual([operation.id, answers[1]])
      }
    }
  })

  test('are in no list, no search and no count', async () => {
    for (const client of [outsider, server.anonymous]) {
      const asked = [
        '/projects?search=hidden',
        '/groups?search=hidden',
        '/users/owner/projects',
        `/users/${owner.id}/projects`,
      ]
      for (const path of asked) {
        const { status, body, headers } = await client.get(path)
        if (status !== 200) continue
        expect([path, body, headers.get('x-total')]).toEqual([path, [], '0'])
      }
    }
    expect((await outsider.get('/namespaces?search=hidden')).body).toEqual([])
    const users = JSON.stringify((await outsider.get('/users?username=owner')).body)
    expect(users).not.toMatch(/example\.com|is_admin|sign_in|"email"|_ip/)
  })

  test('are not reachable as the target of an allowed operation', async () => {
    const mine = (await outsider.post('/projects', { name: 'mine' })).body.id
    const group = (await outsider.post('/groups', { name: 'mine', path: 'my-group' })).body.id
    const attempts: [string, string, (id: number | string) => unknown][] = [
      ['POST', `/projects/${mine}/share`, (group_id) => ({ group_id, group_access: 30 })],
      ['POST', `/groups/${group}/share`, (group_id) => ({ group_id, group_access: 30 })],
      ['PUT', `/projects/${mine}/transfer`, (namespace) => ({ namespace })],
      ['POST', `/groups/${group}/transfer`, (group_id) => ({ group_id })],
      ['POST', '/projects', (namespace_id) => ({ name: 'inside', namespace_id })],
      ['POST', '/groups', (parent_id) => ({ name: 'inside', path: 'inside', parent_id })],
      ['POST', `/projects/${mine}/fork`, (namespace_id) => ({ namespace_id, path: 'forked' })],
    ]
    for (const [method, path, body] of attempts) {
      const hidden = await outsider.request(method, path, { body: body(secret.group ?? 0) })
      const missing = await outsider.request(method, path, { body: body(nobody) })
      expect([path, hidden.status >= 400, short(hidden)]).toEqual([path, true, short(missing)])
    }
    const forked = await outsider.post(`/projects/${mine}/fork/${secret.project}`)
    expect(forked).toMatchObject(short(await outsider.post(`/projects/${mine}/fork/${nobody}`)))
  })

  test('are not reachable by ids of resources of another project', async () => {
    const mine = (await outsider.post('/projects', { name: 'swap' })).body.id
    const made = await Promise.all([
      owner.post(`/projects/${secret.project}/deploy_tokens`, { name: 'd', scopes: ['read_repository'] }),
      owner.post(`/projects/${secret.project}/access_tokens`, {
        name: 'a',
        scopes: ['api'],
        access_level: 30,
        expires_at: '2026-06-01',
      }),
    ])
    for (const [index, kind] of ['deploy_tokens', 'access_tokens'].entries()) {
      const { status, body } = made[index] as Answer
      expect([kind, status]).toEqual([kind, 201])
      for (const method of ['GET', 'DELETE']) {
        const swapped = await outsider.request(method, `/projects/${mine}/${kind}/${body.id}`)
        const missing = await outsider.request(method, `/projects/${mine}/${kind}/${nobody}`)
        expect([kind, method, short(swapped)]).toEqual([kind, method, short(missing)])
        expect(swapped.status).toBe(404)
      }
      expect((await owner.get(`/projects/${secret.project}/${kind}/${body.id}`)).status).toBe(200)
    }
  })
})

describe('rights', () => {
  test('users cannot extend their rights by undeclared parameters', async () => {
    const gift = { admin: true, is_admin: true, auditor: true, state: 'active', external: false, projects_limit: 9 }
    for (const [method, path] of [
      ['PUT', `/users/${outsider.id}`],
      ['POST', '/users'],
      ['PUT', '/application/settings'],
    ] as const) {
      expect((await outsider.request(method, path, { body: gift })).status).toBe(403)
    }
    await outsider.put('/user/status', gift)
    expect((await server.root.get(`/users/${outsider.id}`)).body).toMatchObject({ is_admin: false })
    const project = { name: 'gifted', id: 1, creator_id: 1, owner_id: 1, user_id: 1, star_count: 9, storage: 'x' }
    const { body } = await outsider.post('/projects', { ...project, repository_storage: 'other', __proto__: { a: 1 } })
    expect(body).toMatchObject({ creator_id: outsider.id, star_count: 0, owner: { id: outsider.id } })
  })

  test('maintainers can neither add nor remove owners', async () => {
    const maintainer = await server.user('maintainer')
    const namespace = await server.make.group('ladder', owner)
    const project = await server.make.project('ladder', owner, { namespace })
    await server.make.member({ project }, maintainer, 40)
    const members = `/projects/${project.id}/members`
    expect((await maintainer.post(members, { user_id: outsider.id, access_level: 50 })).status).toBe(403)
    expect((await maintainer.put(`${members}/${maintainer.id}`, { access_level: 50 })).status).toBe(403)
    const token = { name: 'x', scopes: ['api'], access_level: 50, expires_at: '2026-06-01' }
    expect((await maintainer.post(`/projects/${project.id}/access_tokens`, token)).status).toBe(400)
    for (const level of [0, 15.5, 60, 100, -10, '4 0']) {
      const { status } = await maintainer.post(members, { user_id: outsider.id, access_level: level })
      expect([level, status]).toEqual([level, 400])
    }
  })

  test('sudo is for administrators with the scope, within the rights of the other user', async () => {
    const sudo = (who: string) => ({ headers: { Sudo: who } })
    expect((await owner.get('/user', sudo('root'))).status).toBe(403)
    expect((await server.anonymous.get('/user', sudo('root'))).status).toBe(401)
    const plain = server.as(await server.make.token({ id: 1 }, ['api']))
    expect((await plain.get('/user', sudo('owner'))).body).toMatchObject({ error: 'insufficient_scope', scope: 'sudo' })
    const alone = server.as(await server.make.token({ id: 1 }, ['sudo']))
    expect((await alone.get('/user', sudo('owner'))).status).toBe(403)
    expect((await server.root.get('/user', sudo('owner'))).body.id).toBe(owner.id)
    expect((await server.root.get('/application/settings', sudo('owner'))).status).toBe(403)
    for (const query of ['sudo[]=owner', 'sudo[a]=owner'])
      expect((await server.root.get(`/user?${query}`)).status).toBe(400)
    expect((await server.root.get(`/projects/${secret.project}`, sudo('outsider'))).status).toBe(404)
    const made = { name: 'i', scopes: ['api'], expires_at: '2026-06-01' }
    const { body } = await server.root.post(`/users/${owner.id}/impersonation_tokens`, made)
    const impersonator = server.as(body.token)
    expect((await impersonator.get('/user', sudo('root'))).status).toBe(403)
    expect((await owner.post(`/users/${owner.id}/impersonation_tokens`, made)).status).toBe(403)
  })

  test('a revoked right is denied from the next request on', async () => {
    const person = await server.user('leaving')
    const project = await server.make.project('left', owner)
    const sees = async (client: Client) => (await client.get(`/projects/${project.id}`)).status
    await server.make.member({ project }, person, 30)
    expect(await sees(person)).toBe(200)
    expect((await owner.delete(`/projects/${project.id}/members/${person.id}`)).status).toBe(204)
    expect(await sees(person)).toBe(404)
    await server.make.member({ project }, person, 30)
    const second = server.as(await server.make.token(person, ['api']))
    expect(await sees(second)).toBe(200)
    expect((await second.delete('/personal_access_tokens/self')).status).toBe(204)
    expect(await sees(second)).toBe(401)
    const short = server.as(await server.make.token(person, ['api'], '2026-05-06'))
    expect(await sees(short)).toBe(200)
    clock.advance(12 * 3_600_000)
    expect(await sees(short)).toBe(401)
    expect((await server.root.post(`/users/${person.id}/block`)).status).toBe(201)
    expect(await sees(person)).toBe(403)
  })

  test('passwords cannot be found by brute force', async () => {
    const name = { name: 'Tried', username: 'tried', email: 'tried@example.com' }
    await server.root.post('/users', { ...name, password })
    const attempt = (given: string, username = 'tried') =>
      server.anonymous.post('root:/oauth/token', { grant_type: 'password', username, password: given })
    const unknown = short(await attempt('wrong-horse', 'no-such-user'))
    for (let count = 0; count < 10; count += 1) expect(short(await attempt('wrong-horse'))).toEqual(unknown)
    expect(short(await attempt(password))).toEqual(unknown)
    clock.advance(600_000)
    expect((await attempt(password)).status).toBe(200)
  })
})
