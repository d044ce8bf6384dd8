import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestServer, type TestServer } from '../../../testing/index.ts'
import { addToGrant } from '../authorization/store.ts'
import { issueTokens, newFamily } from '../issue.ts'
import { makeApplication, makeBrowser, makeGrant, makePerson } from '../testing.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.stop())

/** Tokens that an application got of an authorisation. */
async function tokensOf(user: { id: number }) {
  const { platform } = server.app
  const app = await makeApplication(server)
  return platform.database.write(async (tx) => {
    const granting = { userId: user.id, applicationId: app.id, scopes: ['api'], at: '2026-01-02T03:04:05.678Z' }
    const grant = await addToGrant(tx, granting)
    const origin = { user_id: user.id, application_id: app.id, grant_id: grant.id, family: newFamily() }
    return { app, grant, tokens: await issueTokens(platform, tx, origin, ['api']) }
  })
}

const statusOf = async (token: string) =>
  (await server.anonymous.get('/user', { headers: { Authorization: `Bearer ${token}` } })).status

test('users list and end what they have authorised', async () => {
  const user = await server.user('lister')
  await makeGrant(server, await server.user('other'))
  const { app, grant, tokens } = await tokensOf(user)
  const listed = await user.get('/user/authorized_applications')
  const shown = { id: grant.id, application_id: app.client_id, application_name: 'App', scopes: ['api'] }
  expect(listed.body).toEqual([{ ...shown, created_at: grant.created_at, updated_at: grant.updated_at }])
  const path = `/user/authorized_applications/${grant.id}`
  expect((await server.root.delete(path)).status).toBe(404)
  expect(await statusOf(tokens.access_token)).toBe(200)
  expect((await user.delete(path)).status).toBe(204)
  expect(await statusOf(tokens.access_token)).toBe(401)
  const { client_id, client_secret } = app
  const refresh = { grant_type: 'refresh_token', refresh_token: tokens.refresh_token, client_id, client_secret }
  expect((await server.anonymous.post('root:/oauth/token', refresh)).body.error).toBe('invalid_grant')
  expect((await user.delete(path)).status).toBe(404)
})

test('the tokens of an application end with it', async () => {
  const { app, tokens } = await tokensOf(await server.user('ending'))
  await server.root.delete(`/applications/${app.id}`)
  expect(await statusOf(tokens.access_token)).toBe(401)
})

test('people end authorisations on a page', async () => {
  const person = await makePerson(server, 'pager')
  const grant = await makeGrant(server, person, ['read_user'])
  const browser = makeBrowser(server)
  const path = '/-/profile/applications'
  expect((await browser.get(path)).location).toMatch(/^\/users\/sign_in/)
  await browser.signIn('pager')
  const { html } = await browser.get(path)
  expect(html).toContain('<b>App</b>')
  expect(html).toContain('read_user')
  const sent = await browser.submit(html, 'authorized_applications.delete', {})
  expect([sent.status, sent.location]).toEqual([303, path])
  expect((await browser.get(path)).html).not.toContain(`value="${grant.id}"`)
})

test('an application looks into its own tokens', async () => {
  const user = await server.user('looked_into')
  const { app, tokens } = await tokensOf(user)
  const ask = async (of: object, token: string) =>
    (await server.anonymous.post('root:/oauth/introspect', { ...of, token })).body
  const { client_id, client_secret } = app
  const own = { client_id, client_secret }
  const { iat, exp, ...rest } = await ask(own, tokens.access_token)
  expect(rest).toEqual({
    ...{ active: true, scope: 'api', client_id, username: 'looked_into', sub: String(user.id), iss: server.url },
    token_type: 'Bearer',
  })
  expect(exp - iat).toBe(7200)
  expect(await ask(own, tokens.refresh_token)).not.toHaveProperty('exp')
  const other = await makeApplication(server)
  const foreign = { client_id: other.client_id, client_secret: other.client_secret }
  for (const token of [tokens.access_token, tokens.refresh_token, 'x']) {
    expect(await ask(foreign, token)).toEqual({ active: false })
  }
  const open = await makeApplication(server, { confidential: false })
  for (const wrong of [{ client_id: open.client_id }, { client_id }, {}]) {
    expect((await ask(wrong, tokens.access_token)).error).toBe('invalid_client')
  }
  await server.root.post(`/users/${user.id}/block`)
  expect(await ask(own, tokens.access_token)).toEqual({ active: false })
})
