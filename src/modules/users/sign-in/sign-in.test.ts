import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import type { ManualClock } from '../../../infra/clock/index.ts'
import { countFailure } from '../../../platform/index.ts'
import { git, type Person, type TestServer, temporaryDirectory } from '../../../testing/index.ts'
import { setPassword } from '../accounts/passwords.ts'
import { changeUser, startWithAliceAndBob } from '../testing.ts'
import { signIn } from './sign-in.ts'

let server: TestServer
let clock: ManualClock
let alice: Person
let bob: Person
const password = 'correct horse 42 battery'

beforeAll(async () => {
  ;({ server, clock, alice, bob } = await startWithAliceAndBob())
  const { platform } = server.app
  for (const name of ['alice', 'bob']) {
    expect(await setPassword(platform.database, name, password, clock.now().toISOString())).toEqual([])
  }
})
afterAll(() => server.stop())

const statusFrom = async (ip: string, login = 'alice') =>
  signIn(server.app.platform, login, password, ip).then(
    (user) => user?.username ?? null,
    (error) => error.status,
  )
const grant = (username: string) =>
  server.anonymous.post('root:/oauth/token', { grant_type: 'password', username, password })

test('failures are counted by address, over all accounts and for unknown ones', async () => {
  const { platform } = server.app
  for (let count = 0; count < 98; count += 1) await countFailure(platform, '192.0.2.1')
  expect(await signIn(platform, 'alice', 'wrong', '192.0.2.1')).toBeNull()
  expect(await statusFrom('192.0.2.1')).toBe('alice')
  expect(await signIn(platform, 'nobody', 'wrong', '192.0.2.1')).toBeNull()
  expect(await statusFrom('192.0.2.1')).toBe(429)
  expect(await statusFrom('192.0.2.1', 'bob')).toBe(429)
  expect(await statusFrom('192.0.2.2')).toBe('alice')
  clock.advance(600_000)
  expect(await statusFrom('192.0.2.1')).toBe('alice')
})

test('addresses of one network of IPv6 count together', async () => {
  for (let count = 0; count < 100; count += 1) await countFailure(server.app.platform, '2001:db8::1')
  expect(await statusFrom('2001:db8::2')).toBe(429)
  expect(await statusFrom('2001:db8:0:1::2')).toBe('alice')
})

test('an address with too many failures gets 429 with Retry-After, over OAuth and git', async () => {
  for (let count = 0; count < 100; count += 1) await countFailure(server.app.platform, '127.0.0.1')
  const refused = await grant('alice')
  expect(refused).toMatchObject({ status: 429, body: { message: 'Retry later' } })
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
  const project = await server.make.project('p', alice)
  await using folder = await temporaryDirectory()
  const url = server.url.replace('//', `//alice:${encodeURIComponent(password)}@`)
  const { code, stderr } = await git(folder.path, 'ls-remote', `${url}/${project.full_path}.git`)
  expect([code === 0, stderr]).toEqual([false, expect.stringContaining('429')])
  clock.advance(600_000)
  expect((await grant('alice')).status).toBe(200)
})

test('a password that an administrator has set is expired; that of the user is not', async () => {
  await changeUser(server, bob.id, { password })
  expect((await grant('bob')).body.error).toBe('invalid_grant')
  expect((await bob.get('/user')).status).toBe(200)
  await setPassword(server.app.platform.database, 'bob', password, clock.now().toISOString())
  expect((await grant('bob')).status).toBe(200)
  await server.root.put('/users/1', { password })
  expect((await grant('root')).status).toBe(200)
})

test('the settings say how many wrong passwords lock an account, and for how long', async () => {
  const settings = { max_login_attempts: 2, failed_login_attempts_unlock_period_in_minutes: 30 }
  await server.root.put('/application/settings', settings)
  onTestFinished(async () => {
    await server.root.put('/application/settings', {
      max_login_attempts: null,
      failed_login_attempts_unlock_period_in_minutes: null,
    })
  })
  const wrong = () => signIn(server.app.platform, 'alice', 'wrong', '192.0.2.9')
  await wrong()
  expect(await statusFrom('192.0.2.9')).toBe('alice')
  await wrong()
  await wrong()
  expect(await statusFrom('192.0.2.9')).toBeNull()
  clock.advance(30 * 60_000 - 1)
  expect(await statusFrom('192.0.2.9')).toBeNull()
  clock.advance(1)
  expect(await statusFrom('192.0.2.9')).toBe('alice')
  expect((await server.root.put('/application/settings', { ...settings, max_login_attempts: 0 })).status).toBe(400)
})

test('a password is not enough with two-factor authentication', async () => {
  const { database } = server.app.platform
  const set = (two_factor_enabled: boolean) =>
    database.write((tx) => tx.updateTable('users').set({ two_factor_enabled }).where('id', '=', bob.id).execute())
  await set(true)
  expect((await grant('bob')).body.error).toBe('invalid_grant')
  await set(false)
  expect((await grant('bob')).status).toBe(200)
})

test('a new password is checked', async () => {
  const { database } = server.app.platform
  const set = (name: string, text: string) => setPassword(database, name, text, clock.now().toISOString())
  expect(await set('nobody', password)).toBeNull()
  expect(await set('bob', 'short')).toEqual(['is too short (minimum is 8 characters)'])
})

test('the protected paths have a throttle of their own, by address', async () => {
  await server.root.put('/application/settings', {
    ...{ throttle_protected_paths_enabled: true, throttle_protected_paths_requests_per_period: 2 },
    throttle_protected_paths_period_in_seconds: 60,
  })
  clock.advance(60_000)
  const statuses = [(await grant('alice')).status, (await grant('nobody')).status, (await grant('alice')).status]
  expect(statuses).toEqual([200, 400, 429])
  expect((await server.anonymous.post('root:/oauth/revoke', { token: 'x' })).status).toBe(429)
  expect((await alice.get('/user')).status).toBe(200)
  clock.advance(60_000)
  expect((await grant('alice')).status).toBe(200)
  await server.root.put('/application/settings', { throttle_protected_paths_enabled: false })
})
