import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { ManualClock } from '../../../infra/clock/index.ts'
import type { Person, TestServer } from '../../../testing/index.ts'
import { setPassword } from '../accounts/passwords.ts'
import { codeOf, enableTwoFactor, startWithAliceAndBob } from '../testing.ts'

let server: TestServer
let clock: ManualClock
let alice: Person
let bob: Person
const password = 'correct horse 42 battery'

beforeAll(async () => {
  ;({ server, clock, alice, bob } = await startWithAliceAndBob())
  await setPassword(server.app.platform.database, 'alice', password, clock.now().toISOString())
})
afterAll(() => server.stop())
// Past every lock and every code.
beforeEach(() => clock.advance(3_600_000))

const path = '/user/two_factor'
const refused = (status: number, message: unknown) => ({ status, body: { message } })
const wrongCode = refused(400, { code: ['is invalid'] })
const alreadyEnabled = refused(409, 'Two-factor authentication is already enabled')
const notEnabled = refused(400, '400 Bad request - Two-factor authentication is not enabled for this user')
const isEnabled = async (user: Person) => (await user.get('/user')).body.two_factor_enabled
const stored = async (table: 'two_factors' | 'recovery_codes', user: Person) =>
  server.app.platform.database.read.selectFrom(table).selectAll().where('user_id', '=', user.id).execute()

test('a user gets a secret for the password, and enables it by a code', async () => {
  expect(await alice.put(path, { code: '123456' })).toMatchObject(
    refused(400, '400 Bad request - There is no secret for two-factor authentication'),
  )
  expect(await alice.post(path)).toMatchObject(refused(400, { password: ["can't be blank"] }))
  expect(await alice.post(path, { password: 'wrong' })).toMatchObject(refused(400, { password: ['is invalid'] }))
  const first = await alice.post(path, { password })
  const { body, status } = await alice.post(path, { password })
  expect([status, body]).toEqual([
    201,
    { secret: expect.stringMatching(/^[A-Z2-7]{32}$/), otpauth_uri: expect.stringMatching(/^otpauth:\/\/totp\//) },
  ])
  expect(body.otpauth_uri).toContain(`secret=${body.secret}`)
  expect(body.otpauth_uri).toContain('alice')
  expect(await isEnabled(alice)).toBe(false)
  expect(await alice.put(path, { code: codeOf(server, first.body.secret) })).toMatchObject(wrongCode)
  const code = codeOf(server, body.secret)
  const enabled = await alice.put(path, { code })
  expect(enabled.status).toBe(200)
  expect(new Set(enabled.body.recovery_codes).size).toBe(10)
  expect(await isEnabled(alice)).toBe(true)
  expect([await alice.put(path, { code }), await alice.post(path, { password })]).toMatchObject([
    alreadyEnabled,
    alreadyEnabled,
  ])
  const rows = JSON.stringify([await stored('two_factors', alice), await stored('recovery_codes', alice)])
  for (const text of [body.secret, ...enabled.body.recovery_codes]) expect(rows).not.toContain(text)
  await server.root.patch(`/users/${alice.id}/disable_two_factor`)
  expect([await stored('two_factors', alice), await stored('recovery_codes', alice)]).toEqual([[], []])
})

test('bots have none', async () => {
  const { database } = server.app.platform
  const bot = await server.user('robot')
  const set = { bot_kind: 'service_account' } as const
  await database.write((tx) => tx.updateTable('users').set(set).where('id', '=', bot.id).execute())
  expect(await bot.post(path)).toMatchObject(refused(403, '403 Forbidden'))
})

test('recovery codes are replaced by a code', async () => {
  const renew = (code: string) => bob.post(`${path}/recovery_codes`, { code })
  expect(await renew('x')).toMatchObject(notEnabled)
  const { secret, codes } = await enableTwoFactor(server, bob)
  const [first = '', second = ''] = codes
  expect(await renew(codeOf(server, secret)), 'the code has been used').toMatchObject(wrongCode)
  const renewed = await renew(first)
  expect([renewed.status, renewed.body.recovery_codes.length]).toEqual([201, 10])
  expect(await renew(second)).toMatchObject(wrongCode)
  expect((await renew(codeOf(server, secret, 1))).status).toBe(201)
  await server.root.patch(`/users/${bob.id}/disable_two_factor`)
})

test('a user disables it by a code or the password', async () => {
  const remove = (body: object) => alice.delete(path, { body })
  expect((await remove({})).body.error).toBe('code, password are missing, at least one parameter must be provided')
  expect([await remove({ code: 'x' }), await remove({ password })]).toMatchObject([notEnabled, notEnabled])
  const { secret } = await enableTwoFactor(server, alice, password)
  expect(await remove({ code: 'x' })).toMatchObject(wrongCode)
  expect(await remove({ code: 'x', password })).toMatchObject(wrongCode)
  expect(await remove({ password: 'wrong' })).toMatchObject(refused(400, { password: ['is invalid'] }))
  expect((await remove({ code: codeOf(server, secret, 1) })).status).toBe(204)
  expect([await isEnabled(alice), await stored('recovery_codes', alice)]).toEqual([false, []])
  clock.advance(60_000)
  await enableTwoFactor(server, alice, password)
  expect((await remove({ password })).status).toBe(204)
  expect([await isEnabled(alice), await stored('two_factors', alice)]).toEqual([false, []])
})

test('ten wrong codes lock the account', async () => {
  const { codes } = await enableTwoFactor(server, bob)
  const [code = '', last = ''] = codes
  const renew = (one: string) => bob.post(`${path}/recovery_codes`, { code: one })
  for (let count = 0; count < 10; count += 1) expect(await renew('000000000')).toMatchObject(wrongCode)
  expect(await renew(code)).toMatchObject(wrongCode)
  clock.advance(600_000)
  expect((await renew(last)).status).toBe(201)
})
