/** Who is a visitor, which rights open a site, and what becomes of codes and sessions. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { personWithBrowser } from '../../../console/testing.ts'
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
import { cookieOf, localPath } from './cookies.ts'
import { deleteExpiredVisitors } from './sign-in.ts'
import { insertCode, insertPagesSession, pagesSessionAt, takeCode } from './store.ts'

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
})

test('the server gives codes to GET only', async () => {
  const address = `${server.url}/-/pages/sign_in?host=${new URL(site).hostname}&state=${'0'.repeat(32)}`
  const answer = await fetch(address, { method: 'POST', redirect: 'manual' })
  expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET'])
  expect((await fetch(`${server.url}/-/pages/sign_in`)).status).toBe(404)
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
