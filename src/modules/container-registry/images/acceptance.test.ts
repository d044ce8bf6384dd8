/** The steps of the acceptance walk of contract 02 that push images and look at them by the API: 2, 3, 11 and 15. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ManualClock, manualClock } from '../../../infra/clock/index.ts'
import {
  type People,
  type Person,
  projectWithMembers,
  startTestServer,
  type TestServer,
} from '../../../testing/index.ts'
import { blobOf } from '../http/testing.ts'
import { imageOf, ociManifest } from '../manifests/testing.ts'
import { askForToken, loginOf } from '../tokens/testing.ts'

const dayMs = 86_400_000
const start = '2026-05-10T00:00:00.000Z'
const daysAgo = (days: number) => new Date(Date.parse(start) - days * dayMs).toISOString()

let clock: ManualClock
let server: TestServer
let people: People
let list: string
let rules: string

beforeAll(async () => {
  clock = manualClock({ start })
  server = await startTestServer({ clock })
  const owner = await server.user('keeper')
  const namespace = await server.make.group('g', owner)
  people = await projectWithMembers(server, { namespace, path: 'p' })
  list = '/projects/g%2Fp/registry/repositories'
  rules = '/projects/g%2Fp/registry/protection/repository/rules'
})
afterAll(() => server.stop())

/** Pushes as a client does: asks for a token, then sends blobs and the manifest. @returns the statuses */
async function push(person: Person, name: string, tag: string, createdAt: string, layers: readonly string[]) {
  const answer = await askForToken(server, loginOf(person), `repository:${name}:pull,push`)
  if (answer.status !== 200) return { token: answer, statuses: [] }
  const headers = { Authorization: `Bearer ${answer.body.token}` }
  const send = (method: string, path: string, body: Buffer | string, type: string) =>
    fetch(`${server.url}/v2/${name}/${path}`, {
      method,
      headers: { ...headers, 'Content-Type': type },
      body: body as never,
    })
  const config = blobOf(JSON.stringify({ created: createdAt, architecture: 'amd64', os: 'linux' }))
  const blobs = layers.map((layer) => blobOf(layer))
  const statuses: number[] = []
  for (const { digest, content } of [config, ...blobs]) {
    statuses.push((await send('POST', `blobs/uploads/?digest=${digest}`, content, 'application/octet-stream')).status)
  }
  const manifest = imageOf(config, blobs)
  statuses.push((await send('PUT', `manifests/${tag}`, manifest, ociManifest)).status)
  return { token: answer, statuses, config, manifest: blobOf(manifest) }
}

type Listed = { id: number; path: string }
const idOf = async (path: string): Promise<number> =>
  (await people.owner.get(`${list}?per_page=100`)).body.find((one: Listed) => one.path === path).id

describe('a pushed image', () => {
  const layers = ['first layer', 'second, longer layer']

  test('is listed with its tags for those who may pull (step 2)', async () => {
    const pushed = await push(people.developer, 'g/p/web', 'v1', daysAgo(3), layers)
    expect(pushed.statuses).toEqual([201, 201, 201, 201])
    const { status, body } = await people.reporter.get(`${list}?tags=true&tags_count=true`)
    expect([status, body.length]).toEqual([200, 1])
    expect(body[0]).toMatchObject({ name: 'web', path: 'g/p/web', tags_count: 1, status: null })
    expect(body[0].tags).toEqual([expect.objectContaining({ name: 'v1', path: 'g/p/web:v1' })])
    expect((await people.guest.get(list)).status).toBe(403)
    for (const client of [people.outsider, server.anonymous])
      expect(await client.get(list)).toMatchObject({ status: 404, body: { message: '404 Project Not Found' } })
  })

  test('has the details of its manifest, and another tag on it does not change the size (step 3)', async () => {
    const id = await idOf('g/p/web')
    const { manifest, config } = await push(people.developer, 'g/p/web', 'v1', daysAgo(3), layers)
    expect((await people.reporter.get(`${list}/${id}/tags/v1`)).body).toMatchObject({
      digest: manifest?.digest,
      revision: config?.hex,
      short_revision: config?.hex.slice(0, 9),
      total_size: layers.join('').length,
      created_at: daysAgo(3),
    })
    const size = async () => (await people.reporter.get(`/registry/repositories/${id}?size=true`)).body.size
    expect(await size()).toBe(layers.join('').length)
    await push(people.developer, 'g/p/web', 'v2', daysAgo(3), layers)
    expect(await size()).toBe(layers.join('').length)
    expect((await people.reporter.get(`${list}/${id}/tags`)).body.map(({ name }: { name: string }) => name)).toEqual([
      'v1',
      'v2',
    ])
  })
})

test('tags are deleted in bulk by the dates of their images (step 11)', async () => {
  for (const [tag, days] of Object.entries({ v1: 5, v2: 4, v3: 3, latest: 2, rc1: 1 }))
    expect((await push(people.developer, 'g/p/clean', tag, daysAgo(days), [tag])).statuses).toEqual([201, 201, 201])
  const tags = `${list}/${await idOf('g/p/clean')}/tags`
  const query = 'name_regex_delete=v.*&name_regex_keep=v2&keep_n=1&older_than=1d'
  expect((await people.maintainer.delete(`${tags}?${query}`)).status).toBe(202)
  await server.app.platform.jobs.drain()
  const left = async () => (await people.maintainer.get(tags)).body.map(({ name }: { name: string }) => name)
  expect(await left()).toEqual(['latest', 'rc1', 'v2', 'v3'])
  expect(await people.maintainer.delete(`${tags}?${query}`)).toMatchObject({
    status: 429,
    body: { message: expect.stringContaining('already been made') },
  })
  clock.advance(3_600_000)
  expect((await people.maintainer.delete(`${tags}?name_regex=.*`)).status).toBe(202)
  await server.app.platform.jobs.drain()
  expect(await left()).toEqual(['latest'])
})

test('a rule protects pushes, and a repository is deleted in the background (step 15)', async () => {
  const rule = { repository_path_pattern: 'g/p/prod*', minimum_access_level_for_push: 'maintainer' }
  expect((await people.maintainer.post(rules, rule)).status).toBe(201)
  const refused = await push(people.developer, 'g/p/prod', 'v1', daysAgo(1), ['x'])
  expect(refused.token).toMatchObject({
    status: 403,
    body: { errors: [{ code: 'DENIED', message: 'Pushing to protected repository path forbidden' }] },
  })
  expect((await push(people.maintainer, 'g/p/prod', 'v1', daysAgo(1), ['x'])).statuses).toEqual([201, 201, 201])
  const id = await idOf('g/p/prod')
  expect((await people.developer.delete(`${list}/${id}`)).status).toBe(403)
  expect(await people.maintainer.delete(`${list}/${id}`)).toMatchObject({
    status: 202,
    body: { message: '202 Accepted' },
  })
  await server.app.platform.jobs.drain()
  expect((await people.maintainer.get(`/registry/repositories/${id}`)).status).toBe(404)
  expect((await push(people.maintainer, 'g/p/prod', 'v1', daysAgo(1), ['x'])).statuses).toEqual([201, 201, 201])
  expect(await idOf('g/p/prod')).not.toBe(id)
})

test('images are pulled by the new name after a rename, and not by the old one', async () => {
  await push(people.developer, 'g/p/moved', 'v1', daysAgo(1), ['moved'])
  const project = (await people.owner.get('/projects/g%2Fp')).body.id
  expect((await people.owner.put(`/projects/${project}`, { path: 'q' })).status).toBe(200)
  const pull = async (name: string) => {
    const answer = await askForToken(server, loginOf(people.reporter), `repository:${name}:pull`)
    const headers = { Authorization: `Bearer ${answer.body.token}` }
    return (await fetch(`${server.url}/v2/${name}/manifests/v1`, { headers })).status
  }
  expect(await pull('g/q/moved')).toBe(200)
  expect(await pull('g/p/moved')).toBe(401)
})
