import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { ManualClock } from '../../infra/clock/index.ts'
import { countFailure } from '../../platform/index.ts'
import type { Person, TestServer } from '../../testing/index.ts'
import { setPassword } from '../users/index.ts'
import { codeOf, enableTwoFactor, startWithAliceAndBob } from '../users/testing.ts'
import { sessionOf } from './sessions.ts'
import { type Login, signIn } from './sign-in.ts'
import { browser } from './testing.ts'

let server: TestServer
let clock: ManualClock
let alice: Person
let bob: Person
const password = 'correct horse 42 battery'

beforeAll(async () => {
  ;({ server, clock, alice, bob } = await startWithAliceAndBob())
  for (const name of ['alice', 'bob']) {
    await setPassword(server.app.platform.database, name, password, clock.now().toISOString())
  }
})
afterAll(() => server.stop())
// Past every lock and every code.
beforeEach(() => clock.advance(3_600_000))

const attempt = (login: Partial<Login> = {}, from = browser) =>
  signIn(server.app.platform, { username: 'alice', password, ...login }, from)
const change = (user: Person, changes: object) =>
  server.app.platform.database.write((tx) => tx.updateTable('users').set(changes).where('id', '=', user.id).execute())

describe('signing in by a password', () => {
  test('begins a session, for a username and for an address', async () => {
    for (const username of ['alice', 'ALICE', 'alice@example.com']) {
      const result = await attempt({ username })
      expect(result).toEqual({
        ...{ kind: 'signed_in', token: expect.stringMatching(/^[0-9a-f]{64}$/) },
        expiresAt: new Date(clock.now().getTime() + 14 * 86_400_000).toISOString(),
      })
      const token = result.kind === 'signed_in' ? result.token : ''
      expect((await sessionOf(server.app.platform, token, browser))?.actor.userId).toBe(alice.id)
    }
    expect((await server.root.get(`/users/${alice.id}`)).body).toMatchObject({
      ...{ sign_in_count: 3, current_sign_in_ip: browser.ip },
    })
  })

  test('is refused for a wrong login or password, ten of which lock the account', async () => {
    const wrong = { kind: 'wrong' }
    expect([await attempt({ username: 'nobody' }), await attempt({ username: 'ali\u0000' })]).toEqual([wrong, wrong])
    for (let count = 0; count < 10; count += 1) expect(await attempt({ password: 'wrong' })).toEqual(wrong)
    expect(await attempt()).toEqual(wrong)
    clock.advance(600_000)
    expect((await attempt()).kind).toBe('signed_in')
  })

  test('is refused from an address with too many failures', async () => {
    const from = { ...browser, ip: '192.0.2.9' }
    for (let count = 0; count < 100; count += 1) await countFailure(server.app.platform, from.ip)
    await expect(attempt({}, from)).rejects.toMatchObject({ status: 429 })
  })

  test('is refused while the setting is off, or the account may not be used', async () => {
    const set = (password_authentication_enabled_for_web: boolean) =>
      server.root.put('/application/settings', { password_authentication_enabled_for_web })
    await set(false)
    expect(await attempt()).toMatchObject({ kind: 'refused' })
    await set(true)
    await server.root.post(`/users/${bob.id}/block`)
    const refused = { kind: 'refused', reason: 'Your account has been blocked.' }
    expect(await attempt({ username: 'bob' })).toEqual(refused)
    expect(await attempt({ username: 'bob', password: 'wrong' })).toEqual({ kind: 'wrong' })
    await server.root.post(`/users/${bob.id}/unblock`)
  })

  test('activates a deactivated account', async () => {
    await change(bob, { state: 'deactivated' })
    expect((await bob.get('/user')).status).toBe(403)
    expect((await attempt({ username: 'bob' })).kind).toBe('signed_in')
    expect((await bob.get('/user')).body.state).toBe('active')
  })

  test('replaces an expired password on the way in', async () => {
    await server.root.put(`/users/${bob.id}`, { password })
    const bobs = (newPassword?: string) => attempt({ username: 'bob', newPassword })
    expect(await bobs()).toEqual({ kind: 'password_expired', problems: [] })
    const short = ['is too short (minimum is 8 characters)']
    expect(await bobs('short')).toEqual({ kind: 'password_expired', problems: short })
    expect(await bobs(password)).toEqual({ kind: 'password_expired', problems: ['must be another one'] })
    const newPassword = `${password} 2`
    expect((await bobs(newPassword)).kind).toBe('signed_in')
    expect(await attempt({ username: 'bob' })).toEqual({ kind: 'wrong' })
    expect((await attempt({ username: 'bob', password: newPassword })).kind).toBe('signed_in')
  })
})

describe('signing in with two factors', () => {
  let secret = ''
  let codes: string[] = []
  beforeAll(async () => {
    ;({ secret, codes } = await enableTwoFactor(server, alice, password))
  })

  test('takes a code of the present step or of one beside it, once', async () => {
    expect(await attempt()).toEqual({ kind: 'code_needed', isWrong: false })
    const wrong = { kind: 'code_needed', isWrong: true }
    for (const steps of [-2, 2]) expect(await attempt({ code: codeOf(server, secret, steps) })).toEqual(wrong)
    const now = codeOf(server, secret)
    expect((await attempt({ code: codeOf(server, secret, -1) })).kind).toBe('signed_in')
    const answers = await Promise.all([attempt({ code: now }), attempt({ code: now })])
    expect(answers.map(({ kind }) => kind).sort()).toEqual(['code_needed', 'signed_in'])
    // A step that is past.
    expect(await attempt({ code: codeOf(server, secret, -1) })).toEqual(wrong)
    const next = codeOf(server, secret, 1)
    expect((await attempt({ code: `${next.slice(0, 3)} ${next.slice(3)}` })).kind).toBe('signed_in')
  })

  test('takes each recovery code once', async () => {
    const code = codes.pop()
    expect((await attempt({ code: code?.toUpperCase() })).kind).toBe('signed_in')
    expect(await attempt({ code })).toEqual({ kind: 'code_needed', isWrong: true })
  })

  test('counts a wrong code as a wrong password; a right password alone forgets none', async () => {
    expect((await attempt({ code: codes.pop() })).kind).toBe('signed_in')
    for (let count = 0; count < 10; count += 1) {
      expect(await attempt({ code: '000000x' })).toEqual({ kind: 'code_needed', isWrong: true })
      if (count === 5) expect(await attempt()).toEqual({ kind: 'code_needed', isWrong: false })
    }
    expect(await attempt({ code: codeOf(server, secret) })).toEqual({ kind: 'wrong' })
    clock.advance(600_000)
    expect((await attempt({ code: codeOf(server, secret) })).kind).toBe('signed_in')
  })

  test('needs the code for a new password, too', async () => {
    await change(alice, { password_expired: true })
    const newPassword = `${password} 2`
    expect(await attempt()).toEqual({ kind: 'password_expired', problems: [] })
    expect(await attempt({ newPassword })).toEqual({ kind: 'code_needed', isWrong: false })
    expect((await attempt({ newPassword, code: codeOf(server, secret) })).kind).toBe('signed_in')
    expect(await attempt({ password: newPassword })).toEqual({ kind: 'code_needed', isWrong: false })
  })
})
