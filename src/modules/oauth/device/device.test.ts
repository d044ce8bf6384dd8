import * as openid from 'openid-client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { manualClock } from '../../../index.ts'
import { startTestServer, type TestServer } from '../../../testing/index.ts'
import { type Browser, makeApplication, makeBrowser, makePerson } from '../testing.ts'
import { newUserCode, plainUserCode } from './device.ts'

const clock = manualClock({ start: new Date().toISOString() })
let server: TestServer
let alice: { id: number }
let browser: Browser
beforeAll(async () => {
  server = await startTestServer({ clock })
  alice = await makePerson(server, 'alice')
  browser = makeBrowser(server)
  await browser.signIn('alice')
})
afterAll(() => server.stop())

const operation = 'oauth_device_authorization.create'
const grant_type = 'urn:ietf:params:oauth:grant-type:device_code'

type Application = Awaited<ReturnType<typeof makeApplication>>
const makeProgram = () => makeApplication(server, { confidential: false })
const begin = async ({ client_id }: Application, scope = 'read_user') =>
  (await server.anonymous.post('root:/oauth/authorize_device', { client_id, scope })).body
const poll = async ({ client_id }: Application, device_code: string) =>
  (await server.anonymous.post('root:/oauth/token', { client_id, device_code, grant_type })).body

async function decide(user_code: string, decision: string) {
  const { html } = await browser.get(`/oauth/device?user_code=${user_code}`)
  return browser.get((await browser.submit(html, operation, { decision })).location)
}

test('an independent client is authorised on a device', async () => {
  const app = await makeProgram()
  const config = await openid.discovery(new URL(server.url), app.client_id, undefined, openid.None(), {
    execute: [openid.allowInsecureRequests],
  })
  const asked = await openid.initiateDeviceAuthorization(config, { scope: 'openid read_user' })
  const path = new URL(asked.verification_uri_complete ?? '').href.slice(server.url.length)
  expect((await makeBrowser(server).get(path)).location).toBe(`/users/sign_in?return_to=${encodeURIComponent(path)}`)
  const { html } = await browser.get(path)
  expect(html).toContain('<strong>App</strong> asks for access to your account <strong>@alice</strong>')
  const sent = await browser.submit(html, operation, { decision: 'allow' })
  expect([sent.status, sent.location]).toEqual([303, '/oauth/device?answer=allow'])
  expect((await browser.get(sent.location)).html).toContain('has access to your account now')
  const tokens = await openid.pollDeviceAuthorizationGrant(config, { ...asked, interval: 0.01 })
  expect(tokens.claims()?.sub).toBe(String(alice.id))
  const headers = { Authorization: `Bearer ${tokens.access_token}` }
  expect((await server.anonymous.get('/user', { headers })).status).toBe(200)
  expect((await poll(app, asked.device_code)).error).toBe('invalid_grant')
})

describe('a device', () => {
  test('waits, and asks less often when it asks too often', async () => {
    const app = await makeProgram()
    const { device_code, user_code } = await begin(app)
    const errors: string[] = []
    for (const seconds of [0, 1, 6, 20]) {
      clock.advance(seconds * 1000)
      errors.push((await poll(app, device_code)).error)
    }
    expect(errors).toEqual(['authorization_pending', 'slow_down', 'slow_down', 'authorization_pending'])
    expect((await poll(await makeProgram(), device_code)).error).toBe('invalid_grant')
    await decide(user_code.toLowerCase().replace('-', ' '), 'allow')
    expect((await poll(app, device_code)).scope).toBe('read_user')
  })

  test('hears that it was denied, or that its code has expired', async () => {
    const app = await makeProgram()
    const denied = await begin(app)
    expect((await decide(denied.user_code, 'deny')).html).toContain('got no access')
    expect((await poll(app, denied.device_code)).error).toBe('access_denied')
    expect((await browser.get(`/oauth/device?user_code=${denied.user_code}`)).html).toContain('There is no such code')
    const late = await begin(app)
    clock.advance(600_000)
    expect((await poll(app, late.device_code)).error).toBe('expired_token')
    expect((await browser.get(`/oauth/device?user_code=${late.user_code}`)).html).toContain('There is no such code')
  })

  test('asks for scopes of its application, as that application', async () => {
    const app = await makeProgram()
    expect((await begin(app, 'write_repository')).error).toBe('invalid_scope')
    expect((await begin({ ...app, client_id: 'x' })).error).toBe('invalid_client')
    expect((await begin(await makeApplication(server))).error).toBe('invalid_client')
    expect((await server.anonymous.post('root:/oauth/authorize_device')).body.error).toBe('invalid_client')
  })
})

test('codes are decided about by people, who may try a few', async () => {
  const { user_code } = await begin(await makeProgram())
  expect((await server.root.get(`/oauth/device_authorization?user_code=${user_code}`)).status).toBe(403)
  expect((await server.root.post('/oauth/device_authorization', { user_code, decision: 'allow' })).status).toBe(403)
  clock.advance(600_000)
  const statuses: number[] = []
  for (let count = 0; count < 31; count++) {
    statuses.push((await browser.get(`/oauth/device?user_code=${newUserCode()}`)).status)
  }
  expect([statuses[29], statuses[30]]).toEqual([200, 429])
})

test('codes of people have no letters that are mistaken for others', () => {
  expect(newUserCode()).toMatch(/^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/)
  expect(plainUserCode(' bcdf ghjk\n')).toBe('BCDFGHJK')
})
