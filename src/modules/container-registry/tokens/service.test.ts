import { decodeProtectedHeader } from 'jose'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { manualClock } from '../../../infra/clock/index.ts'
import { hashToken } from '../../../infra/secrets/index.ts'
import { type Person, startTestServer, type TestServer } from '../../../testing/index.ts'
import { askForToken, basic, claimsOf, grantedBy, type Login, loginOf } from './testing.ts'

const start = '2026-05-06T07:08:09.500Z'
const clock = manualClock({ start })
const rootPassword = 'a long root password'
let server: TestServer
let maintainer: Person
let reporter: Person
let projectId: number
let outsideId: number

beforeAll(async () => {
  server = await startTestServer({ clock, rootPassword })
  maintainer = await server.user('maintainer')
  reporter = await server.user('reporter')
  const owner = await server.user('owner')
  const group = await server.make.group('g', owner)
  const below = await server.make.group('below', owner, { parent: group })
  const project = await server.make.project('p', owner, { namespace: below })
  await server.make.member({ project }, maintainer, 40)
  await server.make.member({ project }, reporter, 20)
  projectId = project.id
  outsideId = (await server.make.project('outside', owner)).id
})
afterAll(() => server.stop())

const everything = 'repository:g/below/p/web:pull,push,delete,*'
const granted = async (login: Login, scope = everything) => grantedBy(await askForToken(server, login, scope))
const actions = async (login: Login) => (await granted(login)).map((text) => text.replace('g/below/p/web:', ''))
const refusal = () => ({
  status: 401,
  body: {
    errors: [
      {
        code: 'UNAUTHORIZED',
        message:
          'HTTP Basic: Access denied. If a password was provided for Git authentication, the password was incorrect or ' +
          "you're required to use a token instead of a password. If a token was provided, it was either incorrect, " +
          `expired, or improperly scoped. See ${server.url}/docs`,
      },
    ],
  },
})
const forbidden = { status: 403, body: { errors: [{ code: 'DENIED', message: 'access forbidden' }] } }
const withScopes = async (...scopes: string[]): Promise<Login> => ({
  user: 'any',
  password: await server.make.token(maintainer, scopes),
})
const change = (table: 'users' | 'access_tokens', id: number, values: Record<string, unknown>) =>
  server.app.platform.database.write((tx) =>
    tx
      .updateTable(table)
      .set(values as never)
      .where('id', '=', id)
      .execute(),
  )

describe('an issued token', () => {
  test('has the claims of the contract', async () => {
    const answer = await askForToken(server, loginOf(maintainer), everything)
    expect(answer.status).toBe(200)
    expect(answer.headers.get('content-type')).toBe('application/json')
    expect(answer.headers.get('cache-control')).toBe('no-store')
    expect(answer.body).toEqual({ token: expect.any(String), expires_in: 300, issued_at: start })
    const [key] = await server.app.platform.database.read.selectFrom('registry_signing_keys').select('kid').execute()
    expect(decodeProtectedHeader(answer.body.token)).toEqual({ typ: 'JWT', alg: 'RS256', kid: key?.kid })
    const seconds = Math.floor(Date.parse(start) / 1000)
    expect(claimsOf(answer)).toEqual({
      iss: 'fennec-issuer',
      sub: 'maintainer',
      aud: 'container_registry',
      iat: seconds,
      nbf: seconds - 5,
      exp: seconds + 300,
      jti: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/),
      auth_type: 'personal_access_token',
      credential: { kind: 'personal', id: expect.any(Number), user: maintainer.id },
      access: [
        {
          type: 'repository',
          name: 'g/below/p/web',
          actions: ['pull', 'push', 'delete', '*'],
          meta: { project_path: 'g/below/p', project_id: projectId, root_namespace_id: expect.any(Number) },
        },
      ],
    })
  })

  test('is valid as long as the setting says', async () => {
    const set = (minutes: unknown) =>
      server.root.put('/application/settings', { container_registry_token_expire_delay: minutes })
    expect((await set(1440)).status).toBe(200)
    const answer = await askForToken(server, loginOf(maintainer))
    const { iat = 0, exp = 0 } = claimsOf(answer)
    expect([answer.body.expires_in, exp - iat]).toEqual([86_400, 86_400])
    for (const minutes of [0, 1441, -5, 'x']) expect((await set(minutes)).status).toBe(400)
    await set(5)
  })

  test('opens /v2/, and nothing else does', async () => {
    const { body } = await askForToken(server, loginOf(maintainer))
    const at = (Authorization?: string) =>
      server.anonymous.get('root:/v2/', { headers: Authorization ? { Authorization } : {} })
    expect(await at(`Bearer ${body.token}`)).toMatchObject({ status: 200, body: {} })
    const challenge = `Bearer realm="${server.url}/jwt/auth",service="container_registry"`
    for (const [sent, error] of [
      [undefined, ''],
      [basic({ user: 'maintainer', password: maintainer.token }), ''],
      [`Bearer ${maintainer.token}`, ',error="invalid_token"'],
      [`Bearer ${body.token}x`, ',error="invalid_token"'],
    ] as const) {
      const { status, headers } = await at(sent)
      expect([status, headers.get('www-authenticate')]).toEqual([401, `${challenge}${error}`])
      expect(headers.get('docker-distribution-api-version')).toBe('registry/2.0')
    }
    const sent = { headers: { Authorization: `Bearer ${body.token}` } }
    expect((await server.anonymous.get('/user', sent)).status).toBe(401)
  })

  test('is issued without creating a repository', async () => {
    await askForToken(server, loginOf(maintainer), everything)
    const rows = await server.app.platform.database.read.selectFrom('registry_repositories').select('id').execute()
    expect(rows).toEqual([])
  })
})

describe('the credentials', () => {
  test.each([
    ['api', ['pull,push,delete,*']],
    ['read_api', ['pull']],
    ['read_registry', ['pull']],
    ['write_registry', ['push']],
    ['read_registry write_registry', ['pull,push']],
    ['read_registry read_user', ['pull']],
  ])('of a token with the scopes %s carry %j', async (scopes, expected) => {
    expect(await actions(await withScopes(...scopes.split(' ')))).toEqual(expected)
  })

  test.each(['read_user', 'read_repository', 'write_repository', 'sudo', 'read_virtual_registry'])(
    'of a token with only the scope %s give no access',
    async (scope) => {
      expect(await askForToken(server, await withScopes(scope), everything)).toMatchObject(forbidden)
      expect(await askForToken(server, await withScopes(scope))).toMatchObject(forbidden)
    },
  )

  test('of a token may come under any user name but an empty one', async () => {
    for (const user of ['maintainer', 'oauth2', 'gitlab-ci-token', 'x']) {
      expect(await actions({ user, password: maintainer.token })).toEqual(['pull,push,delete,*'])
    }
    expect(await askForToken(server, { user: '', password: maintainer.token })).toMatchObject(refusal())
  })

  test('of project, group and impersonation tokens are accepted', async () => {
    const values = {
      name: 'robot',
      scopes: ['read_registry', 'write_registry'],
      access_level: 30,
      expires_at: '2026-12-31',
    }
    const ofProject = (await server.root.post(`/projects/${projectId}/access_tokens`, values)).body.token
    const ofGroup = (await server.root.post('/groups/g/access_tokens', values)).body.token
    const acting = await server.root.post(`/users/${reporter.id}/impersonation_tokens`, { name: 'a', scopes: ['api'] })
    expect(await actions({ user: 'x', password: ofProject })).toEqual(['pull,push'])
    expect(await actions({ user: 'x', password: ofGroup })).toEqual(['pull,push'])
    expect(await actions({ user: 'x', password: acting.body.token })).toEqual(['pull'])
    expect(claimsOf(await askForToken(server, { user: 'x', password: acting.body.token })).sub).toBe('reporter')
  })

  test('of an OAuth token are accepted', async () => {
    const { body } = await server.anonymous.post('root:/oauth/token', {
      grant_type: 'password',
      username: 'root',
      password: rootPassword,
    })
    const answer = await askForToken(server, { user: 'oauth2', password: body.access_token }, everything)
    expect(grantedBy(answer)).toEqual(['g/below/p/web:pull,push,delete,*'])
    expect(claimsOf(answer)).toMatchObject({ auth_type: 'oauth', sub: 'root' })
  })

  test('of a password are accepted, unless passwords are not for git', async () => {
    const login = { user: 'root', password: rootPassword }
    const answer = await askForToken(server, login, everything)
    expect(grantedBy(answer)).toEqual(['g/below/p/web:pull,push,delete,*'])
    expect(claimsOf(answer)).toMatchObject({ auth_type: 'gitlab_or_ldap', sub: 'root' })
    const set = (value: boolean) =>
      server.root.put('/application/settings', { password_authentication_enabled_for_git: value })
    await set(false)
    expect(await askForToken(server, login)).toMatchObject(refusal())
    await set(true)
    expect((await askForToken(server, login)).status).toBe(200)
  })

  test('of an account are refused after ten wrong passwords', async () => {
    const values = { email: 'lock@example.com', name: 'lock', username: 'lock', password: rootPassword }
    expect((await server.root.post('/users', { ...values, skip_confirmation: true })).status).toBe(201)
    const login = { user: 'lock', password: rootPassword }
    expect((await askForToken(server, login)).status).toBe(200)
    const { id } = (await server.root.get('/users?username=lock')).body[0]
    await change('users', id, { failed_attempts: 9 })
    expect(await askForToken(server, { user: 'lock', password: 'wrong' })).toMatchObject(refusal())
    expect(await askForToken(server, login)).toMatchObject(refusal())
    clock.advance(600_001)
    expect((await askForToken(server, login)).status).toBe(200)
  })

  test('that are wrong, expired, revoked or of a blocked account are refused', async () => {
    const person = await server.user('refused')
    const dead = await server.make.token(person, ['api'], '2026-05-01')
    expect(await askForToken(server, { user: 'x', password: dead })).toMatchObject(refusal())
    const { id } = (await person.get('/personal_access_tokens/self')).body
    expect((await askForToken(server, loginOf(person))).status).toBe(200)
    await change('access_tokens', id, { revoked: true })
    expect(await askForToken(server, loginOf(person))).toMatchObject(refusal())
    await change('access_tokens', id, { revoked: false })
    for (const state of ['blocked', 'banned', 'deactivated', 'blocked_pending_approval']) {
      await change('users', person.id, { state })
      expect(await askForToken(server, loginOf(person))).toMatchObject(refusal())
    }
    const wrong = ['', 'x'.repeat(10_000), 'a\u0000b'].map((password) => ({ user: 'root', password }))
    for (const login of [...wrong, { user: 'gitlab-ci-token', password: 'glcbt-unknown' }]) {
      expect(await askForToken(server, login)).toMatchObject(refusal())
    }
  })

  test.each(['Basic', 'Basic !!!', 'Basic bm9jb2xvbg==', 'Bearer abc', 'Digest username="x"'])(
    'that are malformed are refused: %s',
    async (Authorization) => {
      const answer = await server.anonymous.get('root:/jwt/auth?service=container_registry', {
        headers: { Authorization },
      })
      expect(answer).toMatchObject(refusal())
    },
  )

  test('in other headers and parameters do not count', async () => {
    const address = `root:/jwt/auth?service=container_registry&scope=${everything}`
    expect(await maintainer.get(address)).toMatchObject(forbidden)
    expect(await server.anonymous.get(`${address}&private_token=${maintainer.token}`)).toMatchObject(forbidden)
  })
})

describe('a deploy token', () => {
  const create = async (path: string, ...scopes: string[]): Promise<Login> => {
    const { status, body } = await server.root.post(`${path}/deploy_tokens`, {
      name: 'd',
      username: 'deployer',
      scopes,
    })
    expect(status).toBe(201)
    return { user: 'deployer', password: body.token }
  }

  test.each([
    ['read_registry', ['pull']],
    ['write_registry', ['push']],
    ['read_registry write_registry', ['pull,push']],
  ])('with the scopes %s carries %j', async (scopes, expected) => {
    expect(await actions(await create(`/projects/${projectId}`, ...scopes.split(' ')))).toEqual(expected)
  })

  test('has its own name in the token', async () => {
    const login = await create(`/projects/${projectId}`, 'read_registry')
    const claims = claimsOf(await askForToken(server, login, everything))
    expect(claims).toMatchObject({ auth_type: 'deploy_token', sub: 'deployer' })
  })

  test('opens its own project, or the projects of its group and below', async () => {
    const both = ['read_registry', 'write_registry']
    const outside = 'repository:owner/outside:pull,push'
    expect(await actions(await create('/groups/g', ...both))).toEqual(['pull,push'])
    expect(await granted(await create('/groups/g', ...both), outside)).toEqual([])
    expect(await granted(await create(`/projects/${projectId}`, ...both), outside)).toEqual([])
    expect(await granted(await create(`/projects/${outsideId}`, ...both), outside)).toEqual(['owner/outside:pull,push'])
    expect(await granted(await create(`/projects/${outsideId}`, ...both))).toEqual([])
  })

  test('is not hindered by the level private, and by the level disabled it is', async () => {
    const login = await create('/groups/g', 'read_registry', 'write_registry')
    const set = (level: string) => server.root.put(`/projects/${projectId}`, { container_registry_access_level: level })
    await set('private')
    expect(await actions(login)).toEqual(['pull,push'])
    await set('disabled')
    expect(await actions(login)).toEqual([])
    await set('enabled')
    await server.root.post(`/projects/${projectId}/archive`)
    expect(await actions(login)).toEqual(['pull'])
    await server.root.post(`/projects/${projectId}/unarchive`)
  })

  test('without a scope of the registry gives no access', async () => {
    const login = await create(`/projects/${projectId}`, 'read_repository')
    expect(await askForToken(server, login, everything)).toMatchObject(forbidden)
  })

  test('is refused under another user name, revoked, or expired', async () => {
    const login = await create(`/projects/${projectId}`, 'read_registry')
    const { password } = login as { password: string }
    for (const user of ['other', 'Deployer', '']) {
      expect(await askForToken(server, { user, password })).toMatchObject(refusal())
    }
    const digest = hashToken(password)
    const set = (values: { revoked?: boolean; expires_at?: string | null }) =>
      server.app.platform.database.write((tx) =>
        tx.updateTable('deploy_tokens').set(values).where('digest', '=', digest).execute(),
      )
    await set({ revoked: true })
    expect(await askForToken(server, login)).toMatchObject(refusal())
    await set({ revoked: false, expires_at: start })
    expect(await askForToken(server, login)).toMatchObject(refusal())
    await set({ expires_at: null })
    expect((await askForToken(server, login)).status).toBe(200)
  })
})

describe('the order of the cases', () => {
  const get = (query: string, login: Login = null, method = 'GET') =>
    server.anonymous.request(method, `root:/jwt/auth${query}`, {
      headers: login ? { Authorization: basic(login) } : {},
    })
  const empty = { status: 404, body: '' }
  const off = { status: 404, body: { errors: [{ code: 'UNAVAILABLE', message: 'registry not enabled' }] } }
  const set = (registryEnabled: boolean) => Object.assign(server.app.platform.config, { registryEnabled })

  test('is credentials, service, registry, ability', async () => {
    const wrong = { user: 'root', password: 'wrong' }
    const powerless = await withScopes('read_user')
    try {
      set(false)
      expect(await get('?service=other', wrong)).toMatchObject(refusal())
      expect(await get('?service=other', powerless)).toMatchObject(empty)
      expect(await get('?service=container_registry', powerless)).toMatchObject(off)
      expect(await get('?service=container_registry')).toMatchObject(off)
    } finally {
      set(true)
    }
    expect(await get('?service=container_registry', powerless)).toMatchObject(forbidden)
    expect(await get('?service=container_registry')).toMatchObject(forbidden)
  })

  test.each(['', '?', '?service=', '?service=other', '?service=Container_Registry', '?scope=registry:catalog:*'])(
    'an absent or other service is not found: %j',
    async (query) => {
      expect(await get(query, loginOf(maintainer))).toMatchObject(empty)
    },
  )

  test('other methods and paths are not found', async () => {
    const query = '?service=container_registry'
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
      expect([method, (await get(query, loginOf(maintainer), method)).status]).toEqual([method, 404])
    }
    expect(await get(query, loginOf(maintainer), 'POST')).toMatchObject(empty)
    expect((await get(query, loginOf(maintainer), 'HEAD')).status).toBe(200)
    expect((await get(`/${query}`, loginOf(maintainer))).status).toBe(200)
    expect((await get(`/more${query}`, loginOf(maintainer))).status).toBe(404)
  })

  test('a posted form is not read', async () => {
    const form = new URLSearchParams({ service: 'container_registry', grant_type: 'password' })
    expect(await server.anonymous.post('root:/jwt/auth', form)).toMatchObject(empty)
  })
})

describe('the throttles of the API', () => {
  const set = (values: Record<string, unknown>) => server.root.put('/application/settings', values)
  const exceeded = { status: 429, body: { errors: [{ code: 'TOOMANYREQUESTS', message: 'too many requests' }] } }

  test('count requests by user, and without one by address', async () => {
    const names = ['throttle_authenticated_api', 'throttle_unauthenticated_api']
    const on = names.flatMap((name) => [
      [`${name}_enabled`, true],
      [`${name}_requests_per_period`, 2],
      [`${name}_period_in_seconds`, 600],
    ])
    await set(Object.fromEntries(on))
    try {
      const login = loginOf(maintainer)
      for (let time = 0; time < 2; time += 1) expect((await askForToken(server, login)).status).toBe(200)
      const third = await askForToken(server, login)
      expect(third).toMatchObject(exceeded)
      expect(Number(third.headers.get('retry-after'))).toBeGreaterThan(0)
      expect((await askForToken(server, loginOf(reporter))).status).toBe(200)
      const wrong = { user: 'root', password: 'wrong' }
      for (let time = 0; time < 2; time += 1) expect((await askForToken(server, wrong)).status).toBe(401)
      expect(await askForToken(server, wrong)).toMatchObject(exceeded)
      expect(await askForToken(server, null)).toMatchObject(exceeded)
    } finally {
      clock.advance(600_000)
      await set(Object.fromEntries(names.map((name) => [`${name}_enabled`, false])))
    }
  })
})
