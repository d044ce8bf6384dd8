/** Who a package client is, by the credentials that it sends, and which projects and groups it reaches. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { RequestInfo } from '../../../api/index.ts'
import { type ManualClock, manualClock } from '../../../infra/clock/index.ts'
import { type Person, startTestServer, type TestServer } from '../../../testing/index.ts'
import { jobWithToken } from '../../pipelines/testing.ts'
import type { ProjectRow } from '../../projects/index.ts'
import { forClients, identifyPackageCaller } from './callers.ts'
import { servedGroup, servedServer } from './places.ts'
import { readableProjects } from './readable.ts'
import { servedProject } from './subjects.ts'

let server: TestServer
let clock: ManualClock
let owner: Person
let outsider: Person
let top: { id: number }
const projects = {} as Record<'closed' | 'inner' | 'open' | 'disabled' | 'gone', ProjectRow>
const tokens = {} as Record<
  'owner' | 'outsider' | 'project' | 'group' | 'expiring' | 'revoked' | 'job' | 'foreignJob' | 'dead',
  string
>

async function deployToken(place: string, more: object = {}): Promise<{ id: number; token: string }> {
  const values = { name: 'd', username: 'deployer', scopes: ['read_package_registry'], ...more }
  return (await owner.post(`${place}/deploy_tokens`, values)).body
}

beforeAll(async () => {
  clock = manualClock({ start: '2026-03-01T12:00:00Z' })
  server = await startTestServer({ clock })
  const { make } = server
  owner = await server.user('owner')
  outsider = await server.user('outsider')
  const group = await make.group('top', owner)
  const below = await make.group('below', owner, { parent: group })
  top = group
  projects.closed = await make.project('closed', owner, { namespace: group })
  projects.inner = await make.project('inner', owner, { namespace: below })
  projects.open = await make.project('open', owner, { namespace: group })
  projects.disabled = await make.project('disabled', owner, { namespace: group })
  projects.gone = await make.project('gone', owner, { namespace: group })
  const levels = { open: 'public', disabled: 'disabled' } as const
  for (const [name, level] of Object.entries(levels)) {
    const { id } = projects[name as keyof typeof levels]
    expect((await owner.put(`/projects/${id}`, { package_registry_access_level: level })).status).toBe(200)
  }
  const revoked = await deployToken(`/projects/${projects.closed.id}`)
  Object.assign(tokens, {
    owner: owner.token,
    outsider: outsider.token,
    project: (await deployToken(`/projects/${projects.closed.id}`)).token,
    group: (await deployToken(`/groups/${group.id}`)).token,
    expiring: (await deployToken(`/projects/${projects.closed.id}`, { expires_at: '2026-03-02T00:00:00Z' })).token,
    revoked: revoked.token,
    job: (await jobWithToken(server, { projectId: projects.closed.id, userId: owner.id })).token,
    foreignJob: (await jobWithToken(server, { projectId: projects.inner.id, userId: owner.id })).token,
    dead: await make.token(owner, ['api'], '2020-01-01'),
  })
  await server.app.platform.database.write(async (tx) => {
    await tx.updateTable('deploy_tokens').set({ revoked: true }).where('id', '=', revoked.id).execute()
    await tx.updateTable('projects').set({ pending_delete: true }).where('id', '=', projects.gone.id).execute()
  })
})
afterAll(() => server.stop())

const request = (headers: Record<string, string>, id: string | number = '') =>
  ({
    headers,
    raw: {},
    query: {},
    path: { id: String(id) },
    url: '/',
    method: 'GET',
    ip: '127.0.0.1',
  }) as unknown as RequestInfo

const basic = (password: string, username = 'any') => ({
  authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`,
})

type Token = keyof typeof tokens

/** A caller in a word, or the status of the refusal. */
async function callerOf(headers: Record<string, string>, tokenHeaders = true): Promise<unknown> {
  const found = await identifyPackageCaller(server.app.platform, request(headers), { tokenHeaders }).catch(
    (error) => error,
  )
  if (found instanceof Error) return (found as { status?: number }).status
  if (found.kind === 'user') return found.actor.credential.projectId ? 'job' : found.actor.username
  return found.kind
}

describe('a credential', () => {
  test.each<[how: string, headers: (token: string) => Record<string, string>, Record<Token, unknown>]>([
    [
      'as a bearer',
      (token) => ({ authorization: `Bearer ${token}` }),
      {
        ...{ owner: 'owner', outsider: 'outsider', project: 'deploy_token', group: 'deploy_token' },
        ...{ expiring: 'deploy_token', revoked: 401, job: 'job', foreignJob: 'job', dead: 401 },
      },
    ],
    [
      'as a private token',
      (token) => ({ 'private-token': token }),
      {
        ...{ owner: 'owner', outsider: 'outsider', project: 401, group: 401 },
        ...{ expiring: 401, revoked: 401, job: 401, foreignJob: 401, dead: 401 },
      },
    ],
    [
      'as the token of a job',
      (token) => ({ 'job-token': token }),
      {
        ...{ owner: 401, outsider: 401, project: 401, group: 401 },
        ...{ expiring: 401, revoked: 401, job: 'job', foreignJob: 'job', dead: 401 },
      },
    ],
    [
      'as a deploy token',
      (token) => ({ 'deploy-token': token }),
      {
        ...{ owner: 401, outsider: 401, project: 'deploy_token', group: 'deploy_token' },
        ...{ expiring: 'deploy_token', revoked: 401, job: 401, foreignJob: 401, dead: 401 },
      },
    ],
    [
      'as a password',
      (token) => basic(token),
      {
        ...{ owner: 'owner', outsider: 'outsider', project: 'deploy_token', group: 'deploy_token' },
        ...{ expiring: 'deploy_token', revoked: 401, job: 401, foreignJob: 401, dead: 401 },
      },
    ],
    [
      'as the password of a job',
      (token) => basic(token, 'gitlab-ci-token'),
      {
        ...{ owner: 401, outsider: 401, project: 401, group: 401 },
        ...{ expiring: 401, revoked: 401, job: 'job', foreignJob: 'job', dead: 401 },
      },
    ],
    [
      'as a password without a name',
      (token) => basic(token, ''),
      {
        ...{ owner: 401, outsider: 401, project: 'deploy_token', group: 'deploy_token' },
        ...{ expiring: 'deploy_token', revoked: 401, job: 401, foreignJob: 401, dead: 401 },
      },
    ],
  ])('%s', async (_, headersOf, expected) => {
    const found: Record<string, unknown> = {}
    for (const name of Object.keys(expected) as Token[]) found[name] = await callerOf(headersOf(tokens[name]))
    expect(found).toEqual(expected)
  })

  test('in a header of its own counts for formats that take it', async () => {
    expect(await callerOf({ 'private-token': tokens.owner }, false)).toBe('anonymous')
    expect(await callerOf({ 'deploy-token': tokens.project }, false)).toBe('anonymous')
    expect(await callerOf({ 'private-token': 'wrong', ...basic(tokens.owner) }, false)).toBe('owner')
    expect(await callerOf({ 'private-token': 'wrong', ...basic(tokens.owner) })).toBe(401)
    expect(await callerOf({ 'deploy-token': tokens.project, ...basic(tokens.owner) })).toBe('deploy_token')
    expect(await callerOf({ authorization: `Bearer ${tokens.owner}` }, false)).toBe('owner')
  })

  test('that is none is anonymous, a wrong or empty one is refused', async () => {
    expect(await callerOf({})).toBe('anonymous')
    for (const headers of [basic(''), basic('wrong'), { authorization: 'Basic ???' }]) {
      expect(await callerOf(headers), JSON.stringify(headers)).toBe(401)
    }
  })

  test('has a throttle of its own', async () => {
    const of = (headers: Record<string, string>) => forClients.throttle.caller(server.app.platform, request(headers))
    expect(await of({})).toBeNull()
    expect(await of({ 'private-token': tokens.owner })).toBe(String(owner.id))
    expect(await of({ 'deploy-token': tokens.project })).toMatch(/^deploy-token-\d+$/)
  })
})

const projectHeaders = (name: Token | 'nobody') =>
  name === 'nobody' ? {} : basic(tokens[name], name.endsWith('ob') ? 'gitlab-ci-token' : 'any')

/** The status of a refusal, or 200. */
const settled = (work: Promise<unknown>): Promise<number> => work.then(() => 200).catch(({ status }) => status)

describe('a client reads', () => {
  const subject = servedProject({ tokenHeaders: true })

  test.each<[Token | 'nobody', Record<keyof typeof projects, number>]>([
    ['nobody', { closed: 401, inner: 401, open: 200, disabled: 401, gone: 401 }],
    ['owner', { closed: 200, inner: 200, open: 200, disabled: 403, gone: 404 }],
    ['outsider', { closed: 404, inner: 404, open: 200, disabled: 404, gone: 404 }],
    ['project', { closed: 200, inner: 404, open: 200, disabled: 404, gone: 404 }],
    ['group', { closed: 200, inner: 200, open: 200, disabled: 403, gone: 404 }],
    ['job', { closed: 200, inner: 403, open: 200, disabled: 403, gone: 403 }],
  ])('as %s the packages of projects', async (name, expected) => {
    const found: Record<string, unknown> = {}
    for (const [project, { id }] of Object.entries(projects)) {
      const read = async () => {
        const served = await subject.find(server.app.platform, request(projectHeaders(name), id), undefined as never)
        await subject.authorize(undefined as never, served, 'read_packages')
      }
      found[project] = await settled(read())
    }
    expect(found).toEqual(expected)
  })

  test.each<[Token | 'nobody', number, number, string[], string[]]>([
    ['nobody', 401, 200, [], ['open']],
    ['owner', 200, 200, ['closed', 'inner', 'open'], ['closed', 'inner', 'open']],
    ['outsider', 404, 200, [], ['open']],
    ['project', 404, 200, ['closed'], ['closed', 'open']],
    ['group', 200, 200, ['closed', 'inner', 'open'], ['closed', 'inner', 'open']],
  ])('as %s the packages of a group', async (name, status, openStatus, readable, withOpen) => {
    const { platform } = server.app
    const find = (includesOpen: boolean, id: string | number = top.id) =>
      servedGroup({ tokenHeaders: true, includesOpen }).find(
        platform,
        request(projectHeaders(name), id),
        undefined as never,
      )
    expect(await settled(find(false))).toBe(status)
    expect(await settled(find(true))).toBe(openStatus)
    expect(await settled(find(true, 'top'))).toBe(openStatus)
    expect(await settled(find(true, 'owner'))).toBe(name === 'nobody' ? 401 : 404)
    const { caller } = await find(true)
    const ids = Object.values(projects).map(({ id }) => id)
    const names = async (includesOpen: boolean) =>
      (await readableProjects(platform, caller, { namespaceId: top.id, ids, includesOpen }))
        .map(({ path }) => path)
        .toSorted()
    expect(await names(false)).toEqual(readable)
    expect(await names(true)).toEqual(withOpen)
    expect(await readableProjects(platform, caller, { namespaceId: top.id, ids: [] })).toEqual([])
  })

  test('a subgroup with the token of a group above it, and no group that is deleted', async () => {
    const { platform } = server.app
    const find = (name: Token, id: string) =>
      servedGroup({ tokenHeaders: true }).find(platform, request(projectHeaders(name), id), undefined as never)
    const status = (name: Token, id: string) => settled(find(name, id))
    expect([await status('group', 'top/below'), await status('project', 'top/below')]).toEqual([200, 404])
    await server.make.group('gone', owner)
    expect(await status('owner', 'gone')).toBe(200)
    await platform.database.write((tx) =>
      tx.updateTable('namespaces').set({ pending_delete: true }).where('path', '=', 'gone').execute(),
    )
    expect(await status('owner', 'gone')).toBe(404)
  })

  test('a project by a former path at its new address', async () => {
    const moved = await server.make.project('former', owner)
    await owner.put(`/projects/${moved.id}`, { path: 'present' })
    const find = (name: Token, id: string) =>
      subject.find(server.app.platform, request(projectHeaders(name), id), undefined as never)
    expect(await settled(find('owner', 'owner/present'))).toBe(200)
    expect(await settled(find('owner', 'owner/former'))).toBe(301)
    expect(await settled(find('outsider', 'owner/former'))).toBe(404)
  })

  test('private projects of a group as a guest, where the flag says so', async () => {
    const { platform } = server.app
    const guest = await server.user('guest')
    await server.make.member({ project: projects.closed }, guest, 10)
    await server.make.member({ project: projects.inner }, guest, 5)
    const caller = await identifyPackageCaller(platform, request(basic(guest.token)), { tokenHeaders: true })
    const ids = Object.values(projects).map(({ id }) => id)
    const names = async () =>
      (await readableProjects(platform, caller, { namespaceId: top.id, ids })).map(({ path }) => path)
    expect(await names()).toEqual([])
    const flag = '/features/allow_guest_plus_roles_to_pull_packages'
    await server.root.post(flag, { value: true })
    expect(await names()).toEqual(['closed'])
    await server.root.delete(flag)
  })

  test('from the server with a scope, and writes with a name', async () => {
    const { platform } = server.app
    const subject = servedServer({ tokenHeaders: true })
    const may = async (headers: Record<string, string>, ability: 'read_packages' | 'publish_packages') => {
      const served = await subject.find(platform, request(headers), undefined as never)
      return settled(Promise.resolve().then(() => subject.authorize(undefined as never, served, ability)))
    }
    expect([await may({}, 'read_packages'), await may({}, 'publish_packages')]).toEqual([200, 401])
    const reading = { 'private-token': await server.make.token(owner, ['read_api']) }
    expect([await may(reading, 'read_packages'), await may(reading, 'publish_packages')]).toEqual([200, 403])
    const none = { 'private-token': await server.make.token(owner, ['read_user']) }
    expect([await may(none, 'read_packages'), await may(none, 'publish_packages')]).toEqual([403, 403])
  })
})

test('a deploy token ends with its last moment', async () => {
  const headers = { 'deploy-token': tokens.expiring }
  expect(await callerOf(headers)).toBe('deploy_token')
  clock.advance(Date.parse('2026-03-02T00:00:00Z') - clock.now().getTime())
  expect(await callerOf(headers)).toBe(401)
})
