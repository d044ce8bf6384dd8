import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { ManualClock } from '../../../infra/clock/index.ts'
import type { Person, TestServer } from '../../../testing/index.ts'
import { setPassword } from '../../users/index.ts'
import { startWithAliceAndBob } from '../../users/testing.ts'
import { signIn } from '../index.ts'
import { sessionOf } from '../sessions.ts'
import { browser, makeSession } from '../testing.ts'
import { changeOwnPassword } from './own-password.ts'

let server: TestServer
let clock: ManualClock
let alice: Person
let bob: Person
const old = 'correct horse 42 battery'
const password = 'correct horse 43 battery'
const path = '/user/password'

beforeAll(async () => {
  ;({ server, clock, alice, bob } = await startWithAliceAndBob())
})
afterAll(() => server.stop())
beforeEach(async () => {
  // Past every lock.
  clock.advance(3_600_000)
  for (const name of ['alice', 'bob']) {
    await setPassword(server.app.platform.database, name, old, clock.now().toISOString())
  }
})

const attempt = async (username: string, tried: string) =>
  (await signIn(server.app.platform, { username, password: tried }, browser)).kind
const refused = (message: unknown) => ({ status: 400, body: { message } })
const isOpen = async ({ token }: { token: string }) => (await sessionOf(server.app.platform, token, browser)) !== null

test('a user changes their password by the present one, and other users keep theirs', async () => {
  expect((await alice.put(path, { current_password: old, password })).status).toBe(204)
  expect([await attempt('alice', old), await attempt('alice', password)]).toEqual(['wrong', 'signed_in'])
  expect(await attempt('bob', old)).toBe('signed_in')
})

test('the new password is another one, and has the form of passwords', async () => {
  for (const [tried, problem] of [
    [old, 'must be another one'],
    ['', "can't be blank"],
    ['short', 'is too short (minimum is 8 characters)'],
  ] as const) {
    const answer = await alice.put(path, { current_password: old, password: tried })
    expect(answer).toMatchObject(refused({ password: [problem] }))
  }
  expect(await attempt('alice', old)).toBe('signed_in')
})

test('a wrong present password changes nothing, and the tenth locks the account', async () => {
  const wrong = refused({ current_password: ['is invalid'] })
  expect(await alice.put(path, { current_password: '', password })).toMatchObject(
    refused({ current_password: ["can't be blank"] }),
  )
  for (let count = 0; count < 9; count++) {
    expect(await alice.put(path, { current_password: 'wrong', password })).toMatchObject(wrong)
  }
  expect(await attempt('alice', old)).toBe('signed_in')
  for (let count = 0; count < 10; count++) {
    expect(await alice.put(path, { current_password: 'wrong', password })).toMatchObject(wrong)
  }
  expect(await alice.put(path, { current_password: old, password })).toMatchObject(wrong)
  clock.advance(600_000)
  expect((await alice.put(path, { current_password: old, password })).status).toBe(204)
})

test('all sessions of the user end but the one that changes it', async () => {
  const [one, two, other] = [
    await makeSession(server, alice),
    await makeSession(server, alice),
    await makeSession(server, bob),
  ]
  const { actor } = (await sessionOf(server.app.platform, one.token, browser)) ?? {}
  if (!actor) throw new Error('no session')
  const given = { current_password: old, password }
  await changeOwnPassword(server.app.platform, { actor, ip: browser.ip }, given)
  expect([await isOpen(one), await isOpen(two), await isOpen(other)]).toEqual([true, false, true])
  await alice.put(path, { current_password: password, password: old })
  expect([await isOpen(one), await isOpen(other)]).toEqual([false, true])
})

test('programs have no password, and a present one cannot be guessed where there is none', async () => {
  const account = { name: 'Program', username: 'program' }
  const { body: program } = await server.root.post('/service_accounts', account)
  const { body } = await server.root.post(`/users/${program.id}/personal_access_tokens`, { name: 'a', scopes: ['api'] })
  const given = { current_password: old, password }
  expect((await server.as(body.token).put(path, given)).status).toBe(403)
  const without = await server.user('without')
  expect(await without.put(path, given)).toMatchObject(refused({ current_password: ['is invalid'] }))
})

test('requests are limited as those of other protected paths', async () => {
  const limit = { throttle_protected_paths_enabled: true, throttle_protected_paths_requests_per_period: 1 }
  await server.root.put('/application/settings', limit)
  const wrong = { current_password: 'wrong', password }
  const statuses = [await alice.put(path, wrong), await alice.put(path, wrong)].map(({ status }) => status)
  await server.root.put('/application/settings', { throttle_protected_paths_enabled: false })
  expect(statuses).toEqual([400, 429])
})
