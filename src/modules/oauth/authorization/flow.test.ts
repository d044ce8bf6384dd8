/** The flow of codes, of an independent client and of attackers (RFC 9700), through the pages. */
import { decodeJwt } from 'jose'
import * as client from 'openid-client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { manualClock } from '../../../index.ts'
import { startTestServer, type TestServer } from '../../../testing/index.ts'
import { type Browser, callback, makeApplication, makeBrowser, makePerson } from '../testing.ts'

// The client checks times by its own clock.
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

type Application = Awaited<ReturnType<typeof makeApplication>>

const operation = 'oauth_authorization.create'
const verifier = client.randomPKCECodeVerifier()
const challenge = await client.calculatePKCECodeChallenge(verifier)
const pkce = { code_challenge: challenge, code_challenge_method: 'S256' }

const addressOf = (app: Application, more: Record<string, string> = {}) =>
  `/oauth/authorize?${new URLSearchParams({
    ...{ client_id: app.client_id, redirect_uri: callback, response_type: 'code', state: 's1', scope: 'read_user' },
    ...pkce,
    ...more,
  })}`

async function decide(app: Application, decision = 'allow', more: Record<string, string> = {}) {
  const { html, location } = await browser.get(addressOf(app, more))
  return new URL(location || (await browser.submit(html, operation, { decision })).location)
}

const codeFor = async (app: Application, more: Record<string, string> = {}) =>
  (await decide(app, 'allow', more)).searchParams.get('code') ?? ''

const token = (app: Application, fields: Record<string, string>) =>
  server.anonymous.post('root:/oauth/token', new URLSearchParams({ ...credentials(app), ...fields }))
const credentials = ({ client_id, client_secret }: Application) => ({ client_id, client_secret })
const redeem = (app: Application, code: string, more: Record<string, string> = {}) =>
  token(app, { grant_type: 'authorization_code', code, redirect_uri: callback, code_verifier: verifier, ...more })
const user = async (access: string) =>
  (await server.anonymous.get('/user', { headers: { Authorization: `Bearer ${access}` } })).status

const paramsOf = ({ searchParams }: URL) => Object.fromEntries(searchParams)

describe('an independent client', () => {
  test('signs a person in by OpenID Connect, refreshes, and reads who it is', async () => {
    const app = await makeApplication(server)
    const config = await client.discovery(new URL(server.url), app.client_id, app.client_secret, undefined, {
      execute: [client.allowInsecureRequests],
    })
    const nonce = client.randomNonce()
    const state = client.randomState()
    const address = client.buildAuthorizationUrl(config, {
      ...{ redirect_uri: callback, scope: 'openid profile email read_user', nonce, state, max_age: '3600' },
      ...pkce,
    })
    const path = `${address.pathname}${address.search}`
    const own = makeBrowser(server)
    const first = await own.get(path)
    expect([first.status, first.location]).toEqual([302, `/users/sign_in?return_to=${encodeURIComponent(path)}`])
    const back = await own.signIn('alice', path)
    expect(back).toBe(path)
    const page = await own.get(back)
    expect(page.html).toContain('<strong>App</strong> asks for access to your account <strong>@alice</strong>')
    expect(page.html).toContain('Read your e-mail address')
    expect(page.headers.get('content-security-policy')).toContain("form-action 'self' https://app.example;")
    expect(page.headers.get('x-frame-options')).toBe('DENY')
    const sent = await own.submit(page.html, operation, { decision: 'allow' })
    expect(sent.status).toBe(303)
    const checks = { expectedState: state, expectedNonce: nonce, pkceCodeVerifier: verifier, maxAge: 3600 }
    const tokens = await client.authorizationCodeGrant(config, new URL(sent.location), {
      ...checks,
      idTokenExpected: true,
    })
    expect(tokens.claims()).toMatchObject({ sub: String(alice.id), email: 'alice@example.com', nonce })
    expect(tokens.scope).toBe('openid profile email read_user')
    const info = await client.fetchUserInfo(config, tokens.access_token, String(alice.id))
    expect(info).toMatchObject({ preferred_username: 'alice', email: 'alice@example.com', email_verified: true })
    const fresh = await client.refreshTokenGrant(config, tokens.refresh_token ?? '')
    expect([await user(tokens.access_token), await user(fresh.access_token)]).toEqual([401, 200])
    await client.tokenRevocation(config, fresh.access_token)
    expect(await user(fresh.access_token)).toBe(401)
    // The person has allowed the same before.
    const again = await own.get(path)
    expect([again.status, new URL(again.location).searchParams.get('iss')]).toEqual([302, server.url])
  })
})

describe('the page', () => {
  test('never redirects to an address that is not registered, to the byte', async () => {
    const app = await makeApplication(server, { redirect_uri: `${callback}\nhttp://127.0.0.1:1/cb` })
    const wrong = [`${callback}/`, `${callback}?a=b`, 'https://app.example', 'https://app.example.evil.test/callback']
    for (const redirect_uri of [
      ...wrong,
      'http://127.0.0.1:1@evil.test/cb',
      'http://127.0.0.1.evil.test/cb',
      '//x',
      '',
    ]) {
      for (const one of [browser, makeBrowser(server)]) {
        const { status, location } = await one.get(addressOf(app, { redirect_uri, prompt: 'none' }))
        expect([redirect_uri, status, location]).toEqual([redirect_uri, 400, ''])
      }
    }
    expect((await browser.get(addressOf({ ...app, client_id: 'x' }))).status).toBe(400)
    const native = await browser.get(addressOf(app, { redirect_uri: 'http://127.0.0.1:4711/cb' }))
    expect(native.headers.get('content-security-policy')).toContain("form-action 'self' http://127.0.0.1:4711;")
  })

  test.each([
    [{ response_type: 'token' }, 'unsupported_response_type'],
    [{ scope: 'nothing' }, 'invalid_scope'],
    [{ scope: 'sudo' }, 'invalid_scope'],
    [{ code_challenge_method: 'plain' }, 'invalid_request'],
    [{ code_challenge: 'short' }, 'invalid_request'],
    [{ prompt: 'none consent' }, 'invalid_request'],
    [{ prompt: 'none' }, 'consent_required'],
    [{ request: 'x' }, 'request_not_supported'],
    [{ response_mode: 'fragment' }, 'invalid_request'],
    [{ response_type: '' }, 'invalid_request'],
    [{ request_uri: 'https://app.example/request' }, 'request_uri_not_supported'],
    [{ nonce: 'x'.repeat(1_025) }, 'invalid_request'],
    [{ nonce: 'x'.repeat(1_024) }, null],
    [{ max_age: '-1' }, 'invalid_request'],
    [{ code_challenge_method: '' }, 'invalid_request'],
  ])('leads %j back with the error %s', async (more, error) => {
    const { searchParams } = await decide(await makeApplication(server), 'allow', more)
    expect([searchParams.get('error'), searchParams.get('state'), searchParams.get('iss')]).toEqual([
      error,
      's1',
      server.url,
    ])
  })

  test('leads a refusal back, and takes decisions of its own forms and of people only', async () => {
    const app = await makeApplication(server)
    expect(paramsOf(await decide(app, 'deny'))).toMatchObject({ error: 'access_denied', state: 's1' })
    const { html } = await browser.get(addressOf(app))
    const fields = { _operation: operation, decision: 'allow', client_id: app.client_id, redirect_uri: callback }
    expect((await browser.forge(addressOf(app), fields)).status).toBe(403)
    expect(html).toContain('Deny')
    const call = { client_id: app.client_id, redirect_uri: callback, response_type: 'code', decision: 'allow', ...pkce }
    expect((await server.root.post('/oauth/authorization', call)).status).toBe(403)
  })

  test('asks to sign in again when the application wants that', async () => {
    const app = await makeApplication(server)
    expect((await browser.get(addressOf(app, { prompt: 'login' }))).location).toMatch(/^\/users\/sign_in\?.*again=1$/)
    clock.advance(60_000)
    const { location } = await browser.get(addressOf(app, { max_age: '30' }))
    expect(location).toMatch(/^\/users\/sign_in\?.*again=1$/)
    expect((await browser.get(location)).html).toContain('name="password"')
    const then = new URL(location, server.url).searchParams.get('return_to') ?? ''
    const back = await browser.signIn('alice', then)
    expect((await browser.get(back)).html).toContain('asks for access')
  })

  test('asks each time for programs of a device, which others could pretend to be', async () => {
    const redirect_uri = 'http://127.0.0.1:4711/cb'
    const app = await makeApplication(server, { redirect_uri, confidential: false })
    for (const _ of [1, 2]) {
      const { html } = await browser.get(addressOf(app, { redirect_uri }))
      const { location } = await browser.submit(html, operation, { decision: 'allow' })
      const code = new URL(location).searchParams.get('code') ?? ''
      const { client_id } = app
      const body = { grant_type: 'authorization_code', client_id, code, redirect_uri, code_verifier: verifier }
      expect((await server.anonymous.post('root:/oauth/token', body)).status).toBe(200)
    }
    const bare = addressOf(app, { redirect_uri, code_challenge: '', code_challenge_method: '' })
    const { location } = await browser.get(bare)
    expect(new URL(location).searchParams.get('error_description')).toBe('Missing required parameter: code_challenge.')
  })
})

describe('a code', () => {
  test('is used once; a second use ends the tokens of the first', async () => {
    const app = await makeApplication(server)
    const code = await codeFor(app)
    const { status, body, headers } = await redeem(app, code)
    expect(headers.get('cache-control')).toBe('no-store')
    expect([status, body.scope, body.id_token]).toEqual([200, 'read_user', undefined])
    expect((await token(app, { grant_type: 'refresh_token', refresh_token: body.refresh_token })).status).toBe(200)
    expect((await redeem(app, code)).body.error).toBe('invalid_grant')
    const { body: other } = await redeem(app, await codeFor(app))
    expect(await user(other.access_token)).toBe(200)
    expect(await user(body.access_token)).toBe(401)
  })

  test('is for its client, its address and its verifier', async () => {
    const app = await makeApplication(server)
    const code = await codeFor(app)
    const bare = await codeFor(app, { code_challenge: '', code_challenge_method: '' })
    expect(bare).toMatch(/^[0-9a-f]{64}$/)
    const tries = [
      redeem(await makeApplication(server), code),
      redeem(app, code, { redirect_uri: 'https://app.example/other' }),
      redeem(app, code, { code_verifier: 'x'.repeat(43) }),
      token(app, { grant_type: 'authorization_code', code, redirect_uri: callback }),
      redeem(app, bare),
      redeem(app, 'x'),
    ]
    for (const answer of await Promise.all(tries)) expect(answer.body.error).toBe('invalid_grant')
    expect((await redeem({ ...app, client_secret: 'wrong' }, code)).status).toBe(401)
    expect((await redeem(app, code)).status).toBe(200)
    const withoutPkce = { grant_type: 'authorization_code', code: bare, redirect_uri: callback }
    expect((await token(app, withoutPkce)).status).toBe(200)
  })

  test('lasts ten minutes, and ends with the account', async () => {
    const app = await makeApplication(server)
    const late = await codeFor(app)
    clock.advance(600_000)
    expect((await redeem(app, late)).status).toBe(400)
    const bob = await makePerson(server, 'bob')
    const ofBob = makeBrowser(server)
    await ofBob.signIn('bob')
    const { html } = await ofBob.get(addressOf(app))
    const { location } = await ofBob.submit(html, operation, { decision: 'allow' })
    await server.root.post(`/users/${bob.id}/block`)
    expect((await redeem(app, new URL(location).searchParams.get('code') ?? '')).status).toBe(400)
  })

  test('of two uses at once, one gets tokens, which the other ends', async () => {
    const app = await makeApplication(server)
    const code = await codeFor(app)
    const answers = await Promise.all([redeem(app, code), redeem(app, code)])
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400])
    expect(await user(answers.find(({ status }) => status === 200)?.body.access_token)).toBe(401)
  })
})

test('a refresh token that is used again ends all that came of it', async () => {
  const app = await makeApplication(server)
  const { body: first } = await redeem(app, await codeFor(app))
  const refresh = (one: { refresh_token: string }) =>
    token(app, { grant_type: 'refresh_token', refresh_token: one.refresh_token })
  const { body: second } = await refresh(first)
  expect(await user(second.access_token)).toBe(200)
  expect((await refresh(first)).body.error).toBe('invalid_grant')
  expect(await user(second.access_token)).toBe(401)
  expect((await refresh(second)).body.error).toBe('invalid_grant')
})

test('an ID token says when the user signed in, and is signed with a published key', async () => {
  const app = await makeApplication(server)
  const { body } = await redeem(app, await codeFor(app, { scope: 'openid', nonce: 'n' }))
  const { auth_time, ...claims } = decodeJwt(body.id_token)
  expect(claims).toMatchObject({ iss: server.url, aud: app.client_id, sub: String(alice.id), nonce: 'n' })
  expect(claims).not.toHaveProperty('email')
  expect(auth_time).toBeLessThanOrEqual(claims.iat ?? 0)
  const { keys } = (await server.anonymous.get('root:/oauth/discovery/keys')).body
  expect(keys).toEqual([expect.objectContaining({ alg: 'RS256', kid: expect.any(String), kty: 'RSA', use: 'sig' })])
  expect(JSON.stringify(keys)).not.toContain('"d"')
  const headers = { Authorization: `Bearer ${(await redeem(app, await codeFor(app))).body.access_token}` }
  expect((await server.anonymous.get('root:/oauth/userinfo', { headers })).status).toBe(403)
  const { body: described } = await server.anonymous.get('root:/.well-known/oauth-authorization-server')
  expect(described.issuer).toBe(server.url)
})
