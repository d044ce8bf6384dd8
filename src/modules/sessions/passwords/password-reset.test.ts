import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { manualClock } from '../../../infra/clock/index.ts'
import { startTestServer, type TestServer } from '../../../testing/index.ts'
import { startMailServer } from '../../../testing/mail.ts'
import { requestPasswordReset, resetPassword, signIn, signUp } from '../index.ts'
import { sessionOf } from '../sessions.ts'
import { browser, makeSession } from '../testing.ts'

const clock = manualClock({ start: '2026-03-10T12:00:00.000Z' })
let mails: Awaited<ReturnType<typeof startMailServer>>
let server: TestServer

beforeAll(async () => {
  mails = await startMailServer()
  server = await startTestServer({ clock, settings: { FENNEC_SMTP_URL: mails.url } })
})
afterAll(async () => {
  await server?.stop()
  await mails?.[Symbol.asyncDispose]()
})
beforeEach(() => {
  clock.advance(7_200_000)
  mails.received.length = 0
})

const password = 'correct horse 42 battery'

/** Asks for a link. @returns the token of the mail, if one was sent */
async function linkFor(address: string): Promise<string | undefined> {
  expect(await requestPasswordReset(server.app.platform, address, browser.ip)).toBe(true)
  await server.app.platform.jobs.drain()
  const mail = mails.received.findLast(({ to }) => to.includes(address.toLowerCase()))
  return /\/users\/password\/edit\?reset_password_token=(\S+)/.exec(mail?.text ?? '')?.[1]
}

const reset = (token: string | undefined, to = password) =>
  resetPassword(server.app.platform, token ?? '', to).then(
    () => 'set',
    ({ body }) => body.message,
  )
const attempt = async (username: string) => (await signIn(server.app.platform, { username, password }, browser)).kind

describe('a forgotten password', () => {
  test('is replaced by the link of a mail, once, which ends all sessions', async () => {
    const ann = await server.user('ann')
    const { token: session } = await makeSession(server, ann)
    const token = await linkFor('ANN@example.com')
    const short = { password: ['is too short (minimum is 8 characters)'] }
    expect([await reset('x'), await reset(token, 'short')]).toEqual(['Reset password token is invalid', short])
    expect(await sessionOf(server.app.platform, session, browser)).not.toBeNull()
    expect(await reset(token)).toBe('set')
    expect(await sessionOf(server.app.platform, session, browser)).toBeNull()
    expect(await attempt('ann')).toBe('signed_in')
    expect(await reset(token)).toBe('Reset password token is invalid')
  })

  test('is not replaced after six hours, nor once the address or the right to sign in is gone', async () => {
    const bea = await server.user('bea')
    const late = await linkFor('bea@example.com')
    clock.advance(6 * 3_600_000)
    expect(await reset(late)).toBe('Reset password token has expired')
    const token = await linkFor('bea@example.com')
    await server.root.post(`/users/${bea.id}/block`)
    expect(await reset(token)).toBe('Reset password token is invalid')
    mails.received.length = 0
    expect(await linkFor('bea@example.com')).toBeUndefined()
    await server.root.post(`/users/${bea.id}/unblock`)
    await server.root.put(`/users/${bea.id}`, { email: 'other@example.com' })
    expect(await reset(token)).toBe('Reset password token is invalid')
  })

  test('is answered alike for addresses without an account and for those with too many mails', async () => {
    await server.user('cem')
    expect([await linkFor('nobody@example.com'), await linkFor('no address')]).toEqual([undefined, undefined])
    for (let count = 0; count < 7; count += 1) await linkFor('cem@example.com')
    expect(mails.received.length).toBe(5)
    const { platform } = server.app
    for (let count = 0; count < 11; count += 1) await requestPasswordReset(platform, 'no address', browser.ip)
    await expect(requestPasswordReset(platform, 'no address', browser.ip)).rejects.toMatchObject({ status: 429 })
  })
})

describe('signing up', () => {
  const account = (username: string) => ({ username, name: username, email: `${username}@example.com`, password })
  const up = (username: string) => signUp(server.app.platform, account(username), browser.ip)
  const set = async (settings: object) => {
    expect((await server.root.put('/application/settings', settings)).status).toBe(200)
  }

  test('makes an account that an administrator approves', async () => {
    expect(await up('dan')).toEqual({ kind: 'signed_up', needs: 'approval' })
    expect(await attempt('dan')).toBe('refused')
    const [{ id }] = (await server.root.get('/users?username=dan')).body
    expect((await server.root.post(`/users/${id}/approve`)).status).toBe(201)
    expect(await attempt('dan')).toBe('signed_in')
    await expect(up('dan')).rejects.toMatchObject({ status: 409 })
  })

  test('makes one that is confirmed by mail, or can be used at once', async () => {
    await set({ require_admin_approval_after_user_signup: false })
    expect(await up('eli')).toEqual({ kind: 'signed_up', needs: 'nothing' })
    expect(await attempt('eli')).toBe('signed_in')
    await set({ email_confirmation_setting: 'hard' })
    expect(await up('fay')).toEqual({ kind: 'signed_up', needs: 'confirmation' })
    await server.app.platform.jobs.drain()
    expect(mails.received[0]?.text).toContain('/users/confirmation?')
    await set({ email_confirmation_setting: 'off' })
  })

  test('is limited to domains, and switched off', async () => {
    const refused = { body: { message: { email: ['is not allowed for sign-up'] } } }
    for (const domain_allowlist of [['other.com'], ['*.example.com']]) {
      await set({ domain_allowlist })
      await expect(up('gus')).rejects.toMatchObject(refused)
    }
    await set({ domain_allowlist: ['*.COM'], domain_denylist_enabled: true, domain_denylist: ['example.com'] })
    await expect(up('gus')).rejects.toMatchObject(refused)
    await set({ domain_allowlist: [], domain_denylist_enabled: false, signup_enabled: false })
    expect(await up('gus')).toEqual({ kind: 'closed' })
  })
})
