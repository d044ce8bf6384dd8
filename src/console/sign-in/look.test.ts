import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { startTestServer, type TestServer } from '../../testing/index.ts'
import { browserOf, personWithBrowser, readText, type TestBrowser } from '../testing.ts'

type Person = Awaited<ReturnType<typeof personWithBrowser>>

let server: TestServer
let [admin, other, ada, bob]: Person[] = []
let browser: TestBrowser

const promote = (person: Person, isAdmin: boolean) => server.root.put(`/users/${person.id}`, { admin: isAdmin })

beforeAll(async () => {
  server = await startTestServer()
  admin = await personWithBrowser(server, 'admin_one')
  other = await personWithBrowser(server, 'admin_two')
  ada = await personWithBrowser(server, 'ada')
  bob = await personWithBrowser(server, 'bob')
  await promote(admin, true)
  await promote(other, true)
  await server.make.project('secret-plan', { id: ada.id })
  await server.make.project('notes', { id: bob.id })
  browser = admin.browser
})
afterAll(() => server.stop())
beforeEach(async () => void (await browser.submit('/-/look/end', {})))

const begin = (id: number | string, by = browser) => by.submit('/-/look', { user_id: String(id) })
const banner = 'You look at this as'
const viewed = async () => {
  const query = server.app.platform.database.read.selectFrom('sessions').select(['user_id', 'viewed_user_id'])
  return (await query.where('viewed_user_id', 'is not', null).execute()).map((row) => row.viewed_user_id)
}
const acts = async () => {
  const query = server.app.platform.database.read
    .selectFrom('audit_events')
    .selectAll()
    .where('act', 'like', 'sessions.%')
  return (await query.orderBy('id').execute()).map((row) => [row.act, row.actor_name, row.target_id])
}

describe('an administrator who looks', () => {
  test('asks first, sees the pages of the user with a banner, and ends it', async () => {
    const asked = await browser.get(`/admin/users/${ada!.id}/look`)
    expect([asked.status, asked.text.includes('action="/-/look"')]).toEqual([200, true])
    expect((await browser.get(`/admin/users/${ada!.id}`)).text).toContain(`href="/admin/users/${ada!.id}/look"`)
    const begun = await begin(ada!.id)
    expect([begun.status, begun.headers.get('location')]).toEqual([303, '/'])
    // No cookie is set: the look is stored with the session.
    expect(begun.headers.getSetCookie()).toEqual([])
    const home = await browser.get('/')
    expect(readText(home.text)).toContain(`${banner} <b>ada</b>`)
    expect(home.text).toContain('secret-plan')
    expect(home.text).not.toContain('href="/admin"')
    expect((await browser.get('/bob/notes')).status).toBe(404)
    const page = await browser.get('/ada/secret-plan')
    expect([page.status, page.text.includes(banner)]).toEqual([200, true])
    const ended = await browser.submit('/-/look/end', {})
    expect([ended.status, ended.headers.get('location')]).toEqual([303, `/admin/users/${ada!.id}`])
    const after = await browser.get('/bob/notes')
    expect([after.status, after.text.includes(banner)]).toEqual([200, false])
    expect(await viewed()).toEqual([])
    expect((await acts()).slice(-2)).toEqual([
      ['sessions.look', 'admin_one', ada!.id],
      ['sessions.end_look', 'admin_one', ada!.id],
    ])
  })

  test('sees the errors and the buttons of the user, and can send no form', async () => {
    await begin(ada!.id)
    const missing = await browser.get('/bob/notes')
    expect([missing.status, missing.text.includes(banner)]).toEqual([404, true])
    const form = await browser.get('/ada/secret-plan/-/labels/new')
    expect([form.status, form.text.includes('name="_operation"')]).toEqual([200, true])
    const sent = await browser.submit('/ada/secret-plan/-/labels/new', {
      ...{ _operation: 'project_labels.create', id: '1', name: 'written', color: '#112233' },
    })
    expect([sent.status, readText(sent.text).includes('Nothing can be changed')]).toEqual([403, true])
    expect((await server.root.get('/projects/ada%2Fsecret-plan/labels')).body).toEqual([])
  })

  test.each([
    '/-/profile',
    '//-/profile',
    '/profile',
    '/-/profile/personal_access_tokens',
    '/-/profile/two_factor',
    '/-/profile/keys',
    '/oauth/authorize',
  ])('is not shown the account of the user: %s', async (path) => {
    await begin(ada!.id)
    expect((await browser.get(path)).status).toBe(403)
    await browser.submit('/-/look/end', {})
    expect((await browser.get('/-/profile')).status).toBe(200)
  })

  test('sees nothing of the administration, and begins no other look', async () => {
    await begin(ada!.id)
    expect((await browser.get('/admin')).status).toBe(403)
    expect((await begin(bob!.id)).status).toBe(403)
    expect(await viewed()).toEqual([ada!.id])
  })

  test('leaves no trace of activity of the user', async () => {
    const rowOf = () =>
      server.app.platform.database.read.selectFrom('users').selectAll().where('id', '=', bob!.id).execute()
    const before = await rowOf()
    await begin(bob!.id)
    await browser.get('/bob/notes')
    expect(await rowOf()).toEqual(before)
  })
})

describe('a look is refused', () => {
  test('to users, to anonymous callers, and from other sites', async () => {
    expect((await begin(bob!.id, ada!.browser)).status).toBe(403)
    expect((await begin(bob!.id, browserOf(server.url))).status).toBe(403)
    const headers = { Origin: 'https://elsewhere.example' }
    expect((await browser.send('POST', '/-/look', { headers, fields: { user_id: String(ada!.id) } })).status).toBe(403)
    expect((await browser.get('/-/look')).status).toBe(404)
    expect((await ada!.browser.get(`/admin/users/${bob!.id}/look`)).status).toBe(403)
    expect((await browserOf(server.url).get(`/admin/users/${bob!.id}/look`)).status).toBe(302)
    expect(await viewed()).toEqual([])
  })

  test('at administrators, oneself among them, and the page says so', async () => {
    for (const { id } of [other!, admin!, { id: 1 }]) expect((await begin(id)).status).toBe(403)
    const { text } = await browser.get(`/admin/users/${other!.id}/look`)
    expect([text.includes('is an administrator'), text.includes('action="/-/look"')]).toEqual([true, false])
  })

  test('at accounts that do not exist or may not be used', async () => {
    for (const id of ['0', '987654', 'ada', '1 or 1=1', '99999999999999999999'])
      expect((await begin(id)).status).toBe(404)
    await server.root.post(`/users/${bob!.id}/block`)
    expect((await begin(bob!.id)).status).toBe(403)
    await server.root.post(`/users/${bob!.id}/unblock`)
    expect(await viewed()).toEqual([])
  })
})

describe('a look ends', () => {
  const isOver = async () => {
    expect((await browser.get('/explore')).text).not.toContain(banner)
    expect(await viewed()).toEqual([])
  }

  test('when the administrator is one no more, and does not begin again', async () => {
    await begin(ada!.id)
    await promote(admin!, false)
    await isOver()
    expect((await browser.get('/ada/secret-plan')).status).toBe(404)
    await promote(admin!, true)
    await isOver()
  })

  test('when the user becomes an administrator, is blocked or is removed', async () => {
    await begin(ada!.id)
    await promote(ada!, true)
    await isOver()
    await promote(ada!, false)
    await begin(ada!.id)
    await server.root.post(`/users/${ada!.id}/block`)
    await isOver()
    await server.root.post(`/users/${ada!.id}/unblock`)
    const gone = await server.user('soon_gone')
    await begin(gone.id)
    await server.root.delete(`/users/${gone.id}?hard_delete=true`)
    await isOver()
  })

  test('with the session, of which the user has no part', async () => {
    const late = browserOf(server.url)
    await late.signIn('admin_one', 'korrekt-horse-9')
    await begin(ada!.id, late)
    expect((await late.get('/')).text).toContain(banner)
    const cookies = late.cookies()
    await late.submit('/users/sign_out', {})
    const [name = '', value = ''] = cookies.split('=')
    const again = browserOf(server.url, `${name}=${value}`)
    expect((await again.get('/ada/secret-plan')).status).toBe(302)
    expect(await viewed()).toEqual([])
    expect((await ada!.browser.get('/')).text).not.toContain(banner)
  })
})
