import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  makePeople,
  type People,
  type ProjectWithMembers,
  projectWithMembers,
  startTestServer,
  type TestServer,
} from '../../../testing/index.ts'
import { publishFor } from '../testing.ts'

let server: TestServer
let people: People
let place: ProjectWithMembers
let path: string
let count = 0
beforeAll(async () => {
  server = await startTestServer()
  people = await makePeople(server)
})
afterAll(() => server.stop())
beforeEach(async () => {
  count += 1
  place = await projectWithMembers(server, { people, path: `Site.of_${count}` })
  path = `/projects/${place.project.id}/pages`
})

const port = () => new URL(server.url).port
const publish = (files: Record<string, string> = { 'public/index.html': 'x' }, pages = {}) =>
  publishFor(server, place.project.id, { archive: files, pages, userId: people.owner.id })

describe('the site of a project', () => {
  test('has an address before anything is published, which stays when the project is renamed', async () => {
    const { status, body } = await people.maintainer.get(path)
    const url = expect.stringMatching(new RegExp(`^http://site-of-${count}-[0-9a-f]{6}\\.pages\\.localhost:${port()}$`))
    const expected = { url, is_unique_domain_enabled: true, force_https: false, deployments: [], primary_domain: null }
    expect([status, body]).toEqual([200, expected])
    await people.owner.put(`/projects/${place.project.id}`, { path: `renamed-${count}` })
    expect((await people.maintainer.get(path)).body).toEqual(body)
  })

  test('is below the host of its namespace without one of its own', async () => {
    const { status, body } = await people.maintainer.patch(path, { pages_unique_domain_enabled: false })
    const url = `http://${place.owner.username.toLowerCase()}.pages.localhost:${port()}/Site.of_${count}`
    expect([status, body]).toMatchObject([200, { url, is_unique_domain_enabled: false }])
  })

  test('of a project that is named as the host is at its root', async () => {
    const named = `${people.owner.username}.pages.localhost`
    const { id } = await server.make.project(named, people.owner)
    await server.root.put('/application/settings', { pages_unique_domain_default_enabled: false })
    const { body } = await people.owner.get(`/projects/${id}/pages`)
    await server.root.put('/application/settings', { pages_unique_domain_default_enabled: true })
    expect(body.url).toBe(`http://${named}:${port()}`)
  })

  test('shows what was published, the newest first', async () => {
    await publish()
    await publish({ 'dist/a.html': 'x' }, { publish: 'dist', pathPrefix: 'Review/1' })
    const { url, deployments } = (await people.maintainer.get(path)).body
    const at = expect.any(String)
    expect(deployments).toEqual([
      { created_at: at, url: `${url}/review-1`, path_prefix: 'review-1', root_directory: 'dist' },
      { created_at: at, url, path_prefix: '', root_directory: 'public' },
    ])
  })

  test('is changed in part', async () => {
    await people.maintainer.patch(path, { pages_https_only: true })
    const { body } = await people.maintainer.patch(path, { pages_unique_domain_enabled: false })
    expect(body).toMatchObject({ force_https: true, is_unique_domain_enabled: false })
    expect((await people.maintainer.patch(path, {})).body).toEqual(body)
  })

  test.each([
    [{ pages_https_only: 'perhaps' }, { error: 'pages_https_only is invalid' }],
    [{ pages_unique_domain_enabled: { a: 1 } }, { error: 'pages_unique_domain_enabled is invalid' }],
    [{ pages_primary_domain: 'none.example' }, { message: expect.stringContaining('missing from the domain list') }],
    [{ pages_primary_domain: '\u0000' }, expect.anything()],
    [{ pages_primary_domain: 'x'.repeat(100_000) }, expect.anything()],
  ])('refuses %j', async (given, body) => {
    expect(await people.maintainer.patch(path, given)).toMatchObject({ status: 400, body })
  })

  test('is deleted at once with everything that was published, and its settings stay', async () => {
    await people.maintainer.patch(path, { pages_https_only: true })
    await publish()
    const early = { headers: { 'If-Unmodified-Since': 'Mon, 01 Jan 2001 00:00:00 GMT' } }
    expect((await people.maintainer.delete(path, early)).status).toBe(412)
    expect((await people.maintainer.delete(path)).status).toBe(204)
    expect((await people.maintainer.get(path)).body).toMatchObject({ deployments: [], force_https: true })
    expect((await people.maintainer.delete(path)).status).toBe(204)
  })

  test('is there for maintainers while the feature is on, and the server has it', async () => {
    expect((await people.developer.get(path)).status).toBe(403)
    expect((await people.developer.patch(path, {})).status).toBe(403)
    expect((await people.developer.delete(path)).status).toBe(403)
    await people.owner.put(`/projects/${place.project.id}`, { pages_access_level: 'disabled' })
    const missing = { status: 404, body: { message: '404 Not Found' } }
    expect(await people.owner.get(path)).toMatchObject(missing)
    await people.owner.put(`/projects/${place.project.id}`, { pages_access_level: 'private' })
    server.app.platform.config.pagesEnabled = false
    expect(await people.owner.get(path)).toMatchObject(missing)
    expect(await people.owner.delete(path)).toMatchObject(missing)
    server.app.platform.config.pagesEnabled = true
  })
})

test('two who ask for a new site at once get one address', async () => {
  const answers = await Promise.all(Array.from({ length: 6 }, () => people.maintainer.get(path)))
  expect(new Set(answers.map(({ body }) => body.url)).size).toBe(1)
})
