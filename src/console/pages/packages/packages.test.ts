import { beforeAll, expect, test } from 'vitest'
import { type Person, startTestServer, type TestServer } from '../../../testing/index.ts'
import { readText } from '../../testing.ts'
import { type Browser, linksIn, personWithBrowser } from '../code/testing.ts'

type Visitor = Person & { browser: Browser }

let server: TestServer
let owner: Visitor
let reporter: Visitor
let id: number
let project: number
const base = '/Team/App/-/packages'

beforeAll(async () => {
  server = await startTestServer()
  ;[owner, reporter] = [await personWithBrowser(server, 'keeper'), await personWithBrowser(server, 'visitor')]
  const namespace = await server.make.group('Team', owner)
  const made = await server.make.project('App', owner, { namespace })
  project = made.id
  await server.make.member({ namespace }, reporter, 20)
  for (const path of ['tool/1.0/dir/tool.bin', 'tool/1.1/tool.bin']) {
    const answer = await owner.put(`/projects/${project}/packages/generic/${path}?select=package_file`, 'content')
    id = answer.body.package_id
  }
  return () => server[Symbol.asyncDispose]()
})

const textOf = (html: string) => readText(html.replace(/<[^>]*>/g, ' ')).replace(/\s+/g, ' ')

test('a project without packages shows how to publish one', async () => {
  const empty = await server.make.project('empty', owner)
  const { status, html } = await owner.browser.get(`/${empty.full_path}/-/packages`)
  expect([status, textOf(html)]).toEqual([200, expect.stringContaining('No packages yet.')])
  expect(readText(html)).toContain(`/api/v4/projects/${empty.id}/packages/generic/my-package/1.0.0/file.txt`)
})

test('a project lists its packages, which can be filtered', async () => {
  const { status, html } = await reporter.browser.get(base)
  expect(status).toBe(200)
  expect(textOf(html)).toContain('tool 1.1')
  expect(linksIn(html)).toContain(`${base}/${id}`)
  expect(textOf((await reporter.browser.get(`${base}?package_name=none`)).html)).toContain('No package matches.')
  expect(textOf((await reporter.browser.get(`${base}?package_type=generic`)).html)).toContain('tool 1.0')
})

test('a group lists the packages of its projects', async () => {
  const { status, html } = await reporter.browser.get('/groups/Team/-/packages')
  expect(status).toBe(200)
  expect(linksIn(html)).toContain(`${base}/${id}`)
})

test('a package shows its command, its files and its versions', async () => {
  const { status, html } = await reporter.browser.get(`${base}/${id}`)
  expect(status).toBe(200)
  const address = `${server.url}/api/v4/projects/${project}/packages/generic/tool/1.1/tool.bin`
  expect(readText(html)).toContain(`curl --remote-name --header "PRIVATE-TOKEN: <access token>" "${address}"`)
  expect(textOf(html)).toContain('Other versions 1.0')
  expect(textOf(html)).not.toContain('Delete the package')
  const link = linksIn(html).find((one) => one?.includes('/files/')) ?? ''
  expect((await reporter.browser.get(link)).html).toBe('content')
  expect((await reporter.browser.get(`${base}/0`)).status).toBe(404)
})

test('a package is deleted, by those who may', async () => {
  const page = `${base}/${id}`
  const fields = { id: 'Team/App', package_id: String(id) }
  expect((await reporter.browser.send(page, 'packages.delete', fields)).status).toBe(403)
  expect(textOf((await owner.browser.get(page)).html)).toContain('Delete tool 1.1 with all of its files?')
  const sent = await owner.browser.send(page, 'packages.delete', fields, base)
  expect([sent.status, sent.location]).toEqual([303, base])
  expect((await owner.browser.get(page)).status).toBe(404)
})
