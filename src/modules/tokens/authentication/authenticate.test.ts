import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { manualClock } from '../../../infra/clock/index.ts'
import { hashToken, randomHex } from '../../../infra/secrets/index.ts'
import { type Person, startTestServer, type TestServer } from '../../../testing/index.ts'
import { type UserState, updateUser } from '../../users/index.ts'
import { insertAccessToken } from '../store/access-tokens.ts'
import type { AccessTokenKind } from '../tables.ts'
import { start } from '../testing.ts'
import { accountProblem } from './account.ts'

const clock = manualClock({ start })

let server: TestServer
beforeAll(async () => {
  server = await startTestServer({ clock })
})
afterAll(() => server.stop())

const self = '/personal_access_tokens/self'
const unauthorized = { status: 401, body: { message: '401 Unauthorized' } }
const bearer = (token: string) => ({ headers: { Authorization: `Bearer ${token}` } })
const invalidToken = (description: string) => ({
  status: 401,
  body: { error: 'invalid_token', error_description: description },
})
const expired = invalidToken('Token is expired. You can either do re-authorization or token refresh.')
const revoked = invalidToken('Token was revoked. You have to re-authorize from the user.')
const forbidden = (reason: string) => ({ status: 403, body: { message: `403 Forbidden - ${reason}` } })

async function oauthToken(user: { id: number }, expires_at: string, isRevoked = false): Promise<string> {
  const text = randomHex(32)
  const row = { user_id: user.id, digest: hashToken(text), refresh_digest: hashToken(randomHex(32)), expires_at }
  const values = { ...row, family: 'a', scopes: '["api"]', revoked: isRevoked, created_at: start }
  await server.app.platform.database.write((tx) => tx.insertInto('oauth_tokens').values(values).execute())
  return text
}

async function tokenOfKind(kind: AccessTokenKind, user: { id: number }, expires_at: string | null = null) {
  const text = `seeded-token-${randomHex(8)}`
  const row = { kind, user_id: user.id, name: kind, digest: hashToken(text), scopes: '["api"]', expires_at }
  await server.app.platform.database.write((tx) => insertAccessToken(tx, { ...row, created_at: start }))
  return text
}

function change(user: { id: number }, changes: Parameters<typeof updateUser>[2]) {
  return server.app.platform.database.write((tx) => updateUser(tx, user.id, changes))
}

/** The id of the user that a request is authenticated as, or the status of the error. */
async function whoIs(path: string, headers: Record<string, string> = {}) {
  const answer = await server.anonymous.get(path, { headers })
  return answer.status === 200 ? answer.body.user_id : answer.status
}

describe('a token is accepted', () => {
  let user: Person
  beforeAll(async () => {
    user = await server.user('carrying')
  })

  test('from each carrier', async () => {
    const { token, id } = user
    expect(await whoIs(self, { 'pRiVaTe-ToKeN': token })).toBe(id)
    expect(await whoIs(`${self}?private_token=${token}`)).toBe(id)
    expect(await whoIs(self, { Authorization: `Bearer ${token}` })).toBe(id)
    expect(await whoIs(self, { Authorization: `bearer ${token}` })).toBe(id)
    expect(await whoIs(`${self}?access_token=${token}`)).toBe(id)
    const body = { name: 'a', scopes: ['k8s_proxy'], private_token: token }
    const made = await server.anonymous.post('/user/personal_access_tokens', body)
    expect(made).toMatchObject({ status: 201, body: { user_id: id } })
    expect(JSON.stringify(made.body)).not.toContain(token)
  })

  test('not from Basic authentication, cookies or the headers of other kinds', async () => {
    const basic = `Basic ${Buffer.from(`x:${user.token}`).toString('base64')}`
    expect(await whoIs(self, { Authorization: basic })).toBe(401)
    expect(await whoIs(self, { 'Deploy-Token': user.token })).toBe(401)
    expect(await whoIs(self, { 'JOB-TOKEN': user.token })).toBe(401)
    expect(await whoIs(self, { Cookie: `private_token=${user.token}` })).toBe(401)
    expect(await whoIs('/version', { 'JOB-TOKEN': user.token })).toBe(401)
  })

  test('from the first carrier present, without falling back to the next', async () => {
    const other = await server.user('carrying_too')
    const both = { Authorization: `Bearer ${other.token}`, 'PRIVATE-TOKEN': user.token }
    expect(await whoIs(self, both)).toBe(other.id)
    expect(await whoIs(`${self}?access_token=${other.token}`, { 'PRIVATE-TOKEN': user.token })).toBe(other.id)
    expect(await whoIs(self, { ...both, Authorization: 'Bearer wrong' })).toBe(401)
    expect(await whoIs(self, { ...both, 'JOB-TOKEN': 'x' })).toBe(401)
    expect(await whoIs(self, { 'PRIVATE-TOKEN': '', Authorization: `Bearer ${user.token}` })).toBe(user.id)
    expect(await whoIs(`${self}?private_token=${user.token}`, { Authorization: 'Bearer ' })).toBe(user.id)
  })

  test('of each kind', async () => {
    for (const kind of ['personal', 'impersonation', 'project', 'group', 'service_account'] as const) {
      const client = server.as(await tokenOfKind(kind, user))
      expect((await client.get(self)).body, kind).toMatchObject({ user_id: user.id, name: kind })
    }
  })

  test('of OAuth only as a bearer token', async () => {
    const text = await oauthToken(user, '2026-03-04T07:06:07.890Z')
    const wrongType = 'This endpoint requires token type to be a personal access token'
    const notPersonal = { status: 400, body: { message: `400 Bad request - ${wrongType}` } }
    expect(await server.anonymous.get('/version', bearer(text))).toMatchObject({ status: 200 })
    expect(await server.anonymous.get(`/version?access_token=${text}`)).toMatchObject({ status: 200 })
    expect(await server.as(text).get('/version')).toMatchObject(unauthorized)
    expect(await server.anonymous.get(`/version?private_token=${text}`)).toMatchObject(unauthorized)
    expect(await server.anonymous.get(self, bearer(text))).toMatchObject(notPersonal)
    expect(await server.anonymous.delete(self, bearer(text))).toMatchObject(notPersonal)
    const rotation = await server.anonymous.post(`${self}/rotate`, undefined, bearer(text))
    expect(rotation).toMatchObject({ status: 405, body: { message: '405 Method Not Allowed' } })
  })
})

describe('a token is refused', () => {
  test('when it is unknown, whatever its form', async () => {
    const user = await server.user('unknown_token')
    const texts = [
      'nope',
      'glpat-aaaaaaaaaaaaaaaaaaaa',
      user.token.toUpperCase(),
      `${user.token}x`,
      user.token.slice(0, -1),
      hashToken(user.token),
      "' or 1=1 --",
      'x'.repeat(10_000),
    ]
    for (const text of texts) {
      expect(await server.as(text).get('/version'), text.slice(0, 40)).toMatchObject(unauthorized)
      expect(await server.anonymous.get('/version', bearer(text)), text.slice(0, 40)).toMatchObject(unauthorized)
    }
    for (const query of ['%00', '%F0%9F%A6%8A', '%ff', `${user.token}%00`]) {
      expect((await server.anonymous.get(`/version?private_token=${query}`)).status, query).toBe(401)
    }
    const huge = await server.anonymous.post('/user/personal_access_tokens', { private_token: 'x'.repeat(1_000_000) })
    expect(huge).toMatchObject(unauthorized)
  })

  test('from the day on which it expires', async () => {
    const user = await server.user('expiring')
    const tomorrow = server.as(await server.make.token(user, ['api'], '2026-03-05'))
    const today = server.as(await server.make.token(user, ['api'], '2026-03-04'))
    expect((await tomorrow.get(self)).body).toMatchObject({ active: true })
    const answer = await today.get(self)
    expect(answer).toMatchObject(expired)
    expect(answer.headers.get('www-authenticate')).toBe(
      'Bearer realm="Protected by OAuth 2.0", error="invalid_token", ' +
        'error_description="Token is expired. You can either do re-authorization or token refresh."',
    )
    const oauth = await oauthToken(user, start)
    expect(await server.anonymous.get('/version', bearer(oauth))).toMatchObject(expired)
  })

  test('as revoked when it is both revoked and expired', async () => {
    const user = await server.user('revoked_token')
    const text = await server.make.token(user, ['api'], '2026-03-04')
    const { database } = server.app.platform
    const row = database.write((tx) =>
      tx.updateTable('access_tokens').set({ revoked: true }).where('digest', '=', hashToken(text)).execute(),
    )
    await row
    const answer = await server.as(text).get('/version')
    expect(answer).toMatchObject(revoked)
    expect(answer.headers.get('www-authenticate')).toContain('error_description="Token was revoked.')
    const oauth = await oauthToken(user, '2027-01-01T00:00:00.000Z', true)
    expect(await server.anonymous.get('/version', bearer(oauth))).toMatchObject(revoked)
  })

  const blocked = 'Your account has been blocked.'
  const deactivated =
    'Your account has been deactivated by your administrator. Please log back in from a web browser to reactivate your account.'
  const pending = 'Your account is pending approval from your administrator and hence blocked.'
  test.each<[UserState, string]>([
    ['blocked', blocked],
    ['banned', blocked],
    ['ldap_blocked', blocked],
    ['deactivated', deactivated],
    ['blocked_pending_approval', pending],
  ])('while its user is %s', async (state, reason) => {
    const user = await server.user(`state_${state}`)
    const oauth = await oauthToken(user, '2027-01-01T00:00:00.000Z')
    const impersonation = server.as(await tokenOfKind('impersonation', user))
    expect((await user.get('/version')).status).toBe(200)
    await change(user, { state })
    expect(await user.get('/version')).toMatchObject(forbidden(reason))
    expect(await user.delete(self)).toMatchObject(forbidden(reason))
    expect(await impersonation.get('/version')).toMatchObject(forbidden(reason))
    expect(await server.anonymous.get('/version', bearer(oauth))).toMatchObject(forbidden(reason))
    const acting = await server.root.get('/version', { headers: { Sudo: user.username } })
    expect(acting).toMatchObject(forbidden(reason))
    await change(user, { state: 'active' })
    expect((await user.get('/version')).status).toBe(200)
  })

  test('while confirmation of the e-mail address is required and missing', async () => {
    const user = await server.user('unconfirmed')
    await change(user, { confirmed_at: null })
    expect((await user.get('/version')).status).toBe(200)
    await server.root.put('/application/settings', { email_confirmation_setting: 'hard' })
    expect(await user.get('/version')).toMatchObject(
      forbidden(
        'Your primary email address is not confirmed. Please check your inbox for the confirmation instructions.',
      ),
    )
    await change(user, { bot_kind: 'service_account' })
    expect((await user.get('/version')).status).toBe(200)
    await server.root.put('/application/settings', { email_confirmation_setting: 'off' })
  })
})

describe('an administrator', () => {
  test('needs a token with admin_mode while Admin Mode is on', async () => {
    const plain = server.as(await server.make.token({ id: 1 }, ['api']))
    const raised = server.as(await server.make.token({ id: 1 }, ['api', 'admin_mode']))
    const notAdministrator = await server.user('not_admin')
    const pretending = server.as(await server.make.token(notAdministrator, ['api', 'admin_mode', 'sudo']))
    expect((await plain.get('/deploy_tokens')).status).toBe(200)
    await raised.put('/application/settings', { admin_mode: true })
    expect((await plain.get('/deploy_tokens')).status).toBe(403)
    expect((await raised.get('/deploy_tokens')).status).toBe(200)
    await raised.put('/application/settings', { admin_mode: false })
    expect((await pretending.get('/deploy_tokens')).status).toBe(403)
    expect(await pretending.get('/version?sudo=root')).toMatchObject(forbidden('Must be admin to use sudo'))
  })

  test('may impersonate a user by id or by username in any case', async () => {
    const user = await server.user('Target_User')
    for (const name of [String(user.id), 'target_user', 'TARGET_USER']) {
      const list = await server.root.get('/personal_access_tokens', { headers: { Sudo: name } })
      expect(list.body, name).toMatchObject([{ user_id: user.id }])
    }
    for (const name of ['nobody', '999999', '9'.repeat(40), "x' or 1=1"]) {
      expect(await server.root.get('/version', { headers: { Sudo: name } })).toMatchObject({
        status: 404,
        body: { message: `404 User with ID or username '${name}' Not Found` },
      })
    }
  })
})

describe('the use of a token', () => {
  test('is recorded at most every ten minutes, and the activity of its user once a day', async () => {
    const user = await server.user('using')
    const { database } = server.app.platform
    const usedAt = async () => (await user.get(self)).body.last_used_at
    const first = clock.now().toISOString()
    expect(await usedAt()).toBe(first)
    clock.advance(599_999)
    expect(await usedAt()).toBe(first)
    clock.advance(1)
    const second = clock.now().toISOString()
    expect(await usedAt()).toBe(second)
    const row = await database.read.selectFrom('users').selectAll().where('id', '=', user.id).executeTakeFirstOrThrow()
    expect(row.last_activity_on).toBe(second.slice(0, 10))
  })

  test('is not recorded for a rejected token', async () => {
    const user = await server.user('using_blocked')
    await change(user, { state: 'blocked' })
    expect((await user.get(self)).status).toBe(403)
    await change(user, { state: 'active' })
    const [token] = (await server.root.get(`/personal_access_tokens?user_id=${user.id}`)).body
    expect(token).toMatchObject({ last_used_at: null })
  })

  test('by concurrent requests succeeds', async () => {
    const user = await server.user('using_much')
    const answers = await Promise.all(Array.from({ length: 20 }, () => user.get(self)))
    expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200))
  })
})

describe('an account', () => {
  test('of a bot needs no confirmed e-mail address', () => {
    const common = { user_id: 1, username: 'a', state: 'active' as const, is_admin: false, external: false }
    const account = { ...common, removed_at: null }
    const policy = { admin_mode: false, email_confirmation_setting: 'soft' as const }
    expect(accountProblem({ ...account, bot_kind: null, confirmed_at: start }, policy)).toBeNull()
    for (const bot_kind of ['project_bot', 'group_bot', 'service_account'] as const) {
      expect(accountProblem({ ...account, bot_kind, confirmed_at: null }, policy)).toBeNull()
    }
    expect(accountProblem({ ...account, bot_kind: null, confirmed_at: null }, policy)).toMatch(/not confirmed/)
  })
})
