/** What protects the pages: escaping, the content policy, the origin of forms, sessions, addresses to return to. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Person, startTestServer, type TestServer } from '../testing/index.ts'
import { Html, trusted } from './html/index.ts'
import { jsx } from './html/jsx-runtime.ts'
import { addressOf } from './routes.ts'
import { browserOf, password, personWithBrowser, readText, type TestBrowser } from './testing.ts'

let server: TestServer
let owner: Person & { browser: TestBrowser }
beforeAll(async () => {
  server = await startTestServer()
  owner = await personWithBrowser(server, 'owner')
})
afterAll(() => server.stop())

describe('HTML', () => {
  test('has text and attributes escaped, and no address but of the web', () => {
    const link = jsx('a', { href: 'javascript:alert(1)', title: '"<', children: ['<b>', trusted('<i>')] })
    expect(link.text).toBe('<a href="#" title="&quot;&lt;">&lt;b&gt;<i></a>')
    for (const href of ['JaVaScript:x', 'data:text/html,x', ' vbscript:x', '\tjavascript:x']) {
      expect(jsx('a', { href }).text).toBe('<a href="#"></a>')
    }
    for (const href of ['/a:b', '?x=a:b', '#a:b', 'https://x.example/', 'mailto:a@b.example', 'a/b:c']) {
      expect(jsx('a', { href }).text).toBe(`<a href="${href}"></a>`)
    }
  })

  test('leaves out what is false or missing', () => {
    const shown = jsx('p', { hidden: false, class: undefined, children: [0, null, false, undefined, 'x'] })
    expect(shown).toBeInstanceOf(Html)
    expect(shown.text).toBe('<p>0x</p>')
    expect(jsx('input', { required: true, value: 0, children: 'not written' }).text).toBe('<input required value="0">')
  })
})

test.each([
  ['/a/b/-/issues/1', { at: 'project', name: 'a/b', rest: 'issues/1' }],
  ['/groups/a/b/-/variables', { at: 'group', name: 'a/b', rest: 'variables' }],
  ['/a/b/-/tree/x/-/y', { at: 'project', name: 'a/b', rest: 'tree/x/-/y' }],
  ['/a', { at: 'home', name: 'a', rest: '' }],
  ['/groups', { at: 'home', name: 'groups', rest: '' }],
  ['/%ff/%', { at: 'home', name: '%ff/%', rest: '' }],
  ['/-/profile', { at: 'instance', name: '', rest: 'profile' }],
  ['/', { at: 'instance', name: '', rest: '' }],
])('%s leads to its page', (path, expected) => {
  expect(addressOf(path)).toEqual(expected)
})

describe('a page', () => {
  test('allows nothing inline, nothing of other origins, and no frame', async () => {
    const { status, headers, text } = await owner.browser.get('/')
    expect(status).toBe(200)
    expect(headers.get('content-security-policy')).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
        "form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    )
    expect(headers.get('x-frame-options')).toBe('DENY')
    expect(headers.get('vary')).toBe('Cookie, Accept-Encoding')
    expect(text).not.toMatch(/<style|\sstyle=|\son\w+=|<script(?![^>]* src=)/)
  })

  test('is the same for who has it already, and no other person gets it', async () => {
    const { headers } = await owner.browser.get('/')
    const etag = headers.get('etag') ?? ''
    expect((await owner.browser.get('/', { 'If-None-Match': etag })).status).toBe(304)
    expect((await browserOf(server.url).get('/', { 'If-None-Match': etag })).status).toBe(200)
  })

  test('escapes hostile names and descriptions', async () => {
    const hostile = `"><script>alert(1)</script>'&`
    const project = await owner.post('/projects', { name: 'hostile', description: hostile, visibility: 'public' })
    await owner.put(`/projects/${project.body.id}`, { name: 'x <b> y' })
    for (const path of ['/', '/explore', '/owner', '/owner/hostile', '/search?search=%22%3E%3Cscript%3Ealert(1)']) {
      const { status, text } = await owner.browser.get(path)
      expect([path, status]).toEqual([path, 200])
      expect(text).not.toContain('<script>')
      expect(text).not.toContain('x <b> y')
    }
  })

  test('is asked for by HEAD, and by no other method than POST besides', async () => {
    const head = await owner.browser.send('HEAD', '/')
    expect([head.status, head.text]).toEqual([200, ''])
    expect((await owner.browser.send('PUT', '/')).status).toBe(405)
  })

  test.each(['/nobody/nothing', '/owner/hidden', '/groups/none/-/variables', '/-/none'])(
    'that a caller may not see, %s, asks to sign in, and then says nothing more',
    async (path) => {
      await owner.post('/projects', { name: 'hidden' })
      const anonymous = await browserOf(server.url).get(path)
      expect(anonymous.status).toBe(302)
      expect(anonymous.headers.get('location')).toBe(`/users/sign_in?return_to=${encodeURIComponent(path)}`)
      const other = await personWithBrowser(server, `other${path.length}`)
      const answer = await other.browser.get(path)
      expect(answer.status).toBe(404)
      expect(answer.text).toContain('There is no such page, or you may not see it.')
    },
  )
})

test.each(['/a%00b', '/%ff', '/%', `/${'a/'.repeat(3000)}`, '/a/b/-/%00'])(
  'no address fails the server: %s',
  async (path) => {
    const { status } = await owner.browser.get(path)
    expect(status).toBeGreaterThanOrEqual(400)
    expect(status).toBeLessThan(500)
  },
)

test('a message that is active is shown, however many have ended since', async () => {
  await server.root.post('/broadcast_messages', { message: 'Maintenance tonight', ends_at: '2099-01-01' })
  const past = { message: 'Long ago', starts_at: '2001-01-01', ends_at: '2001-01-02' }
  for (let count = 0; count < 101; count++) await server.root.post('/broadcast_messages', past)
  const { text } = await owner.browser.get('/')
  expect([text.includes('Maintenance tonight'), text.includes('Long ago')]).toEqual([true, false])
})

describe('a form', () => {
  const theme = { theme: 'dark', return_to: '/' }

  test.each<[string, Record<string, string>]>([
    ['another site', { 'Sec-Fetch-Site': 'cross-site' }],
    ['a site of the same domain', { 'Sec-Fetch-Site': 'same-site' }],
    ['no page', { 'Sec-Fetch-Site': 'none' }],
    ['another origin', { Origin: 'http://evil.example' }],
    ['no origin', { Origin: 'null' }],
    ['a program', {}],
  ])('of %s is refused', async (_from, headers) => {
    for (const path of ['/-/preferences', '/users/sign_in', '/users/sign_out', '/users/sign_up', '/']) {
      const { status } = await owner.browser.send('POST', path, { headers, fields: theme })
      expect([path, status]).toEqual([path, 403])
    }
    expect((await owner.browser.get('/-/profile')).status).toBe(200)
  })

  test('performs no operation that its page does not declare', async () => {
    const fields = { _operation: 'users.delete', id: '1' }
    expect((await owner.browser.submit('/', fields)).status).toBe(404)
    expect((await owner.browser.submit('/-/profile', { ...fields, _operation: 'constructor' })).status).toBe(404)
  })

  test.each(['//evil.example', '/\\evil.example', 'https://evil.example', 'javascript:x', '/\nevil', '', 'x'])(
    'leads nowhere but to this server: %j',
    async (address) => {
      const { status, headers } = await owner.browser.submit('/-/preferences', { ...theme, return_to: address })
      expect([status, headers.get('location')]).toEqual([303, '/'])
    },
  )
})

describe('a session', () => {
  test('begins with a new secret, and ends the one that the browser had', async () => {
    const person = await personWithBrowser(server, 'fixed')
    const before = person.browser.cookies()
    await person.browser.signIn('fixed', password)
    expect(person.browser.cookies()).not.toEqual(before)
    const old = await fetch(`${server.url}/-/profile`, {
      headers: { Cookie: before, Accept: 'text/html' },
      redirect: 'manual',
    })
    expect(old.status).toBe(302)
    const given = browserOf(server.url, 'fennec_session=chosen-by-another')
    await given.signIn('fixed', password)
    expect(given.cookies()).not.toContain('chosen-by-another')
  })

  test('is a cookie that no script reads and other sites do not send with forms', async () => {
    const answer = await browserOf(server.url).submit('/users/sign_in', { username: 'owner', password })
    expect(answer.headers.get('set-cookie')).toMatch(
      /^fennec_session=[\w-]+; Path=\/; Max-Age=\d+; HttpOnly; SameSite=Lax$/,
    )
  })

  test('means nothing to the API', async () => {
    const answer = await owner.browser.get('/api/v4/user')
    expect(answer.status).toBe(401)
  })

  test('ends at once when its user is blocked', async () => {
    const person = await personWithBrowser(server, 'leaving')
    expect((await person.browser.get('/-/profile')).status).toBe(200)
    expect((await server.root.post(`/users/${person.id}/block`)).status).toBe(201)
    expect((await person.browser.get('/-/profile')).status).toBe(302)
  })
})

describe('a form of callers who are not signed in', () => {
  const fieldOf = (html: string, name: string) =>
    readText(new RegExp(`name="${name}"[^>]*value="([^"]*)"`).exec(html)?.[1])

  test('creates an account, and keeps what was written when it is refused, but for secrets', async () => {
    const browser = browserOf(server.url)
    const account = { username: 'owner', name: 'New "one"', email: 'new@example.com', password }
    const refused = await browser.submit('/users/sign_up', account)
    expect(refused.status).toBe(409)
    expect(refused.text).toContain('role="alert"')
    expect([fieldOf(refused.text, 'name'), fieldOf(refused.text, 'email')]).toEqual([account.name, account.email])
    expect(refused.text).not.toContain(password)
    await server.root.put('/application/settings', { require_admin_approval_after_user_signup: false })
    const made = await browser.submit('/users/sign_up', { ...account, username: 'newcomer' })
    expect([made.status, made.text.includes('Your account is ready')]).toEqual([200, true])
    await browser.signIn('newcomer', password)
    expect((await browser.get('/-/profile')).status).toBe(200)
  })

  test('is closed where sign-up is off', async () => {
    await server.root.put('/application/settings', { signup_enabled: false })
    const account = { username: 'late', name: 'Late', email: 'late@example.com', password }
    expect((await browserOf(server.url).submit('/users/sign_up', account)).status).toBe(403)
    await server.root.put('/application/settings', { signup_enabled: true })
    expect((await server.root.get('/users?username=late')).body).toEqual([])
  })

  test('for a new password keeps the token of the link, and refuses a wrong one', async () => {
    const fields = { reset_password_token: 'made up', new_password: password }
    const { status, text } = await browserOf(server.url).submit('/users/password/edit', fields)
    expect([status, text.includes('token is invalid')]).toEqual([400, true])
    expect(fieldOf(text, 'reset_password_token')).toBe('made up')
    expect(text).not.toContain(password)
  })

  test('for a forgotten password says so on a server without mail', async () => {
    const { status } = await browserOf(server.url).submit('/users/password/new', { email: 'owner@example.com' })
    expect(status).toBe(503)
  })
})

describe('what has changed meanwhile', () => {
  test('a project and a group that were renamed are found by their former addresses', async () => {
    const group = (await owner.post('/groups', { name: 'before', path: 'before' })).body
    const project = (await owner.post('/projects', { name: 'p', namespace_id: group.id })).body
    await owner.put(`/groups/${group.id}`, { path: 'after' })
    const leads = async (path: string) => {
      const { status, headers } = await owner.browser.get(path)
      return [status, headers.get('location')]
    }
    expect(await leads('/before/p/-/branches?search=a')).toEqual([301, '/after/p/-/branches?search=a'])
    expect(await leads('/before/p')).toEqual([301, '/after/p'])
    await owner.put(`/projects/${project.id}`, { path: 'q' })
    expect(await leads('/after/p/-/tags')).toEqual([301, '/after/q/-/tags'])
    const moved = await owner.browser.submit('/after/p/-/branches', { _operation: 'branches.create' })
    expect([moved.status, moved.headers.get('location')]).toEqual([308, '/after/q/-/branches'])
  })

  test('a form after the session has ended leads to the sign-in', async () => {
    const { status, headers } = await browserOf(server.url).submit('/-/profile', { _operation: 'sessions.delete' })
    expect([status, headers.get('location')]).toEqual([303, '/users/sign_in?return_to=%2F-%2Fprofile'])
  })

  test('too many requests are answered by a page that says when to come again', async () => {
    const throttle = { throttle_unauthenticated_api_enabled: true, throttle_unauthenticated_api_requests_per_period: 1 }
    await server.root.put('/application/settings', throttle)
    const browser = browserOf(server.url)
    await browser.get('/explore')
    const { status, headers, text } = await browser.get('/explore')
    await server.root.put('/application/settings', { throttle_unauthenticated_api_enabled: false })
    expect([status, text.includes('<h1>')]).toEqual([429, true])
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
  })
})
