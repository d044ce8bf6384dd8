/** What ends a token of the registry before it expires (contract 02 R3), by what was lost since it was issued. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { manualClock } from '../../../infra/clock/index.ts'
import {
  type Answer,
  type Person,
  type ProjectWithMembers,
  projectWithMembers,
  startTestServer,
  type TestServer,
} from '../../../testing/index.ts'
import { jobWithToken } from '../../pipelines/testing.ts'
import { setPassword } from '../../users/index.ts'
import { blobOf, type Registry, registryOf } from '../http/testing.ts'
import { askForToken, type Login, loginOf } from './testing.ts'

// Two minutes before a day begins, on which a token expires.
const start = '2026-05-06T23:58:00.000Z'
const twoMinutesMs = 120_000
const password = 'correct horse 42 battery'
const clock = manualClock({ start })
let server: TestServer
let registry: Registry
let people: ProjectWithMembers
let person: Person
let made = 0
beforeAll(async () => {
  server = await startTestServer({ clock })
  registry = registryOf(server)
})
afterAll(() => server.stop())
beforeEach(async () => {
  made += 1
  people = await projectWithMembers(server)
  person = await server.user(`passing${made}`)
  await server.make.member(people, person, 30)
})

type Credential = { login: Login; end: () => Promise<Answer | unknown> }

const ok = async (answer: Promise<Answer>) => expect((await answer).status).toBeLessThan(300)
const member = () => `/projects/${people.project.id}/members/${person.id}`
const scopes = ['read_registry', 'write_registry']

async function personal(end: (id: number) => Promise<unknown>, expires_at = '2026-12-31'): Promise<Credential> {
  const body = { name: 'images', scopes, expires_at }
  const token = (await server.root.post(`/users/${person.id}/personal_access_tokens`, body)).body
  return { login: { user: person.username, password: token.token }, end: () => end(token.id) }
}

async function byPassword(end: () => Promise<unknown>): Promise<Credential> {
  await setPassword(server.app.platform.database, person.username, password, clock.now().toISOString())
  return { login: { user: person.username, password }, end }
}

async function ofResource(kind: 'access' | 'deploy', place: string): Promise<Credential> {
  const body = { name: 'robot', scopes, expires_at: '2026-12-31', ...(kind === 'access' ? { access_level: 30 } : {}) }
  const made = (await people.owner.post(`${place}/${kind}_tokens`, body)).body
  const login = { user: made.username ?? 'x', password: made.token }
  return { login, end: () => ok(people.owner.delete(`${place}/${kind}_tokens/${made.id}`)) }
}

const project = () => `/projects/${people.project.id}`
const setSettings = (body: object) => server.root.put('/application/settings', body)

/** Each credential with what ends it, and what the registry answers then. */
const ended: Record<string, () => Promise<Credential>> = {
  'a token that is revoked': () => personal((id) => ok(server.root.delete(`/personal_access_tokens/${id}`))),
  'a token that is rotated': () => personal((id) => ok(server.root.post(`/personal_access_tokens/${id}/rotate`))),
  'a token on the day on which it expires': () => personal(async () => clock.advance(twoMinutesMs), '2026-05-07'),
  'a user who is blocked': async () => ({
    login: loginOf(person),
    end: () => ok(server.root.post(`/users/${person.id}/block`)),
  }),
  'a user who is deleted': async () => ({
    login: loginOf(person),
    end: () => ok(server.root.delete(`/users/${person.id}`)),
  }),
  'a password that is changed': () =>
    byPassword(() => setPassword(server.app.platform.database, person.username, `${password} 2`, start)),
  'a password that an administrator sets': () =>
    byPassword(() => ok(server.root.put(`/users/${person.id}`, { password: `${password} 2` }))),
  'a password that git may not use any more': () =>
    byPassword(() => ok(setSettings({ password_authentication_enabled_for_git: false }))),
  'an OAuth token that is revoked': async () => {
    const { login } = await byPassword(async () => {})
    const body = { grant_type: 'password', username: login?.user, password }
    const token = (await server.anonymous.post('root:/oauth/token', body)).body.access_token
    const end = () => ok(server.anonymous.post('root:/oauth/revoke', { token }))
    return { login: { user: 'oauth2', password: token }, end }
  },
  'a token of a project that is revoked': () => ofResource('access', project()),
  'a deploy token that is deleted': () => ofResource('deploy', project()),
  'a job that has finished': async () => {
    const job = await jobWithToken(server, { projectId: people.project.id, userId: person.id })
    return { login: { user: 'gitlab-ci-token', password: job.token }, end: job.end }
  },
}

/** What a user may do no more although the credential lasts. */
const lost: Record<string, { end: () => Promise<unknown>; pulls: boolean }> = {
  'a member who is removed': { end: () => ok(people.owner.delete(member())), pulls: false },
  'a member whose role is lowered': { end: () => ok(people.owner.put(member(), { access_level: 20 })), pulls: true },
  'a rule that protects the repository': {
    end: () =>
      ok(
        people.owner.post(`${project()}/registry/protection/repository/rules`, {
          repository_path_pattern: `${people.path}/web`,
          minimum_access_level_for_push: 'maintainer',
        }),
      ),
    pulls: true,
  },
}

type Way = { what: string; send: () => Promise<{ status: number; headers: Headers }>; writes: boolean }

/** Each way to use a token: reads, and each request of an upload that was open already. */
async function waysOf(token: string): Promise<Way[]> {
  const name = `${people.path}/web`
  const headers = { Authorization: `Bearer ${token}` }
  const stored = blobOf()
  await registry.send('POST', `${name}/blobs/uploads/?digest=${stored.digest}`, {
    scope: `${name}:pull,push`,
    body: stored.content,
  })
  const upload = async () =>
    (await registry.send('POST', `${name}/blobs/uploads/`, { headers })).headers.get('location')
  const [first, second] = [(await upload()) ?? '', (await upload()) ?? '']
  const blob = blobOf()
  const send = (method: string, path: string, body?: Buffer) => () =>
    registry.send(method, path, { headers, ...(body ? { body } : {}) })
  return [
    { what: 'pull', send: send('GET', `${name}/blobs/${stored.digest}`), writes: false },
    { what: 'status of an upload', send: send('GET', first), writes: false },
    { what: 'start of an upload', send: send('POST', `${name}/blobs/uploads/`), writes: true },
    { what: 'chunk', send: send('PATCH', first, blob.content), writes: true },
    { what: 'end of an upload', send: send('PUT', `${second}?digest=${blob.digest}`, blob.content), writes: true },
  ]
}

async function issued(login: Login): Promise<string> {
  const answer = await askForToken(server, login, `repository:${people.path}/web:pull,push`)
  expect(answer.status).toBe(200)
  return answer.body.token
}

const errorOf = ({ status, headers }: { status: number; headers: Headers }) =>
  status === 401 ? /error="(\w+)"/.exec(headers.get('www-authenticate') ?? '')?.[1] : status

test.each(Object.entries(ended))('the token of %s opens nothing', async (_, credential) => {
  const { login, end } = await credential()
  const token = await issued(login)
  const ways = await waysOf(token)
  for (const { what, send } of ways) expect((await send()).status, what).toBeLessThan(300)
  const again = await waysOf(token)
  const base = () => registry.send('GET', '/v2/', { headers: { Authorization: `Bearer ${token}` } })
  expect((await base()).status).toBe(200)
  await end()
  for (const { what, send } of again) expect(errorOf(await send()), what).toBe('invalid_token')
  expect(errorOf(await base())).toBe('invalid_token')
  await setSettings({ password_authentication_enabled_for_git: true })
})

test.each(Object.entries(lost))('%s ends what the token granted', async (_, { end, pulls }) => {
  const token = await issued(loginOf(person))
  for (const { what, send } of await waysOf(token)) expect((await send()).status, what).toBeLessThan(300)
  const again = await waysOf(token)
  await end()
  for (const { what, send, writes } of again) {
    const error = errorOf(await send())
    if (writes || !pulls) expect(error, what).toBe('insufficient_scope')
    else expect(error, what).toBeLessThan(300)
  }
})

test('the anonymous user loses a project that becomes private, and a user the source of a mount', async () => {
  const source = await server.make.project(`public${made}`, people.owner, { visibility: 'public' })
  const name = `${source.full_path}/web`
  const blob = blobOf()
  const whole = { scope: `${name}:pull,push`, body: blob.content } as const
  expect((await registry.send('POST', `${name}/blobs/uploads/?digest=${blob.digest}`, whole)).status).toBe(201)
  const anonymous = (await askForToken(server, null, `repository:${name}:pull`)).body.token
  const target = `${people.path}/web`
  const asked = [`repository:${target}:pull,push`, `repository:${name}:pull`]
  const mounting = (await askForToken(server, loginOf(person), ...asked)).body.token
  const pull = () =>
    registry.send('GET', `${name}/blobs/${blob.digest}`, { headers: { Authorization: `Bearer ${anonymous}` } })
  const mount = () =>
    registry.send('POST', `${target}/blobs/uploads/?mount=${blob.digest}&from=${name}`, {
      headers: { Authorization: `Bearer ${mounting}` },
    })
  expect([(await pull()).status, (await mount()).status]).toEqual([200, 201])
  await ok(people.owner.put(`/projects/${source.id}`, { visibility: 'private' }))
  expect([errorOf(await pull()), errorOf(await mount())]).toEqual(['insufficient_scope', 'insufficient_scope'])
})

test('the catalog is closed to an administrator who is one no more', async () => {
  await ok(server.root.put(`/users/${person.id}`, { admin: true }))
  const token = (await askForToken(server, loginOf(person), 'registry:catalog:*')).body.token
  const catalog = () => registry.send('GET', '_catalog', { headers: { Authorization: `Bearer ${token}` } })
  expect((await catalog()).status).toBe(200)
  await ok(server.root.put(`/users/${person.id}`, { admin: false }))
  expect(errorOf(await catalog())).toBe('insufficient_scope')
})
