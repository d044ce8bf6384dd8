import { beforeAll, expect, test } from 'vitest'
import { fieldsOfIntegration, integrationCatalogue } from '../../../modules/integrations/index.ts'
import { type Person, startTestServer, type TestServer } from '../../../testing/index.ts'
import { type Browser, browserOf, formOf, formsOf } from '../../derived/testing.ts'

let server: TestServer
let owner: Person
let browser: Browser
let guest: Browser

const inProject = '/team/app/-/settings/integrations'
const inGroup = '/groups/team/-/settings/integrations'
const hostile = `"><script>alert(1)</script>`

beforeAll(async () => {
  server = await startTestServer()
  owner = await server.user('owner')
  const namespace = await server.make.group('team', owner)
  await server.make.project('app', owner, { namespace })
  const visitor = await server.user('visitor')
  await server.make.member({ namespace }, visitor, 10)
  ;[browser, guest] = [await browserOf(server, owner), await browserOf(server, visitor)]
  return () => server[Symbol.asyncDispose]()
})

const read = async (path: string) => (await owner.get(path)).body
const project = (rest = '') => `/projects/team%2Fapp/integrations${rest}`
const group = (rest = '') => `/groups/team/integrations${rest}`
const ofProject = 'project_integrations.set'
const entries = [...integrationCatalogue].filter(([, { does }]) => does !== 'elsewhere')

test('all of the catalogue are offered, but for those that are set up elsewhere', async () => {
  for (const path of [inProject, inGroup]) {
    const { html } = await browser.get(path)
    const links = [...html.matchAll(/settings\/integrations\/([\w-]+)"/g)].map(([, slug]) => slug)
    expect(links).toEqual(entries.map(([slug]) => slug))
  }
  for (const slug of ['jira-cloud-app', 'none', '..%2f', '%F0%9F%92%A5']) {
    expect((await browser.get(`${inProject}/${slug}`)).status).toBe(404)
  }
  for (const path of [inProject, `${inProject}/slack`, inGroup]) expect((await guest.get(path)).status).toBe(403)
})

test.each(entries)('the form of %s has its fields and events, and hides its secrets', async (slug, entry) => {
  const { status, html } = await browser.get(`${inProject}/${slug}`)
  expect(status).toBe(200)
  const { fields } = formOf(html, ofProject)
  const shown = [...new Set(fields.map(({ name }) => name))].filter((name) => !/^_|^id$|^slug$/.test(name))
  const declared = fieldsOfIntegration(entry)
  expect(shown.toSorted()).toEqual([...Object.keys(declared), ...entry.events].toSorted())
  for (const [name, { secret, form }] of Object.entries(declared)) {
    const field = fields.find((one) => one.name === name)
    if (secret && form === undefined) expect(field, name).toMatchObject({ type: 'password' })
    const isBoolean = declared[name]?.type === 'boolean'
    if (!isBoolean) expect(field?.isRequired, name).toBe(name in entry.required)
  }
})

test('one is set up, changed without its optional secret, and disabled', async () => {
  const path = `${inProject}/jenkins`
  const given = {
    ...{ jenkins_url: 'https://ci.example/', project_name: hostile, username: 'me', password: 'pass' },
    ...{ push_events: 'true', tag_push_events: 'false' },
  }
  const made = await browser.send(formOf((await browser.get(path)).html, ofProject), given)
  expect([made.status, made.location]).toEqual([303, inProject])
  const stored = async () => read(project('/jenkins'))
  expect(await stored()).toMatchObject({
    ...{ active: true, inherited: false, push_events: true, tag_push_events: false, merge_requests_events: true },
    properties: { jenkins_url: 'https://ci.example/', project_name: hostile, username: 'me' },
  })
  expect((await browser.get(inProject)).html.indexOf('Jenkins')).toBeLessThan(
    (await browser.get(inProject)).html.indexOf('<h2>Available'),
  )
  const { html } = await browser.get(path)
  expect(html).not.toMatch(/<script>alert|value="pass"/)
  expect(formOf(html, ofProject).fields.find(({ name }) => name === 'project_name')?.value).toBe(hostile)
  const sealed = async () => {
    const query = server.app.platform.database.read.selectFrom('integrations').select('sealed_secrets')
    return (await query.where('slug', '=', 'jenkins').executeTakeFirstOrThrow()).sealed_secrets
  }
  expect((await browser.send(formOf(html, ofProject), { username: '' })).status).toBe(303)
  expect([(await stored()).properties.username, await sealed()]).toEqual([null, expect.anything()])
  const refused = await browser.send(formOf(html, ofProject), { jenkins_url: 'ftp://ci.example', username: 'kept' })
  expect([refused.status, refused.html.includes('value="kept"')]).toEqual([400, true])
  const disabled = await browser.send(formOf((await browser.get(path)).html, 'project_integrations.delete'))
  expect([disabled.status, (await stored()).active]).toEqual([303, false])
  expect((await browser.get(path)).html).toContain('It is not active.')
})

test('a project uses the settings of its group, its own, or the inherited ones again', async () => {
  const path = `${inProject}/asana`
  const form = async (operation: string) =>
    formsOf((await browser.get(path)).html).filter((one) => one.operation === operation)
  expect(await form(ofProject)).toHaveLength(1)
  const ofGroup = formOf((await browser.get(`${inGroup}/asana`)).html, 'group_integrations.set')
  expect((await browser.send(ofGroup, { api_key: 'k', restrict_to_branch: 'main' })).location).toBe(inGroup)
  expect((await browser.get(inProject)).html).toContain('inherited')
  const [inherited] = await form(ofProject)
  expect(inherited?.html).toContain('Use own settings')
  expect(inherited?.fields.find(({ name }) => name === 'restrict_to_branch')?.value).toBe('main')
  expect((await browser.send(inherited as never, { api_key: 'own', restrict_to_branch: 'dev' })).status).toBe(303)
  expect(await read(project('/asana'))).toMatchObject({ inherited: false, properties: { restrict_to_branch: 'dev' } })
  const again = (await form(ofProject)).find(({ html }) => html.includes('Use inherited settings'))
  expect((await browser.send(again as never)).status).toBe(303)
  expect(await read(project('/asana'))).toMatchObject({ inherited: true, properties: { restrict_to_branch: 'main' } })
  const [disable] = await form('project_integrations.delete')
  expect((await browser.send(disable as never)).status).toBe(303)
  expect([(await read(project('/asana'))).active, (await read(group('/asana'))).active]).toEqual([false, true])
})
