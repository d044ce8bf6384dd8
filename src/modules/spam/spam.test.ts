import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { startTestServer, type TestServer } from '../../testing/index.ts'
import { makeSnippet, makeSnippetPeople, type SnippetPeople } from '../snippets/testing.ts'

/** Stands for the services outside: a spam check endpoint, Akismet and reCAPTCHA. */
const outside = { verdict: 'allow' as unknown, akismet: ['false', ''], asked: [] as unknown[], isDown: false }
let services: Server
let address: string
let server: TestServer
let people: SnippetPeople

beforeAll(async () => {
  services = createServer(async (request, response) => {
    const body = await text(request)
    if (outside.isDown) return void response.writeHead(500).end()
    outside.asked.push(request.url === '/check' ? JSON.parse(body) : Object.fromEntries(new URLSearchParams(body)))
    if (request.url === '/check') return void response.end(JSON.stringify({ verdict: outside.verdict }))
    if (request.url === '/captcha') {
      const { response: solved, secret } = Object.fromEntries(new URLSearchParams(body))
      return void response.end(JSON.stringify({ success: solved === 'right' && secret === 'private' }))
    }
    const [said, tip] = outside.akismet
    response.writeHead(200, tip ? { 'X-akismet-pro-tip': tip } : {}).end(said)
  })
  await new Promise<void>((resolve) => services.listen(0, '127.0.0.1', resolve))
  address = `http://127.0.0.1:${(services.address() as AddressInfo).port}`
  server = await startTestServer()
  people = await makeSnippetPeople(server)
})
afterAll(async () => {
  await server.stop()
  await new Promise((resolve) => services.close(resolve))
})

const set = (settings: object) => server.root.put('/application/settings', settings)

const off = {
  spam_check_endpoint_enabled: false,
  akismet_enabled: false,
  recaptcha_enabled: false,
  allow_local_requests_from_web_hooks_and_services: true,
}
const endpointOn = () => set({ ...off, spam_check_endpoint_enabled: true, spam_check_endpoint_url: `${address}/check` })
const captchaOn = () =>
  set({
    recaptcha_enabled: true,
    recaptcha_site_key: 'site',
    recaptcha_private_key: 'private',
    recaptcha_verification_url: `${address}/captcha`,
  })

afterEach(async () => {
  await set(off)
  Object.assign(outside, { verdict: 'allow', akismet: ['false', ''], asked: [], isDown: false })
})

const made = { title: 'Buy', visibility: 'public', files: [{ file_path: 'a', content: 'cheap' }] }
const create = (body: object = made, headers: Record<string, string> = {}) =>
  people.owner.post('/snippets', body, { headers: { 'User-Agent': 'Robot', ...headers } })

const discarded = { message: { error: 'Your snippet has been recognized as spam and has been discarded.' } }
const challenge = {
  needs_captcha_response: true,
  spam_log_id: expect.any(Number),
  captcha_site_key: 'site',
  message: {
    error: 'Your snippet has been recognized as spam. Please, change the content or solve the reCAPTCHA to proceed.',
  },
}

const countOf = async (table: 'snippets' | 'spam_logs') =>
  (await server.app.platform.database.read.selectFrom(table).select('id').execute()).length

describe('spam', () => {
  test('is not looked for while no service is on', async () => {
    expect((await create()).status).toBe(201)
    expect(outside.asked).toEqual([])
  })

  test('is discarded, and nothing but a log is stored', async () => {
    await endpointOn()
    for (const verdict of ['suspicious', 'certain']) {
      outside.verdict = verdict
      const [snippets, logs] = [await countOf('snippets'), await countOf('spam_logs')]
      const { status, body } = await create({ ...made, description: 'now' })
      expect([status, body]).toEqual([400, discarded])
      expect([await countOf('snippets'), await countOf('spam_logs')]).toEqual([snippets, logs + 1])
    }
    expect(outside.asked[0]).toEqual({
      kind: 'snippet',
      action: 'create',
      user: { id: people.owner.id, username: 'owner' },
      ip_address: expect.stringMatching(/127\.0\.0\.1|::1/),
      user_agent: 'Robot',
      title: 'Buy',
      text: 'now\ncheap',
    })
    const log = await server.app.platform.database.read
      .selectFrom('spam_logs')
      .select(['kind', 'title', 'user_agent', 'solvable', 'verified'])
      .executeTakeFirst()
    expect(log).toEqual({ kind: 'snippet', title: 'Buy', user_agent: 'Robot', solvable: false, verified: false })
  })

  test('is looked for in public snippets, when their title, content or visibility changes', async () => {
    const snippet = await makeSnippet(people.owner, { a: '1' }, { visibility: 'public' })
    await endpointOn()
    outside.verdict = 'certain'
    expect((await create({ ...made, visibility: 'internal' })).status).toBe(201)
    const { body: hidden } = await create({ ...made, visibility: 'private' })
    const put = async (id: number, body: object) => (await people.owner.put(`/snippets/${id}`, body)).status
    expect(await put(hidden.id, { title: 'x', content: 'y' })).toBe(200)
    expect(await put(hidden.id, { visibility: 'public' })).toBe(400)
    expect(await put(snippet.id, { description: 'only' })).toBe(200)
    expect(await put(snippet.id, { title: 'Title' })).toBe(200)
    expect(await put(snippet.id, { title: 'Other' })).toBe(400)
    expect(await put(snippet.id, { content: 'x' })).toBe(400)
    expect(await put(snippet.id, { visibility: 'private', title: 'Mine' })).toBe(200)
    expect(outside.asked.map((asked) => (asked as { action: string }).action)).toEqual(['update', 'update', 'update'])
    expect((await people.owner.get(`/snippets/${snippet.id}/raw`)).body).toBe('1')
  })

  test('is not looked for in a snippet with too many files', async () => {
    await endpointOn()
    outside.verdict = 'certain'
    const files = Array.from({ length: 11 }, (_, index) => ({ file_path: `${index}`, content: 'x' }))
    const { status, body } = await create({ ...made, files })
    const error = 'Repository Error creating the snippet - The repository can contain at most 10 file(s).'
    expect([status, body]).toEqual([400, { message: { error } }])
    expect(outside.asked).toEqual([])
  })

  test('lets the sender solve a CAPTCHA, once', async () => {
    await endpointOn()
    await captchaOn()
    outside.verdict = 'suspicious'
    const first = await create()
    expect([first.status, first.body]).toEqual([409, challenge])
    const id = String(first.body.spam_log_id)
    const seed = (response: string, log = id) => ({
      'X-Service-Captcha-Response': response,
      'X-Service-Spam-Log-Id': log,
    })
    const wrong = await create(made, seed('wrong'))
    expect([wrong.status, wrong.body]).toEqual([409, challenge])
    expect(wrong.body.spam_log_id).not.toBe(first.body.spam_log_id)
    const stranger = await people.outsider.post('/snippets', made, { headers: seed('right') })
    expect(stranger.status).toBe(409)
    expect((await create(made, seed('right', '999999'))).status).toBe(409)
    expect((await create(made, seed('right'))).status).toBe(201)
    expect((await create(made, seed('right'))).status).toBe(409)
    const next = String(wrong.body.spam_log_id)
    const gitlab = { 'X-GitLab-Captcha-Response': 'right', 'X-GitLab-Spam-Log-Id': next }
    expect((await create(made, gitlab)).status).toBe(201)
  })

  test('that is certain is discarded in spite of a CAPTCHA', async () => {
    await endpointOn()
    await captchaOn()
    outside.verdict = 'certain'
    const { status, body } = await create()
    expect([status, body]).toEqual([400, discarded])
    const { id } = await server.app.platform.database.read
      .selectFrom('spam_logs')
      .select('id')
      .orderBy('id', 'desc')
      .executeTakeFirstOrThrow()
    const solved = { 'X-GitLab-Captcha-Response': 'right', 'X-GitLab-Spam-Log-Id': String(id) }
    expect((await create(made, solved)).status).toBe(400)
  })

  test('is recognized by Akismet', async () => {
    await set({ ...off, akismet_enabled: true, akismet_api_key: 'key', akismet_url: `${address}/akismet` })
    expect((await create()).status).toBe(201)
    await captchaOn()
    outside.akismet = ['true', '']
    expect((await create()).status).toBe(409)
    outside.akismet = ['true', 'discard']
    expect((await create()).status).toBe(400)
    expect(outside.asked[0]).toMatchObject({
      api_key: 'key',
      blog: server.url,
      user_agent: 'Robot',
      comment_type: 'snippet',
      comment_author: 'owner',
      comment_content: 'Buy\n\n\ncheap',
    })
  })

  test('is not looked for by a service that fails or may not be reached', async () => {
    await endpointOn()
    outside.verdict = 'certain'
    outside.isDown = true
    expect((await create()).status).toBe(201)
    outside.isDown = false
    outside.verdict = 'nonsense'
    expect((await create()).status).toBe(201)
    outside.verdict = 'certain'
    outside.asked = []
    await set({ allow_local_requests_from_web_hooks_and_services: false })
    expect((await create()).status).toBe(201)
    expect(outside.asked).toEqual([])
    await set({ allow_local_requests_from_web_hooks_and_services: true })
    expect((await create()).status).toBe(400)
  })

  test('stays spam while the CAPTCHA service fails', async () => {
    await endpointOn()
    await captchaOn()
    outside.verdict = 'suspicious'
    const { body } = await create()
    await set({ recaptcha_verification_url: `${address.replace(/\d+$/, '9')}/captcha` })
    const solved = { 'X-GitLab-Captcha-Response': 'right', 'X-GitLab-Spam-Log-Id': String(body.spam_log_id) }
    expect((await create(made, solved)).status).toBe(409)
  })

  test('is logged for 30 days', async () => {
    const { database, jobs, clock } = server.app.platform
    const insert = (daysAgo: number) =>
      database.write((tx) => {
        const created_at = new Date(clock.now().getTime() - daysAgo * 86_400_000).toISOString()
        const entry = { user_id: people.owner.id, kind: 'snippet', solvable: true, title: `${daysAgo}` }
        return tx
          .insertInto('spam_logs')
          .values({ ...entry, user_agent: '', ip_address: '', created_at })
          .execute()
      })
    await insert(29)
    await insert(31)
    await database.write((tx) => jobs.enqueue(tx, 'spam_logs.prune', null))
    await jobs.drain()
    const titles = await database.read.selectFrom('spam_logs').select('title').execute()
    expect(titles.map(({ title }) => title)).toContain('29')
    expect(titles.map(({ title }) => title)).not.toContain('31')
  })

  test('is checked at addresses of HTTP only', async () => {
    for (const name of ['spam_check_endpoint_url', 'akismet_url', 'recaptcha_verification_url']) {
      const { status, body } = await set({ [name]: 'file:///etc/passwd' })
      expect([status, body]).toEqual([400, { message: { [name]: ['must be a valid URL'] } }])
    }
  })
})

describe('spam in issues', () => {
  const discardedIssue = { message: { error: 'Your issue has been recognized as spam and has been discarded.' } }
  let at: string
  beforeAll(async () => {
    const project = await server.make.project('spammed', people.owner)
    at = `/projects/${project.id}/issues`
  })
  const post = (body: object, headers: Record<string, string> = {}) =>
    people.owner.post(
      at,
      { title: 'Buy', description: 'cheap', ...body },
      { headers: { 'User-Agent': 'Robot', ...headers } },
    )
  const count = async () => (await people.owner.get(at)).body.length

  test('is discarded at creation, and nothing but a log is stored', async () => {
    await endpointOn()
    outside.verdict = 'certain'
    const [issues, logs] = [await count(), await countOf('spam_logs')]
    const { status, body } = await post({})
    expect([status, body]).toEqual([400, discardedIssue])
    expect([await count(), await countOf('spam_logs')]).toEqual([issues, logs + 1])
    expect(outside.asked).toEqual([
      {
        ...{ kind: 'issue', action: 'create', title: 'Buy', text: 'cheap', user_agent: 'Robot' },
        ...{ user: { id: people.owner.id, username: 'owner' }, ip_address: expect.any(String) },
      },
    ])
  })

  test('is discarded in a new title or description, which stay as they were', async () => {
    const { body: issue } = await post({})
    const put = (body: object, headers = {}) => people.owner.put(`${at}/${issue.iid}`, body, { headers })
    await endpointOn()
    outside.verdict = 'certain'
    for (const change of [{ title: 'Sell' }, { description: 'dear' }]) {
      const { status, body } = await put({ ...change, labels: 'x' })
      expect([status, body]).toEqual([400, discardedIssue])
    }
    expect(outside.asked).toMatchObject([
      { action: 'update', title: 'Sell', text: 'cheap' },
      { action: 'update', title: 'Buy', text: 'dear' },
    ])
    expect((await people.owner.get(`${at}/${issue.iid}`)).body).toMatchObject({
      ...{ title: 'Buy', description: 'cheap', labels: [], updated_at: issue.updated_at },
    })
    expect((await put({ title: 'Buy', description: 'cheap', labels: 'x' })).status).toBe(200)
    expect(outside.asked).toHaveLength(2)
    expect((await people.outsider.put(`${at}/${issue.iid}`, { title: 'x' })).status).toBe(404)
    expect(outside.asked).toHaveLength(2)
  })

  test('passes when a CAPTCHA is solved, at creation and later', async () => {
    await endpointOn()
    await captchaOn()
    outside.verdict = 'suspicious'
    const issueChallenge = {
      ...challenge,
      message: { error: challenge.message.error.replace('snippet', 'issue') },
    }
    const solved = (id: number) => ({ 'X-GitLab-Captcha-Response': 'right', 'X-GitLab-Spam-Log-Id': String(id) })
    const first = await post({})
    expect([first.status, first.body]).toEqual([409, issueChallenge])
    const made = await post({}, solved(first.body.spam_log_id))
    expect(made.status).toBe(201)
    const put = (headers = {}) => people.owner.put(`${at}/${made.body.iid}`, { title: 'Sell' }, { headers })
    const second = await put()
    expect([second.status, second.body]).toEqual([409, issueChallenge])
    expect((await put(solved(first.body.spam_log_id))).status).toBe(409)
    expect((await put(solved(second.body.spam_log_id))).body).toMatchObject({ title: 'Sell' })
  })
})
