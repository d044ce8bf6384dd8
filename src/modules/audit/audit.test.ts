import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Person, startTestServer, type TestServer } from '../../testing/index.ts'
import { lineOf } from './audit.ts'
import { type AuditFilter, auditEvents } from './store.ts'

let server: TestServer
let alice: Person

beforeAll(async () => {
  server = await startTestServer()
  alice = await server.user('alice')
})
afterAll(() => server.stop())

const events = (filter: Partial<AuditFilter> = {}) =>
  auditEvents(server.app.platform.database.read, { limit: 100, ...filter })
const actsSince = async (last: number) => (await events()).filter(({ id }) => id > last).map(({ act }) => act)
const last = async () => (await events({ limit: 1 }))[0]?.id ?? 0

test('an act has who, how, what, on whom and which members, and no values', async () => {
  const before = await last()
  await server.root.put(`/users/${alice.id}`, { name: 'Renamed', password: 'a long secret 42' })
  const [event] = await events()
  expect(event).toMatchObject({
    ...{ act: 'users.update', actor_id: 1, actor_name: 'root', target_kind: 'user', target_id: alice.id },
    ...{ credential: expect.stringMatching(/^personal \d+$/), changed: ['name', 'password'] },
  })
  const line = JSON.parse(lineOf(event as NonNullable<typeof event>))
  expect(line).toMatchObject({
    by: 'root',
    act: 'users.update',
    target: `user ${alice.id}`,
    changed: ['name', 'password'],
  })
  expect(JSON.stringify(await events())).not.toMatch(/secret 42|Renamed/)
  expect(await actsSince(before)).toEqual(['users.update'])
})

test('the request of a link to set a password, which is not sent, is among the names', async () => {
  const account = { username: 'linkless', name: 'Linkless', email: 'linkless@example.com', reset_password: true }
  expect((await server.root.post('/users', account)).status).toBe(201)
  const [event] = await events()
  expect(event).toMatchObject({ act: 'users.create', changed: expect.arrayContaining(['reset_password']) })
})

test('the expiry of an access token is recorded once, by a daily job', async () => {
  const { database, jobs, clock } = server.app.platform
  const today = clock.now().toISOString().slice(0, 10)
  const made = async (name: string) => {
    const wanted = { name, scopes: ['api'] }
    const { status, body } = await server.root.post(`/users/${alice.id}/personal_access_tokens`, wanted)
    expect(status).toBe(201)
    return body.id as number
  }
  const [due, revoked, later] = [await made('due'), await made('revoked'), await made('later')]
  await database.write(async (tx) => {
    const change = (id: number, changes: object) =>
      tx.updateTable('access_tokens').set(changes).where('id', '=', id).execute()
    await change(due, { expires_at: today })
    await change(revoked, { expires_at: today, revoked: true })
    await change(later, { expires_at: '2999-01-01' })
  })
  for (let round = 0; round < 2; round += 1) {
    await database.write((tx) => jobs.enqueue(tx, 'access_tokens.record_expiry', null))
    await jobs.drain()
  }
  const found = await events({ act: 'access_tokens.expire', target: { kind: 'user', id: alice.id } })
  expect(found).toMatchObject([{ actor_id: null, actor_name: 'Fennec', detail: String(due), changed: [] }])
})

test('what fails and what changes nothing leaves no line', async () => {
  const before = await last()
  await server.root.put(`/users/${alice.id}`, { username: 'in valid' })
  await server.root.post(`/users/${alice.id}/unblock`)
  await server.root.delete('/users/99999999')
  await server.root.put('/application/settings', { gravatar_enabled: 'x' })
  expect(await actsSince(before)).toEqual([])
})

test('what users do to their own accounts is no act of an administrator', async () => {
  const before = await last()
  await alice.post('/user/emails', { email: 'own@example.com' })
  await server.root.post('/user/emails', { email: 'root@second.example' })
  await server.root.put('/user/status', { message: 'x' })
  expect(await actsSince(before)).toEqual([])
})

test('acts are found by administrator, act and target, the newest first', async () => {
  const at = `/users/${alice.id}`
  await server.root.post(`${at}/block`)
  await server.root.post(`${at}/unblock`)
  await server.root.post(`${at}/custom_attributes/x`)
  await server.root.put(`${at}/custom_attributes/x`, { value: '1' })
  await server.root.put('/application/settings', { gravatar_enabled: true })
  await server.root.put('/application/settings', { gravatar_enabled: false })
  const target = { kind: 'user', id: alice.id }
  expect((await events({ target, limit: 3 })).map(({ act }) => act)).toEqual([
    'user_custom_attributes.put',
    'users.unblock',
    'users.block',
  ])
  const [first, second] = await events({ act: 'settings.update' })
  expect(first?.changed).toEqual(['gravatar_enabled'])
  expect((await events({ act: 'settings.update', before: first?.id ?? 0 }))[0]?.id).toBe(second?.id)
  expect(await events({ actor: 'alice' })).toEqual([])
})
