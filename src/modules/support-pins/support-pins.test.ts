/** Support PINs (contract 26.11, and step 13 of the acceptance walk). */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ManualClock, manualClock } from '../../index.ts'
import { type Person, startTestServer, type TestServer } from '../../testing/index.ts'

let server: TestServer
let clock: ManualClock
let [alice, bob]: Person[] = []

beforeAll(async () => {
  clock = manualClock({ start: '2026-03-01T12:00:00.000Z' })
  server = await startTestServer({ clock })
  ;[alice, bob] = [await server.user('alice'), await server.user('bob')]
})
afterAll(() => server.stop())

const own = '/user/support_pin'
const missing = { status: 404, body: { message: '404 Support PIN not found or expired' } }

test('a user has one for seven days, of which a new one takes the place', async () => {
  expect(await alice?.get(own)).toMatchObject(missing)
  const first = await alice?.post(own)
  expect([first?.status, first?.body]).toEqual([
    201,
    { pin: expect.stringMatching(/^\d{6}$/), expires_at: '2026-03-08T12:00:00.000Z' },
  ])
  expect((await alice?.get(own))?.body).toEqual(first?.body)
  expect(await bob?.get(own)).toMatchObject(missing)
  clock.advance(86_400_000)
  const second = await alice?.post(own)
  expect(second?.body.expires_at).toBe('2026-03-09T12:00:00.000Z')
  expect((await alice?.get(own))?.body).toEqual(second?.body)
  clock.advance(7 * 86_400_000 - 1)
  expect((await alice?.get(own))?.status).toBe(200)
  clock.advance(1)
  expect(await alice?.get(own)).toMatchObject(missing)
  expect(await server.root.get(`/users/${alice?.id}/support_pin`)).toMatchObject(missing)
  expect((await server.anonymous.get(own)).status).toBe(401)
  expect((await server.anonymous.post(own)).status).toBe(401)
})

test('administrators read and revoke those of others, which is recorded without the PIN', async () => {
  const { body } = (await alice?.post(own)) ?? {}
  const at = `/users/${alice?.id}/support_pin`
  expect((await server.root.get(at)).body).toEqual(body)
  expect((await bob?.get(at))?.status).toBe(403)
  expect((await alice?.get(at))?.status).toBe(403)
  expect((await bob?.post(`${at}/revoke`))?.status).toBe(403)
  const revoked = await server.root.post(`${at}/revoke`)
  expect([revoked.status, revoked.body]).toEqual([202, 202])
  expect(await server.root.post(`${at}/revoke`)).toMatchObject({
    status: 404,
    body: { message: '404 Support PIN not found or already expired' },
  })
  expect(await alice?.get(own)).toMatchObject(missing)
  for (const path of ['/users/99999999/support_pin', '/users/99999999/support_pin/revoke']) {
    const answer = await server.root.request(path.endsWith('revoke') ? 'POST' : 'GET', path)
    expect(answer).toMatchObject({ status: 404, body: { message: '404 User Not Found' } })
  }
  const events = (await server.root.get(`/audit_events?entity_type=User&entity_id=${alice?.id}`)).body
  expect(events.map(({ event_name: name }: { event_name: string }) => name)).toEqual([
    ...['users_support_pin_revoke', 'users_support_pin_get'],
  ])
  expect(JSON.stringify(events)).not.toContain(body.pin)
})

test('one is stored sealed, and two that are made at once leave one', async () => {
  const made = await Promise.all([bob?.post(own), bob?.post(own), bob?.post(own)])
  expect(made.map((answer) => answer?.status)).toEqual([201, 201, 201])
  const { body } = (await bob?.get(own)) ?? {}
  expect(made.map((answer) => answer?.body.pin)).toContain(body.pin)
  const rows = await server.app.platform.database.read.selectFrom('support_pins').selectAll().execute()
  expect(rows.filter(({ user_id: id }) => id === bob?.id)).toHaveLength(1)
  expect(JSON.stringify(rows)).not.toContain(`"${body.pin}"`)
})
