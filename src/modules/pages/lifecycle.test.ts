/** What becomes of a site when its project is renamed, moved or archived, and where it is served. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type Person, startTestServer, type TestServer } from '../../testing/index.ts'
import type { ProjectRow } from '../projects/index.ts'
import { publishFor, visit } from './testing.ts'

let server: TestServer
let owner: Person
let project: ProjectRow
let api: string
let count = 0
beforeAll(async () => {
  server = await startTestServer({ settings: { FENNEC_PAGES_LISTEN: '127.0.0.1:0' } })
  owner = await server.user('owner')
})
afterAll(() => server.stop())
beforeEach(async () => {
  count += 1
  project = await server.make.project(`site-${count}`, owner)
  api = `/projects/${project.id}`
  await owner.put(api, { pages_access_level: 'public', visibility: 'public' })
  await publishFor(server, project.id, { archive: { 'public/index.html': `site ${count}` }, userId: owner.id })
})

const addressOf = async () => (await owner.get(`${api}/pages`)).body.url as string
const alone = () => owner.patch(`${api}/pages`, { pages_unique_domain_enabled: false })
/** Visitors who say nothing of themselves are asked to also where no site is. */
const missing = 401
/** What is at an address, at the port of sites. */
async function shownAt(address: string) {
  const { status, body } = await visit({ url: `http://127.0.0.1:${new URL(address).port}` }, address)
  return status === 200 ? body : status
}

test('the port of sites has sites, and nothing of the server; the other port has both', async () => {
  const address = await addressOf()
  const { port } = new URL(address)
  expect(port).not.toBe(new URL(server.url).port)
  expect(await shownAt(`${address}/`)).toBe(`site ${count}`)
  for (const host of ['127.0.0.1', 'localhost', new URL(server.url).host, 'unknown.example']) {
    const { status, body } = await visit({ url: `http://127.0.0.1:${port}` }, `http://${host}:${port}/api/v4/version`)
    expect([status, body.includes('version')]).toEqual([404, false])
  }
  expect((await visit(server, `${address}/`)).body).toBe(`site ${count}`)
})

test('a site is at the new address of a renamed project, and keeps the host that it has for itself', async () => {
  const own = await addressOf()
  await owner.put(api, { path: `renamed-${count}` })
  expect([await addressOf(), await shownAt(`${own}/`)]).toEqual([own, `site ${count}`])
  await alone()
  const address = await addressOf()
  expect(address).toMatch(new RegExp(`/renamed-${count}$`))
  expect(await shownAt(`${address}/`)).toBe(`site ${count}`)
  expect(await shownAt(`${address.replace('renamed', 'site')}/`)).toBe(missing)
  expect(await shownAt(`${own}/`)).toBe(missing)
})

test('a site moves with its project to another namespace', async () => {
  const own = await addressOf()
  const group = await server.make.group(`place-${count}`, owner)
  expect((await owner.put(`${api}/transfer`, { namespace: group.id })).status).toBe(200)
  expect([await addressOf(), await shownAt(`${own}/`)]).toEqual([own, `site ${count}`])
  await alone()
  const address = await addressOf()
  expect(new URL(address).hostname).toBe(`place-${count}.pages.localhost`)
  expect(await shownAt(`${address}/`)).toBe(`site ${count}`)
  await owner.put(`/groups/${group.id}`, { path: `moved-${count}` })
  expect(await shownAt(`${await addressOf()}/`)).toBe(`site ${count}`)
  expect(await shownAt(`${address}/`)).toBe(missing)
})

test('a site is served while its project is archived, and not changed', async () => {
  const address = await addressOf()
  expect((await owner.post(`${api}/archive`)).status).toBe(201)
  expect(await shownAt(`${address}/`)).toBe(`site ${count}`)
  expect((await owner.patch(`${api}/pages`, { pages_https_only: true })).status).toBe(403)
  expect((await owner.delete(`${api}/pages`)).status).toBe(403)
  expect(await shownAt(`${address}/`)).toBe(`site ${count}`)
})

test('a site stays while its project waits for its deletion, and goes with it', async () => {
  const address = await addressOf()
  expect((await owner.delete(api)).status).toBe(202)
  expect(await shownAt(`${address}/`)).toBe(`site ${count}`)
  const full_path = (await owner.get(api)).body.path_with_namespace
  expect((await owner.delete(`${api}?permanently_remove=true&full_path=${encodeURIComponent(full_path)}`)).status).toBe(
    202,
  )
  await server.app.platform.jobs.drain()
  expect(await shownAt(`${address}/`)).toBe(missing)
})
