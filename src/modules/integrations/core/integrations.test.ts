import { generateKeyPairSync } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  type Client,
  type ProjectWithMembers,
  projectWithMembers,
  startTestServer,
  type TestServer,
} from '../../../testing/index.ts'
import { catalogue } from '../catalogue/catalogue.ts'
import { fieldsOf } from '../catalogue/entry.ts'
import type { Field } from '../catalogue/fields.ts'

let server: TestServer
let people: ProjectWithMembers
let at: string
let inGroup: string
let inSubgroup: string
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.stop())

let count = 0
beforeEach(async () => {
  count += 1
  const owner = await server.user(`owner-${count}`)
  const group = await server.make.group(`top-${count}`, owner)
  const subgroup = await server.make.group(`sub-${count}`, owner, { parent: group })
  people = await projectWithMembers(server, { path: `p-${count}`, namespace: subgroup })
  at = `/projects/${people.project.id}/integrations`
  inGroup = `/groups/${group.id}/integrations`
  inSubgroup = `/groups/${subgroup.id}/integrations`
})

const bad = { status: 400, body: { message: '400 Bad Request' } }
const webhook = 'https://chat.example/hooks/top-secret'
const put = (slug: string, given: object, path = at, as: Client = server.root) => as.put(`${path}/${slug}`, given)
const get = (slug: string, path = at) => server.root.get(`${path}/${slug}`)
const listed = async (path = at) =>
  (await server.root.get(path)).body as { slug: string; inherited: boolean; id: number }[]

const { privateKey } = generateKeyPairSync('ec', {
  namedCurve: 'prime256v1',
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  publicKeyEncoding: { type: 'spki', format: 'pem' },
})

/** A value that a field may have. */
function sample({ type, address, values, form, below }: Field): unknown {
  if (values) return values[0]
  if (form === 'private key') return privateKey
  if (form === 'service account') return JSON.stringify({ private_key: privateKey })
  if (form === 'host name') return 'datadoghq.eu'
  if (address) return below ? `https://x.${below}/a` : 'https://other.example/a/:id'
  return { text: 'some text', boolean: true, integer: 7, list: ['a', 'b'] }[type]
}

test('an integration is set up, read, listed, changed and switched off', async () => {
  const made = await put('slack', {
    webhook,
    channel: '#a',
    username: 'bot',
    push_events: false,
    pipeline_events: true,
  })
  expect(made.status).toBe(200)
  expect(made.body).toMatchObject({
    ...{ id: expect.any(Number), title: 'Slack notifications', slug: 'slack', active: true, inherited: false },
    ...{
      push_events: false,
      pipeline_events: true,
      issues_events: true,
      job_events: false,
      vulnerability_events: false,
    },
    properties: { channel: '#a', username: 'bot', push_channel: null },
  })
  expect(JSON.stringify(made.body)).not.toContain('top-secret')
  expect(Object.keys(made.body.properties)).not.toContain('webhook')
  const { properties, ...short } = made.body
  expect(await listed()).toEqual([short])
  const changed = await put('slack', { webhook, channel: '' })
  expect(changed.body).toMatchObject({
    id: made.body.id,
    push_events: false,
    properties: { channel: null, username: 'bot' },
  })
  expect((await get('slack')).body).toEqual(changed.body)
  expect(properties.channel).toBe('#a')
  expect((await server.root.delete(`${at}/slack`)).status).toBe(204)
  expect((await server.root.delete(`${at}/slack`)).status).toBe(204)
  const off = await get('slack')
  expect(off).toMatchObject({ status: 200, body: { active: false, properties: { username: null } } })
  expect(await listed()).toEqual([])
})

test('secrets are stored sealed', async () => {
  await put('telegram', { token: 'bot-secret', room: 'r' })
  const rows = server.app.platform.database.read.selectFrom('integrations').selectAll()
  const own = rows.where('project_id', '=', people.project.id)
  const row = await own.executeTakeFirstOrThrow()
  expect(JSON.stringify(row)).not.toContain('bot-secret')
  await server.root.delete(`${at}/telegram`)
  expect(await own.executeTakeFirstOrThrow()).toMatchObject({ sealed_secrets: null, fields: {} })
})

const settable = [...catalogue].filter(([, { does }]) => does !== 'elsewhere')
test.each(settable)(
  '%s takes its fields, shows those that are no secrets, and requires the required ones',
  async (slug, entry) => {
    const fields = fieldsOf(entry)
    const given = Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, sample(field)]))
    const made = await put(slug, given)
    expect(made.status, JSON.stringify(made.body)).toBe(200)
    const shown = Object.entries(given).filter(([name]) => !fields[name]?.secret)
    expect(made.body.properties).toEqual(Object.fromEntries(shown))
    for (const name of Object.keys(entry.required)) {
      const refused = await put(slug, { ...given, [name]: undefined })
      expect(refused).toMatchObject({ status: 400, body: { error: `${name} is missing` } })
    }
  },
)

test('the old path and slugs with _ are the same', async () => {
  const old = `/projects/${people.project.id}/services`
  const made = await server.root.put(`${old}/external_wiki`, { external_wiki_url: 'https://wiki.example/' })
  expect(made).toMatchObject({ status: 200, body: { slug: 'external-wiki' } })
  expect((await server.root.get(`${old}/external-wiki`)).body).toEqual(made.body)
  expect((await server.root.get(old)).body).toEqual(await listed())
  expect((await server.root.delete(`${old}/external_wiki`)).status).toBe(204)
})

test('what is unknown or was never set', async () => {
  const slug = { status: 400, body: { error: 'slug does not have a valid value' } }
  expect(await get('nothing')).toMatchObject(slug)
  expect(await server.root.delete(`${at}/nothing`)).toMatchObject(slug)
  expect(await put('nothing', {})).toMatchObject({ status: 404, body: { error: '404 Not Found' } })
  expect(await get('slack')).toMatchObject({ status: 404, body: { message: '404 Integration Not Found' } })
  expect((await server.root.delete(`${at}/slack`)).status).toBe(204)
  expect((await get('slack')).status).toBe(404)
  for (const odd of ['__proto__', 'constructor', '..%2Fslack', 'slack%00', '💥', 'x'.repeat(3_000)]) {
    expect((await get(odd)).status).toBeGreaterThanOrEqual(400)
    expect((await get(odd)).status).toBeLessThan(500)
  }
})

test('apps that are installed elsewhere cannot be set up', async () => {
  expect(await put('gitlab-slack-application', {})).toMatchObject({
    ...{ status: 422, body: { message: 'You cannot create the GitLab for Slack app from the API' } },
  })
  expect(await put('jira-cloud-app', {})).toMatchObject({
    ...{ status: 422, body: { message: 'You cannot create the GitLab for Jira Cloud app from the API' } },
  })
})

describe('refuses', () => {
  const jira = { url: 'https://jira.example/', password: 'p' }
  test.each<[string, string, object]>([
    ['a blank required field', 'slack', { webhook: ' ' }],
    ['an address of another scheme', 'slack', { webhook: 'ftp://chat.example/' }],
    ['a script', 'external-wiki', { external_wiki_url: 'javascript:alert(1)' }],
    ['this machine', 'slack', { webhook: 'http://127.0.0.1/' }],
    ['this machine by a number', 'slack', { webhook: 'http://2130706433/' }],
    ['a private address', 'jenkins', { jenkins_url: 'http://10.0.0.1/', project_name: 'p' }],
    ['a private address of an optional field', 'telegram', { token: 't', room: 'r', hostname: 'http://[::1]/' }],
    ['an unknown branch rule', 'slack', { webhook, branches_to_be_notified: 'some' }],
    ['an unknown label rule', 'slack', { webhook, labels_to_be_notified_behavior: 'any' }],
    ['Jira with a password and no name', 'jira', jira],
    ['an unknown way to authenticate', 'jira', { ...jira, username: 'u', jira_auth_type: 2 }],
    ['a wiki of another host', 'confluence', { confluence_url: 'https://atlassian.net.evil.example/' }],
    ['a host name with a path', 'datadog', { api_key: 'k', datadog_site: 'evil.example/x' }],
    [
      'a private key that cannot be read',
      'apple-app-store',
      {
        ...{ app_store_issuer_id: 'i', app_store_key_id: 'k', app_store_private_key_file_name: 'f' },
        app_store_private_key: 'x',
      },
    ],
  ])('%s', async (_, slug, given) => {
    expect(await put(slug, given)).toMatchObject(bad)
    expect((await get(slug)).status).toBe(404)
  })

  test.each([
    ['slack', { webhook, push_events: 'perhaps' }, 'push_events is invalid'],
    ['slack', { webhook: { a: 1 } }, 'webhook is invalid'],
    [
      'slack',
      { webhook: `https://a.example/${'a'.repeat(10_000)}` },
      'webhook is too long (maximum is 10000 characters)',
    ],
    ['irker', { recipients: 'a', server_port: 'x' }, 'server_port is invalid'],
  ])('%s %j by the type', async (slug, given, error) => {
    expect(await put(slug, given)).toMatchObject({ status: 400, body: { error } })
  })
})

test('Jira with a token needs no name, and can be set up switched off', async () => {
  const given = { url: 'https://jira.example/', password: 'p', jira_auth_type: 1, active: false }
  expect(await put('jira', given)).toMatchObject({ status: 200, body: { active: false } })
  expect(await listed()).toEqual([])
})

test('events outside of the row are ignored', async () => {
  const made = await put('external-wiki', { external_wiki_url: 'https://wiki.example/', push_events: false })
  expect(made.body.push_events).toBe(true)
})

describe('inheritance', () => {
  test('the nearest group above counts, until there is an own setting', async () => {
    const top = (await put('slack', { webhook, channel: 'top' }, inGroup)).body
    expect(await get('slack')).toMatchObject({ status: 200, body: { ...top, inherited: true } })
    expect(await listed(inSubgroup)).toMatchObject([{ id: top.id, inherited: true }])
    expect(await listed(inGroup)).toMatchObject([{ id: top.id, inherited: false }])
    const near = (await put('slack', { webhook, channel: 'near' }, inSubgroup)).body
    expect(await listed()).toMatchObject([{ id: near.id, inherited: true }])
    const own = (await put('slack', { webhook, channel: 'own' })).body
    expect(own).toMatchObject({ inherited: false, properties: { channel: 'own' } })
    expect(await listed()).toMatchObject([{ id: own.id, inherited: false }])
    const given = await put('slack', { use_inherited_settings: true })
    expect(given).toMatchObject({ status: 200, body: { id: near.id, inherited: true } })
    expect(await listed()).toMatchObject([{ id: near.id, inherited: true }])
  })

  test('what is inherited can be switched off, for everything below', async () => {
    await put('slack', { webhook }, inGroup)
    expect((await server.root.delete(`${inSubgroup}/slack`)).status).toBe(204)
    expect(await get('slack', inSubgroup)).toMatchObject({ body: { active: false, inherited: false } })
    expect(await listed()).toEqual([])
    expect((await get('slack')).status).toBe(404)
    expect(await listed(inGroup)).toHaveLength(1)
    expect(await put('slack', { use_inherited_settings: true })).toMatchObject(bad)
    expect(await put('slack', { use_inherited_settings: true }, inSubgroup)).toMatchObject({
      body: { inherited: true },
    })
    expect(await listed()).toHaveLength(1)
  })

  test('without a group that has one nothing can be inherited', async () => {
    expect(await put('slack', { use_inherited_settings: true })).toMatchObject(bad)
    await put('slack', { webhook })
    expect(await put('slack', { use_inherited_settings: true })).toMatchObject(bad)
    expect(await listed()).toHaveLength(1)
  })

  test('ends with the transfer of the project', async () => {
    await put('slack', { webhook }, inGroup)
    const elsewhere = await server.make.group(`else-${count}`, people.owner)
    await server.root.put(`/projects/${people.project.id}/transfer`, { namespace: elsewhere.id })
    expect(await listed()).toEqual([])
  })
})

test('two callers at once set up one integration', async () => {
  const both = await Promise.all([put('slack', { webhook, channel: 'a' }), put('slack', { webhook, channel: 'b' })])
  expect(both.map(({ status }) => status)).toEqual([200, 200])
  expect(both[0]?.body.id).toBe(both[1]?.body.id)
  expect(await listed()).toHaveLength(1)
})

test('a list has pages', async () => {
  for (const slug of ['pumble', 'slack', 'webex-teams']) await put(slug, { webhook })
  const page = await server.root.get(`${at}?per_page=2&page=2`)
  expect(page.body).toMatchObject([{ slug: 'webex-teams' }])
  expect(page.headers.get('x-total')).toBe('3')
})

test('an older state is not switched off', async () => {
  await put('slack', { webhook })
  const headers = { 'If-Unmodified-Since': 'Mon, 01 Jan 2001 00:00:00 GMT' }
  expect((await server.root.delete(`${at}/slack`, { headers })).status).toBe(412)
  expect(await listed()).toHaveLength(1)
})
