import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestServer, type TestServer } from '../../../testing/index.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.stop())

let number = 0
/** Parameters of a user with a new username. */
function newUser(changes: Record<string, unknown> = {}) {
  number += 1
  const username = `someone${number}`
  return { email: `${username}@example.com`, name: 'Some Body', username, password: 'korrekt-horse-9', ...changes }
}

const badName =
  "can contain only letters, digits, '_', '-' and '.'. Cannot start with '-' or end in '.', '.git' or '.atom'."

describe('creating a user', () => {
  test('returns the whole user, with the fields in the order of the contract', async () => {
    const { status, body } = await server.root.post(
      '/users',
      newUser({ username: 'alice', email: 'alice@example.com' }),
    )
    expect(status).toBe(201)
    expect(Object.keys(body).join(' ')).toBe(
      'id username public_email name state locked avatar_url web_url created_at bio location skype linkedin twitter ' +
        'discord website_url organization job_title pronouns bot work_information followers following is_followed ' +
        'local_time last_sign_in_at confirmed_at last_activity_on email theme_id color_scheme_id projects_limit ' +
        'current_sign_in_at identities can_create_group can_create_project two_factor_enabled external private_profile ' +
        'commit_email shared_runners_minutes_limit extra_shared_runners_minutes_limit scim_identities is_admin note ' +
        'namespace_id created_by email_reset_offered_at using_license_seat is_auditor provisioned_by_group_id ' +
        'enterprise_group_id enterprise_group_associated_at',
    )
    expect(body).toMatchObject({
      username: 'alice',
      public_email: null,
      state: 'active',
      locked: false,
      avatar_url: null,
      web_url: `${server.url}/alice`,
      bio: '',
      bot: false,
      email: 'alice@example.com',
      theme_id: 3,
      color_scheme_id: 1,
      projects_limit: 100_000,
      identities: [],
      can_create_group: true,
      can_create_project: true,
      external: false,
      private_profile: false,
      commit_email: 'alice@example.com',
      is_admin: false,
      note: null,
      created_by: { id: 1, username: 'root' },
      using_license_seat: true,
    })
    expect(body.confirmed_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    expect(Number.isInteger(body.namespace_id)).toBe(true)
  })

  test('accepts all fields, also in a form', async () => {
    const given = {
      bio: 'I am',
      location: 'Here',
      skype: 's',
      linkedin: 'l',
      twitter: 't',
      discord: 'd',
      website_url: 'https://example.com',
      organization: 'Firm',
      job_title: 'Smith',
      pronouns: 'they',
      note: 'remember',
      theme_id: 11,
      color_scheme_id: 6,
      projects_limit: 7,
      shared_runners_minutes_limit: 133,
      extra_shared_runners_minutes_limit: 0,
      external: true,
      private_profile: true,
      can_create_group: false,
    }
    const plain = Object.entries(newUser({ ...given, admin: 'yes', auditor: 'off' }))
    const form = new URLSearchParams(Object.fromEntries(plain.map(([name, value]) => [name, String(value)])))
    const { status, body } = await server.root.post('/users', form)
    expect(status).toBe(201)
    expect(body).toMatchObject({ ...given, is_admin: true, is_auditor: false, work_information: 'Smith at Firm' })
    expect(body.can_create_project).toBe(false)
  })

  test('refuses to make an auditor, since auditors would read nothing more than others', async () => {
    const refused = { status: 400, body: { message: { auditor: ['is not supported'] } } }
    expect(await server.root.post('/users', newUser({ auditor: true }))).toMatchObject(refused)
    const { id } = (await server.root.post('/users', newUser({ auditor: false }))).body
    expect(await server.root.put(`/users/${id}`, { auditor: true })).toMatchObject(refused)
    expect((await server.root.put(`/users/${id}`, { auditor: false })).body.is_auditor).toBe(false)
  })

  test('sets an identity, a public address and a commit address', async () => {
    const input = newUser({ provider: 'saml', extern_uid: 'x-1' })
    const addresses = { public_email: input.email, commit_email: '_private' }
    const { status, body } = await server.root.post('/users', { ...input, ...addresses })
    expect(status).toBe(201)
    expect(body).toMatchObject({
      public_email: input.email,
      commit_email: `${body.id}-${input.username}@users.noreply.127.0.0.1`,
      identities: [{ provider: 'saml', extern_uid: 'x-1', saml_provider_id: null }],
    })
    const again = await server.root.post('/users', newUser({ provider: 'saml', extern_uid: 'x-1' }))
    expect(again).toMatchObject({
      status: 400,
      body: { message: { 'identities.extern_uid': ['has already been taken'] } },
    })
    const half = await server.root.post('/users', newUser({ provider: 'saml' }))
    expect(half.status).toBe(400)
    expect(half.body).toEqual({
      message: {
        extern_uid: ['provide all or none of parameters'],
        provider: ['provide all or none of parameters'],
      },
      error: 'extern_uid, provider provide all or none of parameters',
    })
  })

  test('creates the personal namespace', async () => {
    const { body } = await server.root.post('/users', newUser())
    const { database } = server.app.platform
    const namespace = await database.read
      .selectFrom('namespaces')
      .selectAll()
      .where('id', '=', body.namespace_id)
      .executeTakeFirst()
    expect(namespace).toMatchObject({ kind: 'user', path: body.username, owner_id: body.id })
  })

  test('requires a password or the request of a random one', async () => {
    const { password, ...without } = newUser()
    expect(password).not.toBe('')
    const refused = await server.root.post('/users', without)
    expect(refused.status).toBe(400)
    expect(refused.body).toEqual({
      message: '400 (Bad request) "password", "reset_password", "force_random_password" not given',
      error: 'password, reset_password, force_random_password are missing, at least one parameter must be provided',
    })
    expect((await server.root.post('/users', { ...without, force_random_password: true })).status).toBe(201)
    const { password: unused, ...other } = newUser()
    expect(unused).not.toBe('')
    expect((await server.root.post('/users', { ...other, reset_password: true })).status).toBe(201)
    const blank = await server.root.post('/users', newUser({ password: '' }))
    expect(blank).toMatchObject({ status: 400, body: { message: { password: ["can't be blank"] } } })
  })

  test('names missing parameters', async () => {
    const { status, body } = await server.root.post('/users', {})
    expect(status).toBe(400)
    expect(body).toEqual({
      message: '400 (Bad request) "email", "name", "username" not given',
      error: 'email is missing, name is missing, username is missing',
    })
  })

  test.each([
    ['email', 'nonsense', ['is invalid']],
    ['email', 'a b@example.com', ['is invalid']],
    ['email', 'a@b@example.com', ['is invalid']],
    ['email', `${'a'.repeat(250)}@example.com`, ['is invalid']],
    ['email', 'a@example.com\r\nBcc: b@example.com', ['is invalid']],
    ['password', 'short', ['is too short (minimum is 8 characters)']],
    ['password', 'x'.repeat(129), ['is too long (maximum is 128 characters)']],
    ['password', 'Password1', ['must not contain commonly used combinations of words and letters']],
    ['username', 'a b', [badName]],
    ['username', '-a', [badName]],
    ['username', 'abc.', [badName]],
    ['username', 'abc.git', [badName]],
    ['username', 'abc.ATOM', [badName]],
    ['username', 'ünïcode', [badName]],
    ['username', '../etc', [badName]],
    ['username', 'a%2Fb', [badName]],
    ['username', 'a', ['is too short (minimum is 2 characters)']],
    ['username', 'a'.repeat(256), ['is too long (maximum is 255 characters)']],
    ['username', 'Admin', ['Admin is a reserved name']],
    ['name', '', ["can't be blank"]],
    ['name', 'n'.repeat(256), ['is too long (maximum is 255 characters)']],
    ['bio', 'b'.repeat(256), ['is too long (maximum is 255 characters)']],
    ['public_email', 'other@example.com', ['is not an email you own']],
    ['commit_email', 'other@example.com', ['is not an email you own']],
  ])('refuses the %s %j', async (name, value, complaints) => {
    const { status, body } = await server.root.post('/users', newUser({ [name]: value }))
    expect({ status, body }).toEqual({ status: 400, body: { message: { [name]: complaints } } })
  })

  test.each([
    ['email', { a: 1 }, 'email is invalid'],
    ['username', 'a\u0000b', 'username is invalid'],
    ['projects_limit', 99_999_999_999, 'projects_limit does not have a valid value'],
    ['projects_limit', -1, 'projects_limit does not have a valid value'],
    ['theme_id', 12, 'theme_id does not have a valid value'],
    ['color_scheme_id', 0, 'color_scheme_id does not have a valid value'],
    ['admin', 'maybe', 'admin is invalid'],
    ['avatar', 'text', 'avatar is invalid'],
  ])('cannot read %s = %j', async (name, value, error) => {
    const answer = await server.root.post('/users', newUser({ [name]: value }))
    expect(answer).toMatchObject({ status: 400, body: { error } })
  })

  test('reports all problems of all fields', async () => {
    const { body } = await server.root.post('/users', newUser({ email: 'x', password: 'y', username: 'admin' }))
    expect(Object.keys(body.message)).toEqual(['email', 'username', 'password'])
  })

  test('rejects taken names in any case, the e-mail address first', async () => {
    const first = newUser()
    await server.root.post('/users', first)
    const upper = { ...first, email: first.email.toUpperCase(), username: first.username.toUpperCase() }
    const both = await server.root.post('/users', upper)
    expect({ status: both.status, body: both.body }).toEqual({
      status: 409,
      body: { message: 'Email has already been taken' },
    })
    const name = await server.root.post('/users', { ...upper, email: 'free@example.com' })
    expect({ status: name.status, body: name.body }).toEqual({
      status: 409,
      body: { message: 'Username has already been taken' },
    })
    await server.make.group('taken-group', { id: 1 })
    const group = await server.root.post('/users', newUser({ username: 'Taken-Group' }))
    expect(group).toMatchObject({ status: 409, body: { message: 'Username has already been taken' } })
  })

  test('creates one of two equal users concurrently', async () => {
    const input = newUser()
    const answers = await Promise.all([1, 2, 3, 4].map(() => server.root.post('/users', input)))
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409])
    const other = newUser()
    const byName = await Promise.all(
      ['p', 'q'].map((letter) => server.root.post('/users', { ...other, email: `${letter}${other.email}` })),
    )
    expect(byName.map(({ status }) => status).sort()).toEqual([201, 409])
    expect(byName.find(({ status }) => status === 409)?.body).toEqual({ message: 'Username has already been taken' })
    const byAddress = await Promise.all(
      ['racer-one', 'racer-two'].map((username) =>
        server.root.post('/users', newUser({ email: 'racer@example.com', username })),
      ),
    )
    expect(byAddress.map(({ status }) => status).sort()).toEqual([201, 409])
    expect(byAddress.find(({ status }) => status === 409)?.body).toEqual({ message: 'Email has already been taken' })
  })

  test('requires the scope api', async () => {
    const reader = server.as(await server.make.token({ id: 1 }, ['read_user']))
    expect(await reader.post('/users', newUser())).toMatchObject({
      status: 403,
      body: { error: 'insufficient_scope' },
    })
  })

  test('follows the settings of the instance', async () => {
    const settings = {
      user_default_external: true,
      user_defaults_to_private_profile: true,
      default_projects_limit: 5,
      can_create_group: false,
      minimum_password_length: 12,
      email_confirmation_setting: 'hard',
      gravatar_enabled: true,
    }
    await server.root.put('/application/settings', settings)
    const input = newUser({ password: 'exactly-12-c' })
    const { body } = await server.root.post('/users', input)
    expect(body).toMatchObject({
      external: true,
      private_profile: true,
      projects_limit: 5,
      can_create_group: false,
      confirmed_at: null,
    })
    expect(body.avatar_url).toMatch(/^https:\/\/www\.gravatar\.com\/avatar\/[0-9a-f]{64}\?s=80&d=identicon$/)
    const short = await server.root.post('/users', newUser({ password: 'only-eleven' }))
    expect(short.body).toEqual({ message: { password: ['is too short (minimum is 12 characters)'] } })
    const confirmed = await server.root.post('/users', newUser({ password: 'exactly-12-c', skip_confirmation: true }))
    expect(confirmed.body.confirmed_at).not.toBeNull()
    const unconfirmed = newUser({ password: 'exactly-12-c' })
    const own = await server.root.post('/users', { ...unconfirmed, public_email: unconfirmed.email })
    expect(own.body).toEqual({ message: { public_email: ['is not an email you own'] } })
    await server.root.put('/application/settings', {
      user_default_external: false,
      user_defaults_to_private_profile: false,
      default_projects_limit: 100_000,
      can_create_group: true,
      minimum_password_length: 8,
      email_confirmation_setting: 'off',
      gravatar_enabled: false,
    })
  })
})
