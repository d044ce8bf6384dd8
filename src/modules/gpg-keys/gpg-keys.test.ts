import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Person, startTestServer, type TestServer } from '../../testing/index.ts'
import { invalidKeyText } from './openpgp.ts'
import { makeKey, type TestKey } from './testing.ts'

let server: TestServer
let alice: Person
let bob: Person
let key: TestKey

beforeAll(async () => {
  server = await startTestServer()
  alice = await server.user('alice')
  bob = await server.user('bob')
  key = await makeKey(['alice@example.com'])
})
afterAll(() => server.stop())

const missing = { status: 404, body: { message: '404 GPG Key Not Found' } }

test('a user adds, reads, removes and revokes keys, administrators for others', async () => {
  const added = await alice.post('/user/gpg_keys', { key: `\n${key.publicText}\n\n` })
  expect(added).toMatchObject({ status: 201, body: { key: key.publicText.trim(), created_at: expect.any(String) } })
  const { id } = added.body
  expect(Object.keys(added.body)).toEqual(['id', 'key', 'created_at'])
  expect((await alice.get('/user/gpg_keys')).body).toEqual([added.body])
  for (const [client, path] of [
    [alice, '/user/gpg_keys'],
    [server.anonymous, `/users/${alice.id}/gpg_keys`],
  ] as const) {
    expect((await client.get(`${path}/${id}`)).body).toEqual(added.body)
    expect(await client.get(`${path}/99999999`)).toMatchObject(missing)
  }
  expect((await server.anonymous.get(`/users/${alice.id}/gpg_keys`)).body).toEqual([added.body])
  expect((await server.anonymous.get('/users/99999999/gpg_keys')).body).toEqual({ message: '404 User Not Found' })
  expect(await bob.delete(`/user/gpg_keys/${id}`)).toMatchObject(missing)
  expect(await bob.post(`/user/gpg_keys/${id}/revoke`)).toMatchObject(missing)
  expect(await alice.post(`/user/gpg_keys/${id}/revoke`)).toMatchObject({ status: 202, body: 202 })
  expect(await alice.post(`/user/gpg_keys/${id}/revoke`)).toMatchObject(missing)
  expect((await alice.get('/user/gpg_keys')).body).toEqual([])
  const again = await server.root.post(`/users/${alice.id}/gpg_keys`, { key: key.publicText })
  expect(again.status).toBe(201)
  expect(await server.root.delete(`/users/${bob.id}/gpg_keys/${again.body.id}`)).toMatchObject(missing)
  expect((await server.root.delete(`/users/${alice.id}/gpg_keys/${again.body.id}`)).status).toBe(204)
  expect((await server.root.post(`/users/${alice.id}/gpg_keys`, { key: key.publicText })).status).toBe(201)
})

test('a text that is no public key is refused', async () => {
  const armour = (type: string, content: string) =>
    `-----BEGIN PGP ${type}-----\n\n${content}\n-----END PGP ${type}-----`
  const texts = [
    '',
    'ssh-ed25519 AAAA',
    armour('PUBLIC KEY BLOCK', 'AAAA'),
    armour('PUBLIC KEY BLOCK', ''),
    armour('PUBLIC KEY BLOCK', 'mQ'.repeat(20_000)),
    armour('SIGNATURE', 'AAAA'),
    key.privateKey.armor(),
    key.privateKey.armor().replaceAll('PRIVATE', 'PUBLIC'),
    key.publicText.slice(0, 200),
  ]
  for (const text of texts) {
    expect(await bob.post('/user/gpg_keys', { key: text })).toMatchObject({
      status: 400,
      body: { message: { key: [invalidKeyText] } },
    })
  }
  expect((await bob.post('/user/gpg_keys', { key: 'x'.repeat(70_000) })).body.message).toEqual({
    key: ['is too long (maximum is 65536 characters)'],
  })
  expect((await bob.post('/user/gpg_keys')).body.error).toBe('key is missing')
  expect((await server.root.post('/users/99999999/gpg_keys', { key: key.publicText })).status).toBe(404)
})

test('a key belongs to one user', async () => {
  const contested = await makeKey(['bob@example.com'])
  const answers = await Promise.all([
    ...Array.from({ length: 3 }, () => bob.post('/user/gpg_keys', { key: contested.publicText })),
    ...Array.from({ length: 3 }, () => alice.post('/user/gpg_keys', { key: contested.publicText })),
  ])
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(1)
  for (const { body } of answers.filter(({ status }) => status !== 201)) {
    expect(body).toEqual({ message: { key: ['has already been taken'] } })
  }
})
