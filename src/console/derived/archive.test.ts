import { beforeAll, expect, test } from 'vitest'
import { type Person, startTestServer, type TestServer } from '../../testing/index.ts'
import { type Browser, browserOf, formOf, formsOf } from './testing.ts'

let server: TestServer
let owner: Person
let browser: Browser
beforeAll(async () => {
  server = await startTestServer()
  owner = await server.user('owning')
  const team = await server.make.group('team', owner)
  const sub = await server.make.group('sub', owner, { parent: team })
  await server.make.project('app', owner, { namespace: sub })
  browser = await browserOf(server, owner)
  return () => server[Symbol.asyncDispose]()
})

const settings = { group: '/groups/team/-/edit', sub: '/groups/team/sub/-/edit', project: '/team/sub/app/-/edit' }
const operationsOf = async (path: string) => formsOf((await browser.get(path)).html).map(({ operation }) => operation)

/** Presses a button in the settings. */
async function press(path: string, operation: string) {
  const { html } = await browser.get(path)
  expect((await browser.send(formOf(html, operation))).status).toBe(303)
}

test('a group is archived and unarchived in its settings, to which its pages lead meanwhile', async () => {
  expect((await browser.get('/groups/team')).html).not.toContain('archived</span>')
  await press(settings.group, 'groups.archive')
  const { html } = await browser.get('/groups/team')
  expect(html).toContain('<span class="tagged">archived</span>')
  expect(html).toContain(`href="${settings.group}"`)
  expect(await operationsOf(settings.group)).toEqual(expect.arrayContaining(['groups.unarchive']))
  expect(await operationsOf(settings.group)).not.toContain('groups.update')
  await press(settings.group, 'groups.unarchive')
  expect(await operationsOf(settings.group)).toEqual(expect.arrayContaining(['groups.archive', 'groups.update']))
})

test('what a group above has archived has no button that unarchives it', async () => {
  await owner.post('/groups/team/archive')
  for (const path of [settings.sub, settings.project]) {
    const operations = await operationsOf(path)
    expect(operations.filter((operation) => operation.endsWith('archive'))).toEqual([])
  }
  expect((await browser.get('/team/sub/app')).html).toContain('<span class="tagged">archived</span>')
  await owner.post('/groups/team/unarchive')
})

test('a project that is archived leads to its settings, where it is unarchived', async () => {
  await press(settings.project, 'projects.archive')
  expect((await browser.get('/team/sub/app')).html).toContain(`href="${settings.project}"`)
  await press(settings.project, 'projects.unarchive')
  expect(await operationsOf(settings.project)).toContain('projects.update')
})
