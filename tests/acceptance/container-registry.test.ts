import { createHash } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Person, startTestServer, type TestServer } from '../../src/testing/index.ts'

/**
 * The acceptance walk of the container registry, with a client that follows the challenges as docker does (contract 02); the
 * numbers are the walk's. `tests/clients/registry_walk.sh` does all steps with real clients.
 */
let server: TestServer
const people = {} as Record<'maintainer' | 'developer' | 'reporter' | 'guest' | 'outsider', Person>
const P = '/projects/g%2Fp'
const pub = '/projects/g%2Fpub'
const manifestType = 'application/vnd.oci.image.manifest.v1+json'
const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString()

beforeAll(async () => {
  server = await startTestServer()
  const levels = { maintainer: 40, developer: 30, reporter: 20, guest: 10, outsider: 0 } as const
  const owner = await server.user('owner')
  const namespace = await server.make.group('g', owner, { visibility: 'public' })
  const project = await server.make.project('p', owner, { namespace })
  const open = await server.make.project('pub', owner, { namespace, visibility: 'public' })
  for (const [name, level] of Object.entries(levels) as [keyof typeof people, number][]) {
    people[name] = await server.user(name)
    if (level === 0) continue
    for (const one of [project, open]) await server.make.member({ project: one }, people[name], level)
  }
})
afterAll(() => server.stop())

type Login = { username: string; token: string } | null
type Sent = { method?: string; body?: Buffer | string; headers?: Record<string, string> }

const basic = (username: string, password: string) =>
  `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`

async function tokenFor(login: Login, scopes: readonly string[]) {
  const query = new URLSearchParams({ service: 'container_registry' })
  for (const scope of scopes) query.append('scope', scope)
  const headers: Record<string, string> = login ? { Authorization: basic(login.username, login.token) } : {}
  return server.anonymous.get(`root:/jwt/auth?${query}`, { headers })
}

const claimsOf = (token: string) => JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())
const grantedTo = async (login: Login, scope: string): Promise<string[][]> =>
  claimsOf((await tokenFor(login, [scope])).body.token).access.map(({ actions }: { actions: string[] }) => actions)

async function send(path: string, { method = 'GET', body, headers = {} }: Sent = {}) {
  const response = await fetch(`${server.url}${path}`, { method, headers, body: body as never })
  const text = await response.text()
  return { status: response.status, headers: response.headers, text }
}

/** Sends a request, and follows the challenge once: what the token endpoint refuses is the answer. */
async function follow(login: Login, path: string, sent: Sent = {}) {
  const first = await send(path, sent)
  if (first.status !== 401) return first
  const [, scope] = /scope="([^"]*)"/.exec(first.headers.get('www-authenticate') ?? '') ?? []
  const issued = await tokenFor(login, scope ? scope.split(' ') : [])
  if (issued.status !== 200) return { ...issued, text: JSON.stringify(issued.body) }
  return send(path, { ...sent, headers: { ...sent.headers, Authorization: `Bearer ${issued.body.token}` } })
}

const digestOf = (content: string) => `sha256:${createHash('sha256').update(content).digest('hex')}`

async function upload(login: Login, name: string, content: string) {
  const path = `/v2/${name}/blobs/uploads/?digest=${digestOf(content)}`
  return (await follow(login, path, { method: 'POST', body: Buffer.from(content) })).status
}

/** Pushes an image with two layers. @returns the first refusal, or the status of its manifest */
async function push(login: Login, name: string, tag: string, created = daysAgo(3)) {
  const layers = ['first layer', 'second layer, which is longer']
  const config = JSON.stringify({ created, architecture: 'amd64', os: 'linux' })
  for (const content of [...layers, config]) {
    const status = await upload(login, name, content)
    if (status !== 201) return { status, manifest: '', config }
  }
  const descriptor = (content: string, mediaType: string) => ({
    mediaType: `application/vnd.oci.image.${mediaType}`,
    digest: digestOf(content),
    size: content.length,
  })
  const manifest = JSON.stringify({
    schemaVersion: 2,
    mediaType: manifestType,
    config: descriptor(config, 'config.v1+json'),
    layers: layers.map((layer) => descriptor(layer, 'layer.v1.tar+gzip')),
  })
  const headers = { 'Content-Type': manifestType }
  const path = `/v2/${name}/manifests/${tag}`
  const { status } = await follow(login, path, { method: 'PUT', body: Buffer.from(manifest), headers })
  return { status, manifest, config }
}
const pull = async (login: Login, name: string, tag: string) =>
  (await follow(login, `/v2/${name}/manifests/${tag}`)).status

test('1: signing in follows the challenge of /v2/', async () => {
  const { status, headers } = await send('/v2/')
  expect([status, headers.get('docker-distribution-api-version')]).toEqual([401, 'registry/2.0'])
  expect(headers.get('www-authenticate')).toBe(`Bearer realm="${server.url}/jwt/auth",service="container_registry"`)
  expect((await follow(people.developer, '/v2/')).status).toBe(200)
  expect((await follow({ username: 'developer', token: 'wrong' }, '/v2/')).text).toContain('"UNAUTHORIZED"')
  const powerless = await server.make.token(people.developer, ['read_user'])
  expect(await follow({ username: 'developer', token: powerless }, '/v2/')).toMatchObject({
    status: 403,
    text: '{"errors":[{"code":"DENIED","message":"access forbidden"}]}',
  })
})

test('2, 3: a pushed image is listed with its details', async () => {
  const { status, manifest, config } = await push(people.developer, 'g/p/web', 'v1')
  expect(status).toBe(201)
  const { body } = await people.reporter.get(`${P}/registry/repositories?tags=true&tags_count=true`)
  expect(body).toMatchObject([{ name: 'web', path: 'g/p/web', tags_count: 1, status: null, tags: [{ name: 'v1' }] }])
  expect((await people.guest.get(`${P}/registry/repositories`)).status).toBe(403)
  for (const caller of [people.outsider, server.anonymous]) {
    expect((await caller.get(`${P}/registry/repositories`)).status).toBe(404)
  }
  const revision = digestOf(config).slice('sha256:'.length)
  const tag = await people.reporter.get(`${P}/registry/repositories/${body[0].id}/tags/v1`)
  expect(tag.body).toMatchObject({
    digest: digestOf(manifest),
    revision,
    short_revision: revision.slice(0, 9),
    total_size: 'first layersecond layer, which is longer'.length,
    created_at: JSON.parse(config).created,
  })
  const sizeOf = async () => (await people.reporter.get(`/registry/repositories/${body[0].id}?size=true`)).body.size
  const before = await sizeOf()
  expect((await push(people.developer, 'g/p/web', 'v2', JSON.parse(config).created)).status).toBe(201)
  expect([before, await sizeOf()]).toEqual([tag.body.total_size, tag.body.total_size])
})

test('4: a token grants what the caller may do of what is asked for', async () => {
  const scope = 'repository:g/p/web:pull,push,delete'
  expect(await grantedTo(people.reporter, scope)).toEqual([['pull']])
  expect(await grantedTo(people.maintainer, scope)).toEqual([['pull', 'push', 'delete']])
  expect(await grantedTo(people.guest, scope)).toEqual([])
  const { body } = await people.maintainer.post(`${P}/deploy_tokens`, { name: 'a', scopes: ['read_registry'] })
  expect(await grantedTo(body, scope)).toEqual([['pull']])
  expect((await tokenFor(null, [scope])).status).toBe(403)
})

test('5: who may only pull cannot push', async () => {
  expect((await push(people.reporter, 'g/p/web', 'no')).status).toBe(401)
  const { body } = await tokenFor(people.reporter, ['repository:g/p/web:pull'])
  const headers = { Authorization: `Bearer ${body.token}` }
  const refused = await send('/v2/g/p/web/blobs/uploads/', { method: 'POST', headers })
  expect(refused.status).toBe(401)
  expect(refused.headers.get('www-authenticate')).toContain(
    'scope="repository:g/p/web:pull,push",error="insufficient_scope"',
  )
})

test('8: a layer is mounted from a repository that may be read, and the client asks for it by the challenge', async () => {
  const layer = digestOf('first layer')
  const mount = (from: string) => `/v2/g/p/blobs/uploads/?mount=${layer}&from=${from}`
  expect((await follow(people.developer, mount('g/p/web'), { method: 'POST' })).status).toBe(201)
  await server.make.project('hidden', people.maintainer)
  expect((await follow(people.developer, mount('maintainer/hidden'), { method: 'POST' })).status).toBe(202)
})

test('10: the access level counts at once, also for a token that was issued before', async () => {
  const set = (level: string, by = people.maintainer) => by.put(pub, { container_registry_access_level: level })
  expect((await push(people.developer, 'g/pub', 'v1')).status).toBe(201)
  expect(await pull(null, 'g/pub', 'v1')).toBe(200)
  expect((await push(null, 'g/pub', 'no')).status).toBe(401)
  const { body } = await tokenFor(null, ['repository:g/pub:pull'])
  const earlier = { headers: { Authorization: `Bearer ${body.token}` } }
  expect((await set('private', people.developer)).status).toBe(403)
  expect((await set('private')).status).toBe(200)
  expect(await pull(null, 'g/pub', 'v1')).toBe(403)
  expect(await pull(people.reporter, 'g/pub', 'v1')).toBe(200)
  expect((await send('/v2/g/pub/manifests/v1', earlier)).status).toBe(401)
  await set('disabled')
  expect(await grantedTo(people.maintainer, 'repository:g/pub:pull')).toEqual([])
  expect((await people.maintainer.get(`${pub}/registry/repositories`)).status).toBe(403)
  const off = await send('/v2/g/pub/manifests/v1', earlier)
  expect([off.status, off.text]).toEqual([404, expect.stringContaining('"NAME_UNKNOWN"')])
  await set('enabled')
  expect(await pull(null, 'g/pub', 'v1')).toBe(200)
})

test('13: only Maintainers delete by reference', async () => {
  const remove = (login: Login, tag: string) => follow(login, `/v2/g/p/web/manifests/${tag}`, { method: 'DELETE' })
  expect((await remove(people.developer, 'v2')).status).toBe(401)
  expect((await remove(people.maintainer, 'v2')).status).toBe(202)
  expect((await remove(people.maintainer, 'v2')).status).toBe(404)
  expect(await pull(people.reporter, 'g/p/web', 'v1')).toBe(200)
})

test('15: a rule protects repositories from pushes and deletion', async () => {
  const rule = { repository_path_pattern: 'g/p/prod*', minimum_access_level_for_push: 'maintainer' }
  const made = await people.maintainer.post(`${P}/registry/protection/repository/rules`, rule)
  expect(made.status).toBe(201)
  const refused = await tokenFor(people.developer, ['repository:g/p/prod:pull,push'])
  expect(refused).toMatchObject({
    status: 403,
    body: { errors: [{ code: 'DENIED', message: 'Pushing to protected repository path forbidden' }] },
  })
  expect((await push(people.maintainer, 'g/p/prod', 'v1')).status).toBe(201)
  const { body } = await people.reporter.get(`${P}/registry/repositories`)
  const { id } = body.find(({ name }: { name: string }) => name === 'prod')
  const one = `${P}/registry/repositories/${id}`
  expect((await people.developer.delete(one)).status).toBe(403)
  const change = { minimum_access_level_for_delete: 'owner' }
  await people.maintainer.patch(`${P}/registry/protection/repository/rules/${made.body.id}`, change)
  const protectedFrom = {
    status: 403,
    body: { message: '403 Forbidden - Deleting protected container repository forbidden.' },
  }
  expect(await people.maintainer.delete(one)).toMatchObject(protectedFrom)
  expect(await people.developer.delete(`${one}/tags/v1`)).toMatchObject(protectedFrom)
  await people.maintainer.delete(`${P}/registry/protection/repository/rules/${made.body.id}`)
  expect(await people.maintainer.delete(one)).toMatchObject({ status: 202, body: { message: '202 Accepted' } })
  await server.app.platform.jobs.drain()
  expect((await people.maintainer.get(`/registry/repositories/${id}`)).status).toBe(404)
})
