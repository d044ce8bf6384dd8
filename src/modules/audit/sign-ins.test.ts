/** Events of accounts: sign-ins, own keys, own tokens and own passwords (contract 26 R5), and how long events are kept. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ManualClock, manualClock } from '../../index.ts'
import { type Person, startTestServer, type TestServer } from '../../testing/index.ts'
import { ed25519Line } from '../keys/testing.ts'
import { deleteOldEventsJob } from './expiry.ts'

let server: TestServer
let clock: ManualClock
let alice: Person
const password = 'correct horse 42 battery'

beforeAll(async () => {
  clock = manualClock({ start: '2026-03-01T12:00:00.000Z' })
  server = await startTestServer({ clock })
  alice = await server.user('alice')
  await server.root.put(`/users/${alice.id}`, { password })
  await server.app.platform.database.write((tx) =>
    tx.updateTable('users').set({ password_expired: false }).where('id', '=', alice.id).execute(),
  )
})
afterAll(() => server.stop())

type Event = { author_id: number; event_name: string; details: Record<string, unknown> }
const events = async (): Promise<Event[]> =>
  (await server.root.get(`/audit_events?entity_type=User&entity_id=${alice.id}`)).body
const names = async () => (await events()).map(({ event_name: name }) => name)

const signIn = (given: string) =>
  fetch(`${server.url}/oauth/token`, {
    method: 'POST',
    body: new URLSearchParams({ grant_type: 'password', username: 'alice', password: given }),
  })

test('an administrator changes a password', async () => {
  expect(await events()).toMatchObject([
    { author_id: 1, event_name: 'user_password_updated', details: { change: 'password', target_type: 'User' } },
  ])
})

test('sign-ins by password, right and wrong; those within a minute are one', async () => {
  expect((await signIn(password)).status).toBe(200)
  expect((await events())[0]).toMatchObject({
    author_id: alice.id,
    details: { event_name: 'authenticated_with_password', with: 'standard', ip_address: '127.0.0.1' },
  })
  expect((await signIn(password)).status).toBe(200)
  expect((await signIn('wrong')).status).toBe(400)
  expect((await events())[0]).toMatchObject({
    author_id: -1,
    details: {
      ...{ event_name: 'login_failed_with_standard_authentication', failed_login: 'STANDARD' },
      ...{ author_class: 'Gitlab::Audit::UnauthenticatedAuthor', author_name: 'alice', ip_address: '127.0.0.1' },
    },
  })
  clock.advance(60_000)
  expect((await signIn(password)).status).toBe(200)
  expect((await names()).slice(0, 3)).toEqual([
    ...['authenticated_with_password', 'login_failed_with_standard_authentication', 'authenticated_with_password'],
  ])
  expect(JSON.stringify(await events())).not.toMatch(/correct horse|wrong/)
})

test('own keys and tokens, and the own password', async () => {
  const before = (await names()).length
  const key = (await alice.post('/user/keys', { title: 'k', key: ed25519Line('own') })).body
  expect((await events())[0]).toMatchObject({
    author_id: alice.id,
    details: { event_name: 'add_ssh_key', custom_message: 'Added SSH key', target_id: key.id, target_type: 'Key' },
  })
  await alice.delete(`/user/keys/${key.id}`)
  const token = (await alice.post('/user/personal_access_tokens', { name: 't', scopes: ['k8s_proxy'] })).body
  await alice.delete(`/personal_access_tokens/${token.id}`)
  await alice.put('/user/password', { current_password: password, password: `${password} 2` })
  const found = await names()
  expect(found.slice(0, found.length - before)).toEqual([
    ...['user_password_updated', 'personal_access_token_revoked', 'personal_access_token_created'],
    ...['remove_ssh_key', 'add_ssh_key'],
  ])
  expect(JSON.stringify(await events())).not.toContain(token.token)
})

test('events are kept for ever, or for some days, which is looked at daily', async () => {
  const { platform } = server.app
  const run = async () => {
    await platform.database.write((tx) => platform.jobs.enqueue(tx, 'audit_events.delete_old', null))
    await platform.jobs.drain()
  }
  const count = async () => {
    const query = platform.database.read.selectFrom('audit_events').select((eb) => eb.fn.countAll<number>().as('count'))
    return Number((await query.executeTakeFirstOrThrow()).count)
  }
  const all = await count()
  clock.advance(10 * 86_400_000)
  await run()
  expect(await count()).toBe(all)
  const { config } = platform
  const kept = config.auditKeepDays
  try {
    config.auditKeepDays = 11
    await run()
    expect(await count()).toBe(all)
    await alice.post('/user/keys', { title: 'late', key: ed25519Line('late') })
    config.auditKeepDays = 10
    clock.advance(86_400_000)
    await run()
    expect(await count()).toBe(1)
    expect(await names()).toEqual(['add_ssh_key'])
    config.auditKeepDays = 2
    clock.advance(86_400_000)
    await run()
    expect(await count()).toBe(1)
    clock.advance(1)
    await run()
    expect(await count()).toBe(0)
    expect(deleteOldEventsJob.every).toEqual({ seconds: 86_400, offsetSeconds: 11_700 })
  } finally {
    config.auditKeepDays = kept
  }
})
