import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { browserOf, personWithBrowser } from '../../../console/testing.ts'
import { manualClock } from '../../../infra/clock/index.ts'
import {
  makePeople,
  type People,
  type ProjectWithMembers,
  projectWithMembers,
  startTestServer,
  type TestServer,
} from '../../../testing/index.ts'
import { publishFor, visit } from '../testing.ts'

let server: TestServer
let people: People
let place: ProjectWithMembers
let site: string
let api: string
let count = 0
const clock = manualClock({ start: '2026-03-01T12:00:00.000Z' })
beforeAll(async () => {
  server = await startTestServer({ clock })
  people = await makePeople(server)
})
afterAll(() => server.stop())
beforeEach(async () => {
  count += 1
  place = await projectWithMembers(server, { people, path: `hidden-${count}` })
  api = `/projects/${place.project.id}`
  await publishFor(server, place.project.id, { archive: { 'public/index.html': 'secret' }, userId: people.owner.id })
  site = (await people.maintainer.get(`${api}/pages`)).body.url
})

const basic = (name: string, password: string) => ({
  Authorization: `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`,
})
const get = (headers: Record<string, string> = {}, path = '/') => visit(server, `${site}${path}`, { headers })
const level = (pages_access_level: string) => people.owner.put(api, { pages_access_level })

describe('by credentials', () => {
  test('members see a private site', async () => {
    for (const headers of [
      basic('any', people.guest.token),
      { 'PRIVATE-TOKEN': people.guest.token },
      { Authorization: `Bearer ${people.guest.token}` },
    ]) {
      expect((await get(headers)).body).toBe('secret')
    }
    const { headers } = await get(basic('any', people.guest.token))
    expect(headers).toMatchObject({
      ...{
        'cache-control': 'no-store',
        'cross-origin-resource-policy': 'same-origin',
        'x-frame-options': 'SAMEORIGIN',
      },
      'cross-origin-opener-policy': 'same-origin',
    })
    expect(headers['access-control-allow-origin']).toBeUndefined()
    expect(headers['set-cookie']).toBeUndefined()
  })

  test('others get what is missing, and those without credentials are asked for them, also where no site is', async () => {
    const stranger = await server.user(`stranger${count}`)
    expect((await get(basic('any', stranger.token))).status).toBe(404)
    const none = site.replace(/hidden-\d+-/, 'none-')
    for (const address of [site, none]) {
      const answer = await visit(server, `${address}/`)
      expect([answer.status, answer.headers['www-authenticate']]).toEqual([401, 'Basic realm="Pages"'])
    }
    expect((await visit(server, `${none}/`)).body).toBe((await visit(server, `${site}/`)).body)
    const invalid: Record<string, string>[] = [
      basic('any', 'wrong'),
      { 'PRIVATE-TOKEN': 'wrong' },
      basic('', ''),
      { 'JOB-TOKEN': 'x' },
    ]
    for (const wrong of invalid) {
      expect((await get(wrong)).status).toBe(401)
    }
    const narrow = await server.user(`narrow${count}`, ['read_repository'])
    await server.make.member({ project: place.project }, narrow, 10)
    expect((await get(basic('any', narrow.token))).status).toBe(401)
  })

  test.each([
    ['public', 200, 200],
    ['enabled', 401, 200],
    ['private', 401, 200],
    ['disabled', 401, 404],
  ])('of a private project at the level %s', async (wanted, anonymous, guest) => {
    await level(wanted)
    expect([(await get()).status, (await get(basic('a', people.guest.token))).status]).toEqual([anonymous, guest])
  })

  test('rights end at once', async () => {
    const headers = basic('a', people.guest.token)
    expect((await get(headers)).status).toBe(200)
    await people.owner.delete(`${api}/members/${people.guest.id}`)
    expect((await get(headers)).status).toBe(404)
    expect((await get(basic('a', people.developer.token))).status).toBe(200)
    await level('disabled')
    expect((await get(basic('a', people.developer.token))).status).toBe(404)
  })

  test('a server without access control serves everyone', async () => {
    server.app.platform.config.pagesAccessControl = false
    expect((await get()).status).toBe(200)
    await level('disabled')
    expect((await get()).status).toBe(404)
    server.app.platform.config.pagesAccessControl = true
  })
})

describe('by signing in at the server', () => {
  const html = { Accept: 'text/html' }
  const pathOf = (address: string) => address.slice(new URL(address).origin.length)
  const cookieIn = (lines: string[] = [], name: string) =>
    lines.map((line) => line.split(';', 1)[0] ?? '').find((pair) => pair.startsWith(`${name}=`)) ?? ''

  /** Goes from a site to the server and back, until a code is there. */
  async function codeFor(person: { browser: ReturnType<typeof browserOf> }) {
    const asked = await get(html, '/?deep=1')
    expect(asked.status).toBe(302)
    const to = asked.headers.location ?? ''
    const state = cookieIn(asked.headers['set-cookie'], 'fennec_pages_state')
    const given = await person.browser.get(pathOf(to))
    return { state, back: given.headers.get('location') ?? '', asked, given }
  }

  async function signedIn(person: { browser: ReturnType<typeof browserOf> }): Promise<string> {
    const { state, back } = await codeFor(person)
    const taken = await visit(server, back, { headers: { ...html, Cookie: state } })
    expect([taken.status, taken.headers.location]).toEqual([302, '/?deep=1'])
    expect(taken.headers['set-cookie']).toEqual([
      expect.stringMatching(/^fennec_pages_session=[0-9a-f]{64}; Path=\/; HttpOnly; SameSite=Lax$/),
      'fennec_pages_state=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax',
    ])
    return cookieIn(taken.headers['set-cookie'], 'fennec_pages_session')
  }

  async function member(role = 10) {
    count += 1
    const person = await personWithBrowser(server, `visitor${count}`)
    if (role > 0) await server.make.member({ project: place.project }, { id: person.id } as never, role)
    return person
  }

  test('a member comes back with a session for that host alone', async () => {
    const person = await member()
    const { asked, back } = await codeFor(person)
    expect(asked.headers['set-cookie']?.[0]).toMatch(
      /^fennec_pages_state=[0-9a-f]{32}; Path=\/; Max-Age=600; HttpOnly; SameSite=Lax$/,
    )
    expect(back.startsWith(`${site}/-/pages/session?code=`)).toBe(true)
    expect(new URL(back).searchParams.get('code')).toMatch(/^[0-9a-f]{64}$/)
    const cookie = await signedIn(person)
    expect((await get({ Cookie: cookie })).body).toBe('secret')
    const other = await projectWithMembers(server, { people, path: `other-${count}` })
    await server.make.member({ project: other.project }, { id: person.id } as never, 10)
    await publishFor(server, other.project.id, { archive: { 'public/index.html': 'x' }, userId: people.owner.id })
    const { url } = (await people.maintainer.get(`/projects/${other.project.id}/pages`)).body
    expect((await visit(server, `${url}/`, { headers: { Cookie: cookie } })).status).toBe(401)
    expect((await fetch(`${server.url}/api/v4/user`, { headers: { Cookie: cookie } })).status).toBe(401)
    expect(
      (await fetch(`${server.url}/-/profile`, { headers: { Cookie: cookie, ...html }, redirect: 'manual' })).status,
    ).toBe(302)
  })

  test('the cookie of the server opens no site', async () => {
    const person = await member()
    expect((await get({ Cookie: person.browser.cookies() })).status).toBe(401)
  })

  test('who is not signed in is asked to, and comes back to the same question', async () => {
    const asked = await get(html)
    const answer = await browserOf(server.url).get(pathOf(asked.headers.location ?? ''))
    expect([answer.status, answer.headers.get('location')]).toEqual([
      302,
      expect.stringMatching(/^\/users\/sign_in\?return_to=%2F-%2Fpages%2Fsign_in/),
    ])
  })

  test('a code is taken once, at its host, by the browser that asked, and soon', async () => {
    const person = await member()
    const refused = async (address: string, state: string) => {
      const answer = await visit(server, address, { headers: { Cookie: state } })
      expect([answer.status, answer.headers['set-cookie']]).toEqual([400, undefined])
    }
    const first = await codeFor(person)
    await refused(first.back, '')
    await refused(first.back.replace(/state=[0-9a-f]+/, 'state='), '')
    await refused(first.back, 'fennec_pages_state=00000000000000000000000000000000')
    await refused(first.back.replace(/hidden-\d+-[0-9a-f]+/, 'other-000000'), first.state)
    await refused(first.back.replace(/code=[0-9a-f]+/, 'code=00'), first.state)
    expect((await visit(server, first.back, { headers: { Cookie: first.state } })).status).toBe(302)
    await refused(first.back, first.state)
    const late = await codeFor(person)
    clock.advance(60_000)
    await refused(late.back, late.state)
  })

  test('a session at a site ends with the right, the session of the browser, the account, and after an hour', async () => {
    const person = await member()
    const cookie = await signedIn(person)
    const status = async () => (await get({ Cookie: cookie })).status
    expect(await status()).toBe(200)
    await people.owner.delete(`${api}/members/${person.id}`)
    expect(await status()).toBe(404)
    await server.make.member({ project: place.project }, { id: person.id } as never, 10)
    expect(await status()).toBe(200)
    await server.root.post(`/users/${person.id}/block`)
    expect(await status()).toBe(401)
    const second = await member()
    const ended = await signedIn(second)
    await second.browser.submit('/users/sign_out', {})
    expect((await get({ Cookie: ended })).status).toBe(401)
    const third = await member()
    const lasting = await signedIn(third)
    clock.advance(3_600_000)
    expect((await get({ Cookie: lasting })).status).toBe(401)
  })

  test('what another site embeds is not shown by the cookie', async () => {
    const cookie = await signedIn(await member())
    const from = async (headers: Record<string, string>) => (await get({ Cookie: cookie, ...headers })).status
    expect(await from({ 'Sec-Fetch-Site': 'same-site', 'Sec-Fetch-Mode': 'no-cors' })).toBe(401)
    expect(await from({ 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Mode': 'cors' })).toBe(401)
    expect(await from({ 'Sec-Fetch-Site': 'same-origin', 'Sec-Fetch-Mode': 'cors' })).toBe(200)
    expect(await from({ 'Sec-Fetch-Site': 'none', 'Sec-Fetch-Mode': 'no-cors' })).toBe(200)
    expect(await from({ 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Mode': 'navigate' })).toBe(200)
  })

  test('codes are given for hosts of sites only, and lead to paths of these', async () => {
    const { browser } = await member()
    const state = '0'.repeat(32)
    const ask = async (host: string, path = '/', given = state) =>
      browser.get(`/-/pages/sign_in?${new URLSearchParams({ host, path, state: given })}`)
    const { hostname } = new URL(site)
    const base = hostname.slice(hostname.indexOf('.') + 1)
    for (const host of [
      'evil.example',
      'evil.example/pages.localhost',
      'localhost',
      '',
      'a@b.pages.localhost',
      `${hostname}:1`,
      'x'.repeat(300),
    ]) {
      expect([host, (await ask(host)).status]).toEqual([host, 404])
    }
    const below = (length: number) => `.${base}`.padStart(length, 'x')
    expect([(await ask(below(253))).status, (await ask(below(254))).status]).toEqual([302, 404])
    expect((await ask(hostname, '/', 'short')).status).toBe(404)
    for (const path of ['//evil.example', '/\\evil.example', 'https://evil.example', '/a\r\nb']) {
      expect((await ask(hostname, path)).headers.get('location')).toMatch(/&path=%2F$/)
    }
  })

  test('a person without the right gets the page for what is missing, and no circle', async () => {
    const cookie = await signedIn(await member(0))
    expect((await get({ ...html, Cookie: cookie })).status).toBe(404)
  })
})
