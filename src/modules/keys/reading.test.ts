import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { queriesOf, startTestServer, type TestServer } from '../../testing/index.ts'
import { parseSshKey, sha256Fingerprint } from './format/ssh-key.ts'
import { keyByFingerprint } from './store.ts'
import { addKey, ed25519Line } from './testing.ts'

const missingUser = { status: 404, body: { message: '404 User Not Found' } }
const missingKey = { status: 404, body: { message: '404 Key Not Found' } }
const noRoute = { status: 404, body: { error: '404 Not Found', message: '404 Not Found' } }

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.stop())

const database = () => server.app.platform.database

describe('keys', () => {
  test('are listed by id in pages, with a fixed number of queries', async () => {
    const user = await server.user('collector')
    const list = () => user.get('/user/keys?per_page=100')
    const counted = async () => {
      const queries = await queriesOf(server, list)
      return { queries, ids: (await list()).body.map(({ id }: { id: number }) => id) }
    }
    for (const seed of ['c0', 'c1']) await addKey(user, seed)
    const few = await counted()
    for (let index = 2; index < 20; index++) await addKey(user, `c${index}`)
    const many = await counted()
    expect(many.queries).toBe(few.queries)
    expect(many.ids).toHaveLength(20)
    expect(many.ids).toEqual([...many.ids].sort((a, b) => a - b))
    const page = await user.get('/user/keys?per_page=8&page=3')
    expect(page.body.map(({ id }: { id: number }) => id)).toEqual(many.ids.slice(16))
    expect(page.headers.get('x-total')).toBe('20')
    expect((await server.anonymous.get(`/users/${user.id}/keys?per_page=8&page=4`)).body).toEqual([])
  })

  test('belong to their user only', async () => {
    const owner = await server.user('owner_of_key')
    const other = await server.user('envious')
    const { id } = await addKey(owner, 'coveted')
    expect(await other.get(`/user/keys/${id}`)).toMatchObject(missingKey)
    expect(await other.delete(`/user/keys/${id}`)).toMatchObject(missingKey)
    expect(await server.root.get(`/user/keys/${id}`)).toMatchObject(missingKey)
    expect(await server.anonymous.get(`/users/${other.id}/keys/${id}`)).toMatchObject(missingKey)
    expect(await server.root.delete(`/users/${other.id}/keys/${id}`)).toMatchObject(missingKey)
    expect((await owner.get(`/user/keys/${id}`)).status).toBe(200)
  })

  test('are removed with their user', async () => {
    const user = await server.user('leaver')
    const { key } = await addKey(user, 'left behind')
    expect((await server.root.delete(`/users/${user.id}`)).status).toBe(204)
    expect(await server.anonymous.get(`/users/${user.id}/keys`)).toMatchObject(missingUser)
    const fingerprint = sha256Fingerprint(parseSshKey(key)?.blob ?? Buffer.alloc(0))
    await expect.poll(() => keyByFingerprint(database().read, fingerprint)).toBeNull()
    await addKey(await server.user('heir'), 'left behind')
  })

  test('of deployments are in the same table, without a user', async () => {
    const user = await server.user('deployer')
    const { id } = await addKey(user, 'deployed')
    const other = (kind: 'user' | 'deploy', userId: number | null) =>
      database().write((tx) =>
        tx
          .insertInto('keys')
          .columns([
            'kind',
            'user_id',
            'title',
            'key',
            'type',
            'fingerprint_md5',
            'fingerprint_sha256',
            'usage_type',
            'created_at',
          ])
          .expression((eb) =>
            eb
              .selectFrom('keys')
              .where('id', '=', id)
              .select([
                sql<'deploy'>`${kind}`.as('kind'),
                sql<number | null>`cast(${userId} as bigint)`.as('user_id'),
                'title',
                'key',
                'type',
                'fingerprint_md5',
                sql<string>`${`SHA256:${kind}`}`.as('print'),
                'usage_type',
                'created_at',
              ]),
          )
          .returning('id')
          .executeTakeFirstOrThrow(),
      )
    await expect(other('user', null)).rejects.toThrow()
    await expect(other('deploy', user.id)).rejects.toThrow()
    const deployKey = await other('deploy', null)
    expect(deployKey.id).toBeGreaterThan(id)
    expect(await user.get(`/user/keys/${deployKey.id}`)).toMatchObject(missingKey)
    expect(await user.delete(`/user/keys/${deployKey.id}`)).toMatchObject(missingKey)
    expect((await user.get('/user/keys')).body).toHaveLength(1)
  })
})

describe('the keys of a user', () => {
  test('are public, by id or by username', async () => {
    const user = await server.user('Readable')
    const { id } = await addKey(user, 'readable')
    const { body } = await user.get(`/user/keys/${id}`)
    for (const reader of [server.anonymous, server.root, await server.user('some_reader')]) {
      for (const name of [user.id, 'Readable', 'rEADABLE']) {
        expect(await reader.get(`/users/${name}/keys`)).toMatchObject({ status: 200, body: [body] })
      }
      expect(await reader.get(`/users/${user.id}/keys/${id}`)).toMatchObject({ status: 200, body })
      expect((await reader.head(`/users/${user.id}/keys/${id}`)).status).toBe(200)
    }
    expect((await server.as('nope').get(`/users/${user.id}/keys`)).status).toBe(401)
  })

  test('of unknown users are not found', async () => {
    for (const name of [
      '0',
      '999999999',
      '99999999999999999999',
      'nobody',
      'a%2Fb',
      '%F0%9F%94%91',
      '-1',
      '__proto__',
    ]) {
      expect(await server.anonymous.get(`/users/${name}/keys`), name).toMatchObject(missingUser)
    }
    expect((await server.anonymous.get('/users/a%00b/keys')).status).toBe(400)
    expect(await server.anonymous.get('/users/999999999/keys/1')).toMatchObject(missingUser)
    const values = { title: '', key: '' }
    expect(await server.root.post('/users/999999999/keys', values)).toMatchObject(missingUser)
    expect(await server.root.delete('/users/999999999/keys/1')).toMatchObject(missingUser)
  })

  test('are addressed by numeric ids', async () => {
    const { id } = await server.user('numbered')
    expect(await server.root.get(`/users/${id}/keys/x`)).toMatchObject(noRoute)
    expect(await server.root.get('/users/numbered/keys/1')).toMatchObject(noRoute)
    expect(await server.root.post('/users/numbered/keys', {})).toMatchObject(noRoute)
    expect(await server.root.get('/user/keys/1.5')).toMatchObject(noRoute)
    expect(await server.root.get(`/users/${id}/keys/999999999`)).toMatchObject(missingKey)
    expect((await server.root.get('/user/keys/99999999999999999999')).status).toBe(404)
  })

  test('are hidden from external users who do not share a membership', async () => {
    const user = await server.user('unacquainted')
    const { id } = await addKey(user, 'unacquainted')
    const external = await server.user('external_reader')
    const own = await addKey(external, 'external')
    await server.root.put(`/users/${external.id}`, { external: true })
    expect(await external.get(`/users/${user.id}/keys`)).toMatchObject(missingUser)
    expect(await external.get('/users/unacquainted/keys')).toMatchObject(missingUser)
    expect(await external.get(`/users/${user.id}/keys/${id}`)).toMatchObject(missingUser)
    expect((await external.get(`/users/${external.id}/keys/${own.id}`)).status).toBe(200)
    const project = await server.make.project('shared-with-external', user)
    await server.make.member({ project }, external, 10)
    expect((await external.get(`/users/${user.id}/keys`)).body).toHaveLength(1)
  })

  test('are added and removed by administrators', async () => {
    const user = await server.user('administered')
    const path = `/users/${user.id}/keys`
    const values = { title: 'given', key: ed25519Line('given'), expires_at: '2999-01-01', usage_type: 'auth' }
    expect(await server.root.post(path, { title: 'a' })).toMatchObject({
      status: 400,
      body: { error: 'key is missing' },
    })
    const made = await server.root.post(path, values)
    expect(made).toMatchObject({ status: 201, body: { ...values, expires_at: '2999-01-01T00:00:00.000Z' } })
    expect((await user.get('/user/keys')).body).toEqual([made.body])
    const one = `${path}/${made.body.id}`
    expect(await server.root.delete(one)).toMatchObject({ status: 204, body: '' })
    expect(await server.root.delete(one)).toMatchObject(missingKey)
  })
})

test('callers must be authenticated, and their tokens need a scope', async () => {
  const reader = await server.user('scoped', ['read_user'])
  const values = { title: 'a', key: ed25519Line('scoped') }
  expect((await reader.get('/user/keys')).status).toBe(200)
  expect((await reader.get(`/users/${reader.id}/keys`)).status).toBe(200)
  expect(await reader.post('/user/keys', values)).toMatchObject({
    status: 403,
    body: { error: 'insufficient_scope', scope: 'api' },
  })
  expect((await reader.delete('/user/keys/1')).body).toMatchObject({ scope: 'api' })
  const blind = server.as(await server.make.token(reader, ['read_repository']))
  for (const path of ['/user/keys', '/user/keys/1', `/users/${reader.id}/keys`, `/users/${reader.id}/keys/1`]) {
    expect((await blind.get(path)).status, path).toBe(403)
  }
  for (const [method, path] of [
    ['GET', '/user/keys'],
    ['POST', '/user/keys'],
    ['GET', '/user/keys/1'],
    ['DELETE', '/user/keys/1'],
  ] as const) {
    expect(await server.anonymous.request(method, path), path).toMatchObject({
      status: 401,
      body: { message: '401 Unauthorized' },
    })
  }
})
