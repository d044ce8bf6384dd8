import { beforeAll, expect, test } from 'vitest'
import { type Person, startTestServer, type TestServer } from '../../../testing/index.ts'
import { readText } from '../../testing.ts'
import { type Browser, personWithBrowser } from '../code/testing.ts'

type Visitor = Person & { browser: Browser }

let server: TestServer
let owner: Visitor
let guest: Visitor

const base = '/Team/App/-/feature_flags'
const api = '/projects/Team%2FApp'

beforeAll(async () => {
  server = await startTestServer()
  ;[owner, guest] = [await personWithBrowser(server, 'keeper'), await personWithBrowser(server, 'visitor')]
  const namespace = await server.make.group('Team', owner)
  await server.make.project('App', owner, { namespace })
  await server.make.member({ namespace }, guest, 10)
  await owner.post(`${api}/feature_flags_user_lists`, { name: '<b>Testers', user_xids: 't1,t2' })
  return () => server[Symbol.asyncDispose]()
})

const textOf = (html: string) => readText(html.replace(/<[^>]*>/g, ' ')).replace(/\s+/g, ' ')
const show = async (path = '', who = owner) => (await who.browser.get(`${base}${path}`)).html
const update = (fields: Record<string, string>, name = 'new-look') =>
  owner.browser.send(`${base}/${name}`, 'feature_flags.update', fields)
const id = 'Team/App'
const named = { id, feature_flag_name: 'new-look' }

test('a flag is made, and its strategies are added and removed', async () => {
  const created = await owner.browser.send(
    `${base}/new`,
    'feature_flags.create',
    { id, name: 'new-look', description: '<script>alert(1)</script>' },
    `${base}/{name}`,
  )
  expect([created.status, created.location]).toEqual([303, `${base}/new-look`])
  expect(textOf(await show('/new-look'))).toContain('No strategies yet.')
  const strategy = (name: string, more: Record<string, string>) => {
    const parts = { name, 'scopes][0][environment_scope': 'production', ...more }
    const fields = Object.entries(parts).map(([key, value]) => [`strategies[0][${key}]`, value])
    return update({ ...named, ...Object.fromEntries(fields) })
  }
  const [list] = (await owner.get(`${api}/feature_flags_user_lists`)).body
  const added = [
    await strategy('userWithId', { 'parameters][userIds': 'a,b' }),
    await strategy('gitlabUserList', { parameters: '{}', user_list_id: String(list.id) }),
    await strategy('flexibleRollout', {
      ...{ 'parameters][rollout': '30', 'parameters][groupId': 'default', 'parameters][stickiness': 'random' },
    }),
    await strategy('default', { parameters: '{}', 'scopes][0][environment_scope': 'staging' }),
  ]
  expect(added.map(({ status }) => status)).toEqual([303, 303, 303, 303])
  const html = await show('/new-look')
  expect(html).not.toMatch(/<script>alert|<b>Testers/)
  for (const text of [
    'The users a, b In production',
    'The users of the list “<b>Testers”',
    '30 % of all users, by random',
  ]) {
    expect(textOf(html)).toContain(text)
  }
  const { strategies } = (await owner.get(`${api}/feature_flags/new-look`)).body
  const removed = await update({
    ...named,
    ...{ 'strategies[0][id]': String(strategies[0].id), 'strategies[0][_destroy]': 'true' },
  })
  expect(removed.status).toBe(303)
  expect(textOf(await show('/new-look'))).not.toContain('The users a, b')
})

test('a user list is found among more than fit into a choice', async () => {
  for (let index = 0; index < 100; index += 1) {
    await owner.post(`${api}/feature_flags_user_lists`, { name: `List ${index}`, user_xids: '' })
  }
  const choicesOf = (html: string) => [...html.matchAll(/<option value="\d+">([^<]*)</g)].map(([, name]) => name)
  const first = await show('/new-look')
  expect([choicesOf(first).length, choicesOf(first).includes('List 99')]).toEqual([100, false])
  expect(textOf(first)).toContain('The first 100 are offered.')
  expect(choicesOf(await show('/new-look?lists=list%2099'))).toEqual(['List 99'])
  const none = await show('/new-look?lists=%22%3E%3Cscript%3E')
  expect(textOf(none)).toContain('No list matches.')
  expect(none).not.toContain('"><script>')
})

test('the list says who sees what in an environment', async () => {
  expect(textOf(await show())).toContain('new-look Off: no strategy applies here')
  expect(textOf(await show('?environment=staging'))).toContain('new-look On for everyone')
  const html = textOf(await show('?environment=production&user=t1'))
  expect(html).toContain('On for 30 % of all users, and t1, t2 t1: on')
  expect(textOf(await show('?environment=production&user=x'))).toContain('x: by session or chance')
  const off = await owner.browser.send(base, 'feature_flags.update', { ...named, active: 'false' })
  expect(off.status).toBe(303)
  expect(textOf(await show('?environment=staging'))).toContain('new-look Switched off')
})

test('a refused form is shown again with what is wrong', async () => {
  const { status, html } = await owner.browser.send(`${base}/new`, 'feature_flags.create', { id, name: 'Bad Name' })
  expect(status).toBe(400)
  expect(textOf(html)).toContain('Name can contain only lowercase letters')
})

test('an application is connected with an address and an instance id', async () => {
  const { instance_id } = (await owner.get(`${api}/feature_flags_client`)).body
  const html = await show('/client')
  expect(html).toContain(instance_id)
  await owner.browser.send(`${base}/client`, 'feature_flag_clients.reset', { id })
  expect(await show('/client')).not.toContain(instance_id)
})

test('a flag is deleted', async () => {
  const { status } = await owner.browser.send(`${base}/new-look`, 'feature_flags.delete', named)
  expect(status).toBe(303)
  expect(textOf(await show())).toContain('No feature flags yet.')
})

test('guests do not see the pages', async () => {
  for (const path of ['', '/new', '/client', '/x']) {
    expect([path, (await guest.browser.get(`${base}${path}`)).status]).toEqual([path, path === '/new' ? 200 : 403])
  }
  expect((await guest.browser.get('/Team/App')).html).not.toContain(base)
})
