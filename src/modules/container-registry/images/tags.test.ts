import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  type Client,
  type ProjectWithMembers,
  projectWithMembers,
  queriesOf,
  startTestServer,
  type TestServer,
} from '../../../testing/index.ts'
import { digestOf } from '../tags/testing.ts'
import { type RegistryRows, registryRows } from './testing.ts'

let server: TestServer
let people: ProjectWithMembers
let rows: RegistryRows
let base: string

beforeAll(async () => {
  server = await startTestServer()
  people = await projectWithMembers(server)
  rows = registryRows(server)
  base = `/projects/${people.project.id}/registry/repositories`
})
afterAll(() => server.stop())

type Named = { name: string }

/** The names on each page of a keyset walk. */
async function walk(client: Client, first: string): Promise<string[][]> {
  const pages: string[][] = []
  for (let path: string | undefined = first; path !== undefined && pages.length < 20; ) {
    const { status, body, headers } = await client.get(path)
    expect([status, headers.get('x-total'), headers.get('x-page')]).toEqual([200, null, null])
    pages.push(body.map(({ name }: Named) => name))
    path = /^<[^>]*\/api\/v4([^>]*)>; rel="next"$/.exec(headers.get('link') ?? '')?.[1]
  }
  return pages
}

describe('the tags of a repository', () => {
  test('are listed in byte order, by number', async () => {
    const id = await rows.repository(people.project, 'ordered')
    await rows.image(id, 'ordered', { tags: ['a', '_', 'A', 'b.1', 'Z'] })
    const { body, headers } = await people.reporter.get(`${base}/${id}/tags?per_page=4&order_by=size&sort=desc&last=Z`)
    expect(body.map(({ name }: Named) => name)).toEqual(['A', 'Z', '_', 'a'])
    expect(body[0]).toEqual({
      name: 'A',
      path: `${people.path}/ordered:A`,
      location: `${new URL(server.url).host}/${people.path}/ordered:A`,
    })
    expect([headers.get('x-total'), headers.get('x-next-page')]).toEqual(['5', '2'])
  })

  test('are walked by name in both directions, 45 in pages of 20 (acceptance walk, step 12)', async () => {
    const id = await rows.repository(people.project, 'walked')
    const names = Array.from({ length: 45 }, (_, index) => `t${String(index).padStart(2, '0')}`)
    await rows.image(id, 'walked', { tags: names })
    const path = `${base}/${id}/tags?pagination=keyset&per_page=20`
    const upwards = await walk(people.reporter, path)
    expect(upwards.map(({ length }) => length)).toEqual([20, 20, 5])
    expect(upwards.flat()).toEqual(names)
    expect((await walk(people.reporter, `${path}&sort=desc`)).flat()).toEqual(names.toReversed())
    expect((await walk(people.reporter, `${path}&sort=sideways&order_by=name&last=t39x`)).flat()).toEqual(
      names.slice(40),
    )
  })

  test('link to the next page with all parameters but the credential', async () => {
    const id = await rows.repository(people.project, 'linked')
    await rows.image(id, 'linked', { tags: ['a', 'b', 'c'] })
    const { headers } = await server.anonymous.get(
      `${base}/${id}/tags?pagination=keyset&per_page=2&x=1&private_token=${people.reporter.token}`,
    )
    const self = `${server.app.platform.externalUrl}/api/v4${base}/${id}/tags`
    expect(headers.get('link')).toBe(`<${self}?x=1&pagination=keyset&per_page=2&sort=asc&last=b>; rel="next"`)
  })

  test('are neither repeated nor skipped by a walk while others come and go', async () => {
    const id = await rows.repository(people.project, 'changing')
    const manifest = await rows.image(id, 'changing', { tags: ['b', 'd', 'f', 'h'] })
    const path = `${base}/${id}/tags?pagination=keyset&per_page=2`
    expect((await people.reporter.get(path)).body.map(({ name }: Named) => name)).toEqual(['b', 'd'])
    await rows.tag(id, manifest, ['a', 'e'])
    expect((await people.developer.delete(`${base}/${id}/tags/d`)).status).toBe(204)
    expect((await walk(people.reporter, `${path}&last=d`)).flat()).toEqual(['e', 'f', 'h'])
  })

  test('report invalid parameters', async () => {
    const id = await rows.repository(people.project, 'strict')
    const path = `${base}/${id}/tags?pagination=keyset`
    expect(await people.reporter.get(`${path}&order_by=size`)).toMatchObject({
      status: 400,
      body: {
        message: { order_by: ['does not have a valid value'] },
        error: 'order_by does not have a valid value',
      },
    })
    expect((await people.reporter.get(`${path}&last[a]=b`)).body.error).toBe('last is invalid')
    expect((await people.reporter.get(`${path}&last=%00`)).body.error).toBe('last is invalid')
    expect((await people.reporter.get(`${path}&per_page=x`)).body.error).toBe('per_page is invalid')
    for (const last of ['%F0%9F%92%A5', "'--", '%25', '..%2F'])
      expect(await people.reporter.get(`${path}&last=${last}`)).toMatchObject({ status: 200, body: [] })
    expect(await people.reporter.get(`${base}/abc/tags`)).toMatchObject({
      status: 400,
      body: { message: { repository_id: ['is invalid'] }, error: 'repository_id is invalid' },
    })
  })

  test('are those of a repository of the project only', async () => {
    const other = await projectWithMembers(server, { people, path: 'another' })
    const foreign = await rows.repository(other.project, 'foreign')
    await rows.image(foreign, 'foreign', { tags: ['v1'] })
    const missing = { status: 404, body: { message: '404 Not found' } }
    for (const id of [foreign, 99999999, 0]) {
      expect(await people.owner.get(`${base}/${id}/tags`)).toMatchObject(missing)
      expect(await people.owner.get(`${base}/${id}/tags/v1`)).toMatchObject(missing)
      expect(await people.owner.delete(`${base}/${id}/tags/v1`)).toMatchObject(missing)
    }
    expect(await rows.tagNames(foreign)).toEqual(['v1'])
  })

  test('take a constant number of queries', async () => {
    const id = await rows.repository(people.project, 'counted')
    const manifest = await rows.image(id, 'counted', { tags: ['a'] })
    const ask = () => people.reporter.get(`${base}/${id}/tags?per_page=100`)
    const few = await queriesOf(server, ask)
    await rows.tag(
      id,
      manifest,
      Array.from({ length: 50 }, (_, index) => `n${index}`),
    )
    expect(await queriesOf(server, ask)).toBe(few)
  })
})

describe('a tag', () => {
  test('has the details of its manifest (acceptance walk, step 3)', async () => {
    const id = await rows.repository(people.project, 'detailed')
    const imageCreatedAt = '2026-01-02T03:04:05.000Z'
    await rows.image(id, 'detailed', { layers: { a: 10, b: 32 }, tags: ['v1', 'v2'], imageCreatedAt })
    const revision = digestOf('config of detailed').slice('sha256:'.length)
    expect((await people.reporter.get(`${base}/${id}/tags/v1`)).body).toEqual({
      name: 'v1',
      path: `${people.path}/detailed:v1`,
      location: `${new URL(server.url).host}/${people.path}/detailed:v1`,
      revision,
      short_revision: revision.slice(0, 9),
      digest: digestOf('detailed'),
      created_at: imageCreatedAt,
      total_size: 42,
    })
  })

  test('on an index has no revision', async () => {
    const id = await rows.repository(people.project, 'indexed')
    const child = await rows.image(id, 'child', { layers: { a: 10 } })
    await rows.image(id, 'index', { children: [child], tags: ['v1'] })
    expect((await people.reporter.get(`${base}/${id}/tags/v1`)).body).toMatchObject({
      revision: null,
      short_revision: null,
      digest: digestOf('index'),
    })
  })

  test('is found by its exact name', async () => {
    const id = await rows.repository(people.project, 'literal')
    await rows.image(id, 'literal', { tags: ['v1', 'x'.repeat(128)] })
    expect((await people.reporter.get(`${base}/${id}/tags/${'x'.repeat(128)}`)).status).toBe(200)
    const missing = { status: 404, body: { message: '404 Tag Not Found' } }
    const odd = ['V1', '.*', 'v%25', 'v_', '%F0%9F%92%A5', 'v1%2F..', '..%2Fv1', '%20v1', 'v1%0A', '-', 'x'.repeat(129)]
    for (const name of odd) {
      expect(await people.reporter.get(`${base}/${id}/tags/${name}`)).toMatchObject(missing)
      expect(await people.developer.delete(`${base}/${id}/tags/${name}`)).toMatchObject(missing)
    }
  })

  test('is removed alone, also when it is `latest`', async () => {
    const id = await rows.repository(people.project, 'removed')
    await rows.image(id, 'removed', { tags: ['v1', 'latest', 'v2'] })
    const path = `${base}/${id}/tags`
    expect(await people.developer.delete(`${path}/latest`)).toMatchObject({ status: 204, body: '' })
    expect((await people.reporter.delete(`${path}/v1`)).status).toBe(403)
    expect(await rows.tagNames(id)).toEqual(['v1', 'v2'])
    const both = await Promise.all([people.developer.delete(`${path}/v1`), people.developer.delete(`${path}/v1`)])
    expect(both.map(({ status }) => status).sort()).toEqual([204, 404])
    expect(both.find(({ status }) => status === 404)?.body).toEqual({ message: '404 Tag Not Found' })
    expect((await people.reporter.get(`${path}/v2`)).status).toBe(200)
  })

  test('cannot be removed while the project is archived', async () => {
    const { project, owner } = await projectWithMembers(server)
    const id = await rows.repository(project)
    await rows.image(id, 'archived', { tags: ['v1'] })
    await owner.post(`/projects/${project.id}/archive`)
    const path = `/projects/${project.id}/registry/repositories/${id}/tags/v1`
    expect(await owner.delete(path)).toMatchObject({ status: 403, body: { message: '403 Forbidden' } })
    expect((await owner.get(path)).status).toBe(200)
  })
})
