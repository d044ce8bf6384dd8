/** Who is a visitor, which rights open a site, and what becomes of codes and sessions. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ApiError } from '../../../api/index.ts'
import { password, personWithBrowser } from '../../../console/testing.ts'
import { manualClock } from '../../../infra/clock/index.ts'
import { hashToken } from '../../../infra/secrets/index.ts'
import {
  makePeople,
  type People,
  type ProjectWithMembers,
  projectWithMembers,
  startTestServer,
  type TestServer,
} from '../../../testing/index.ts'
import { jobWithToken } from '../../pipelines/testing.ts'
import { publishFor, visit } from '../testing.ts'
import { cookieOf, localPath } from './cookies.ts'
import { deleteExpiredVisitors, pagesSignIn, takeVisitor } from './sign-in.ts'
import { insertCode, insertPagesSession, pagesSessionAt, takeCode } from './store.ts'
import { isRefusal, visitorOf } from './visitors.ts'

let server: TestServer
let people: People
let place: ProjectWithMembers
let site: string
let api: string
const clock = manualClock({ start: '2026-03-01T12:00:00.000Z' })
beforeAll(async () => {
  server = await startTestServer({ clock })
  people = await makePeople(server)
  place = await projectWithMembers(server, { people, path: 'open', visibility: 'public' })
  api = `/projects/${place.project.id}`
  await publishFor(server, place.project.id, { archive: { 'public/index.html': 'x' }, userId: people.owner.id })
  site = (await people.maintainer.get(`${api}/pages`)).body.url
})
afterAll(() => server.stop())

const basic = (name: string, password: string) => ({
  Authorization: `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`,
})
const statusOf = async (headers: Record<string, string> = {}) => (await visit(server, `${site}/`, { headers })).status

test('a site of a public project that is for members is not for others', async () => {
  const stranger = await server.user('stranger')
  await people.owner.put(api, { pages_access_level: 'enabled' })
  expect([await statusOf(), await statusOf(basic('a', stranger.token))]).toEqual([200, 200])
  await people.owner.put(api, { pages_access_level: 'private' })
  expect([await statusOf(), await statusOf(basic('a', stranger.token))]).toEqual([401, 404])
  expect(await statusOf(basic('a', people.guest.token))).toBe(200)
})

test('what is not a user opens no site', async () => {
  const made = await people.owner.post(`${api}/deploy_tokens`, { name: 'reads', scopes: ['read_repository'] })
  expect(made.status).toBe(201)
  expect(await statusOf(basic(made.body.username, made.body.token))).toBe(401)
  expect(await statusOf({ Authorization: 'Basic' })).toBe(401)
  expect(await statusOf(basic('guest', 'wrong'))).toBe(401)
  const job = await jobWithToken(server, { projectId: place.project.id, userId: people.guest.id })
  expect(await statusOf(basic('gitlab-ci-token', job.token))).toBe(401)
  expect(await statusOf({ 'JOB-TOKEN': job.token })).toBe(401)
})

test('a password opens what its user may read, and a token what its scopes let', async () => {
  await people.owner.put(api, { pages_access_level: 'private' })
  const { id, username } = await personWithBrowser(server, 'with-password')
  expect(await statusOf(basic(username, password))).toBe(404)
  await server.make.member({ project: place.project }, { id }, 10)
  expect(await statusOf(basic(username, password))).toBe(200)
  for (const [scope, status] of [
    ['read_api', 200],
    ['read_user', 401],
  ] as const) {
    const token = await server.make.token({ id }, [scope])
    for (const headers of [basic(username, token), { 'PRIVATE-TOKEN': token }]) {
      expect([scope, await statusOf(headers)]).toEqual([scope, status])
    }
  }
})

test.each([
  [new ApiError('unauthorized', 401, { message: '' }), true],
  [new ApiError('forbidden', 403, { message: '' }), true],
  [new ApiError('not_found', 404, { message: '' }), false],
  [Object.assign(new Error('of the database'), { status: 401 }), false],
])('credentials are refused by %j: %s', (error, expected) => {
  expect(isRefusal(error)).toBe(expected)
})

test('the server gives codes to GET only', async () => {
  const address = `${server.url}/-/pages/sign_in?host=${new URL(site).hostname}&state=${'0'.repeat(32)}`
  const answer = await fetch(address, { method: 'POST', redirect: 'manual' })
  expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET'])
  expect((await fetch(`${server.url}/-/pages/sign_in`)).status).toBe(404)
  const { config } = server.app.platform
  config.pagesEnabled = false
  expect((await fetch(address, { method: 'POST', redirect: 'manual' })).status).toBe(404)
  config.pagesEnabled = true
})

test('a code and a session are found by their own digest at their own host, and deleted when their time is over', async () => {
  const { platform } = server.app
  const { id: userId } = await personWithBrowser(server, 'visitor')
  const sessions = platform.database.read.selectFrom('sessions').select('id').where('user_id', '=', userId)
  const { id: session_id } = await sessions.executeTakeFirstOrThrow()
  const at = (ms: number) => new Date(clock.now().getTime() + ms).toISOString()
  const rowsOf = (digest: string, ms: number) => ({ digest, session_id, hostname: 'a.test', expires_at: at(ms) })
  await platform.database.write(async (tx) => {
    for (const [digest, ms] of [
      ['ended', -1],
      ['now', 0],
      ['valid', 1],
    ] as const) {
      await insertCode(tx, rowsOf(digest, ms))
      await insertPagesSession(tx, rowsOf(digest, ms))
    }
  })
  const { read } = platform.database
  expect(await pagesSessionAt(read, 'valid', 'a.test')).toMatchObject({ digest: 'valid' })
  expect(await pagesSessionAt(read, 'valid', 'b.test')).toBeNull()
  expect(await pagesSessionAt(read, 'other', 'a.test')).toBeNull()
  expect(deleteExpiredVisitors.every).toEqual({ seconds: 86_400 })
  await deleteExpiredVisitors.run(platform, null as never, {} as never)
  for (const table of ['pages_codes', 'pages_sessions'] as const) {
    const left = await read.selectFrom(table).select('digest').where('hostname', '=', 'a.test').execute()
    expect([table, left]).toEqual([table, [{ digest: 'valid' }]])
  }
  const take = (digest: string, host: string) => platform.database.write((tx) => takeCode(tx, digest, host))
  expect([await take('valid', 'b.test'), await take('other', 'a.test')]).toEqual([null, null])
  expect(await take('valid', 'a.test')).toMatchObject({ digest: 'valid' })
  expect(await take('valid', 'a.test')).toBeNull()
})

/** What a service answers; the reply is not that of a connection. */
function asked(url: string, headers: object = {}) {
  const given: { headers?: Record<string, unknown> } = {}
  const reply = {
    code: () => reply,
    headers(set: Record<string, unknown>) {
      given.headers = set
      return reply
    },
    send: () => reply,
  }
  const request = { url, method: 'GET', headers, ip: '127.0.0.1' } as unknown as FastifyRequest
  return { request, reply: reply as unknown as FastifyReply, given }
}

test('those who are led on have their answer', async () => {
  const { platform } = server.app
  const { hostname } = new URL(site)
  const state = '0'.repeat(32)
  const one = asked(`/-/pages/sign_in?host=${hostname}&state=${state}`)
  expect(await pagesSignIn(platform).handle(one.request, one.reply)).toBe(true)
  expect(await pagesSignIn(platform).handle(asked('/-/pages').request, one.reply)).toBe(false)

  const { id: userId } = await personWithBrowser(server, 'led-on')
  const sessions = platform.database.read.selectFrom('sessions').select('id').where('user_id', '=', userId)
  const { id: session_id } = await sessions.executeTakeFirstOrThrow()
  const expires_at = new Date(clock.now().getTime() + 1).toISOString()
  await platform.database.write((tx) => insertCode(tx, { digest: hashToken('code'), session_id, hostname, expires_at }))
  const back = asked(`/-/pages/session?code=code&state=${state}&path=/a`, { cookie: `fennec_pages_state=${state}` })
  expect(await takeVisitor(platform, back.request, back.reply, hostname)).toBe(true)
  expect(back.given.headers).toMatchObject({ Location: '/a' })
})

test('what fails in the server is no wrong password', async () => {
  const platform = { ...server.app.platform, database: null as never }
  const { request } = asked('/', { authorization: basic('guest', people.guest.token).Authorization })
  await expect(visitorOf(platform, request, new URL(site).hostname)).rejects.toThrow(TypeError)
})

test('cookies of a site are for HTTPS alone where the site is', () => {
  const { platform } = server.app
  expect(cookieOf(platform, 'a', 'b', 0)).toBe('a=b; Path=/; Max-Age=0; HttpOnly; SameSite=Lax')
  expect(cookieOf({ ...platform, externalUrl: 'https://fennec.test' }, 'a', 'b')).toBe(
    'a=b; Path=/; HttpOnly; SameSite=Lax; Secure',
  )
})

test.each([
  ['/a?b=c#d', '/a?b=c#d'],
  [null, '/'],
  ['', '/'],
  ['//evil.test', '/'],
  ['/\\evil.test', '/'],
  ['/a\\b', '/'],
  ['/a\u0000', '/'],
  ['https://evil.test', '/'],
])('%j leads to %j', (address, path) => {
  expect(localPath(address)).toBe(path)
})
