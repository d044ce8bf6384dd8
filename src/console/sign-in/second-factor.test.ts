import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ManualClock, manualClock } from '../../infra/clock/index.ts'
import { codeOf } from '../../modules/users/testing.ts'
import { startTestServer, type TestServer } from '../../testing/index.ts'
import { browserOf, password, personWithBrowser, readText } from '../testing.ts'

type Person = Awaited<ReturnType<typeof personWithBrowser>>

const page = '/-/profile/two_factor'
const hourMs = 3_600_000
const off = {
  require_two_factor_authentication: false,
  require_admin_two_factor_authentication: false,
  two_factor_grace_period: 48,
}
let clock: ManualClock
let server: TestServer
let ada: Person

const set = async (value: object) => expect((await server.root.put('/application/settings', value)).status).toBe(200)

beforeAll(async () => {
  clock = manualClock({ start: '2026-03-02T10:00:00Z' })
  server = await startTestServer({ clock })
  ada = await personWithBrowser(server, 'ada')
  await server.make.project('notes', { id: ada.id })
})
afterAll(async () => {
  await set(off)
  await server.stop()
})

/** What a browser is given at an address: the status, and where it leads. */
async function at(path: string, { browser }: Pick<Person, 'browser'> = ada) {
  const { status, headers } = await browser.get(path)
  return [status, headers.get('location')]
}

/** Sets up a second factor on its page. */
async function setUp({ browser }: Person) {
  const begun = await browser.submit(page, { _operation: 'user_two_factor.begin', _shows: '1', password })
  const [, secret = ''] = /\b([A-Z2-7]{32})\b/.exec(begun.text) ?? []
  const code = codeOf(server, secret)
  return browser.submit(page, { _operation: 'user_two_factor.enable', _shows: '1', code })
}

test('pages say until when a second factor has to be set up, and lead to where it is afterwards', async () => {
  await set({ require_two_factor_authentication: true, two_factor_grace_period: 2 })
  const asked = await ada.browser.get('/ada/notes')
  expect([asked.status, readText(asked.text).includes('This server asks for a second factor')]).toEqual([200, true])
  expect(asked.text).toContain('2026-03-02T12:00:00.000Z')
  clock.advance(hourMs)
  // The time of the first demand counts.
  const again = await ada.browser.get('/')
  expect([again.status, again.text.includes('2026-03-02T12:00:00.000Z')]).toEqual([200, true])
  clock.advance(hourMs)
  for (const path of [
    '/',
    '/ada/notes',
    '/ada',
    '/-/profile',
    '/-/profile/two_factor/x',
    '/none',
    '/oauth/authorize',
  ]) {
    expect([path, await at(path)]).toEqual([path, [302, page]])
  }
  expect(await at(page)).toEqual([200, null])
  const written = { _operation: 'project_labels.create', id: 'ada/notes', name: 'written', color: '#112233' }
  const refused = await ada.browser.submit('/ada/notes/-/labels/new', written)
  expect([refused.status, readText(refused.text).includes('Set up a second factor first')]).toEqual([403, true])
  expect((await ada.get('/projects/ada%2Fnotes/labels')).body).toEqual([])
})

test('tokens, other callers and signing out are as before', async () => {
  expect((await ada.get('/user')).status).toBe(200)
  expect(await at('/explore', { browser: browserOf(server.url) })).toEqual([200, null])
  const late = browserOf(server.url)
  await late.signIn('ada', password)
  expect(await at('/ada/notes', { browser: late })).toEqual([302, page])
  expect((await late.submit('/users/sign_out', {})).status).toBe(303)
  expect(await at('/ada/notes', { browser: late })).toEqual([302, '/users/sign_in?return_to=%2Fada%2Fnotes'])
})

test('files that pages show are as without a session', async () => {
  const form = new FormData()
  form.append('file', new Blob(['text']), 'a.txt')
  const upload = await ada.request('POST', '/projects/ada%2Fnotes/uploads', { body: form })
  const file = upload.body.full_path
  expect((await ada.browser.get(file)).status).toBe(404)
  await set({ require_two_factor_authentication: false })
  expect([(await ada.browser.get(file)).status, await at('/ada/notes')]).toEqual([200, [200, null]])
  await set({ require_two_factor_authentication: true })
  expect((await ada.browser.get(file)).status).toBe(404)
})

test('with a second factor all pages are there, and without it again the period begins again', async () => {
  expect((await setUp(ada)).status).toBe(200)
  expect(await at('/ada/notes')).toEqual([200, null])
  clock.advance(hourMs)
  await server.root.patch(`/users/${ada.id}/disable_two_factor`)
  const asked = await ada.browser.get('/ada/notes')
  expect([asked.status, asked.text.includes('2026-03-02T15:00:00.000Z')]).toEqual([200, true])
  await set(off)
})

test('of administrators alone it is demanded, who then look at no pages of others either', async () => {
  const admin = await personWithBrowser(server, 'admin_one')
  await server.root.put(`/users/${admin.id}`, { admin: true })
  await set({ require_admin_two_factor_authentication: true, two_factor_grace_period: 0 })
  expect(await at('/admin', admin)).toEqual([302, page])
  expect((await admin.browser.submit('/-/look', { user_id: String(ada.id) })).status).toBe(403)
  expect(await at('/ada/notes')).toEqual([200, null])
  expect((await setUp(admin)).status).toBe(200)
  expect(await at('/admin', admin)).toEqual([200, null])
  await set(off)
})

test('the settings are those of administrators', async () => {
  expect((await ada.put('/application/settings', { require_two_factor_authentication: true })).status).toBe(403)
  for (const value of [-1, 2 ** 31, 'x', null]) {
    const answer = await server.root.put('/application/settings', { two_factor_grace_period: value })
    expect([value, answer.status]).toEqual([value, 400])
  }
})
