import { afterAll, beforeAll, expect, test } from 'vitest'
import { manualClock } from '../../infra/clock/index.ts'
import { makePeople, type People, projectWithMembers, startTestServer, type TestServer } from '../../testing/index.ts'

const clock = manualClock({ start: '2026-03-02T10:00:00Z' })
let server: TestServer
let people: People
let base: string

const set = async (value: object) => expect((await server.root.put('/application/settings', value)).status).toBe(200)
const throttle = (kind: 'authenticated' | 'unauthenticated', name: string, requests: number) => ({
  [`throttle_${kind}_${name}_enabled`]: true,
  [`throttle_${kind}_${name}_requests_per_period`]: requests,
  [`throttle_${kind}_${name}_period_in_seconds`]: 60,
})
const off = Object.fromEntries(
  ['authenticated', 'unauthenticated'].flatMap((kind) =>
    ['api', 'files_api'].map((name) => [`throttle_${kind}_${name}_enabled`, false]),
  ),
)

beforeAll(async () => {
  server = await startTestServer({ clock })
  people = await makePeople(server)
  const { project } = await projectWithMembers(server, { people, path: 'throttled', visibility: 'public' })
  base = `/projects/${project.id}/repository`
  const file = { branch: 'main', content: 'hello', commit_message: 'first' }
  expect((await people.owner.post(`${base}/files/README.md`, file)).status).toBe(201)
})
afterAll(async () => {
  await set(off)
  await server.stop()
})

const readme = () => `${base}/files/README.md?ref=main`

test('single files have a throttle of their own for each user, on every path of theirs', async () => {
  const { maintainer, reporter } = people
  await set(throttle('authenticated', 'files_api', 4))
  const first = await maintainer.get(readme())
  expect(first.status).toBe(200)
  expect(first.headers.get('ratelimit-name')).toBe('throttle_authenticated_files_api')
  expect((await maintainer.get(`${base}/files/README.md/raw`)).status).toBe(200)
  expect((await maintainer.get(`${base}/files?search=R`)).status).toBe(200)
  const written = { branch: 'main', content: 'x', commit_message: 'm' }
  expect((await maintainer.post(`${base}/files/new.md`, written)).status).toBe(201)
  const refused = await maintainer.get(readme())
  expect([refused.status, refused.body]).toEqual([429, { message: 'Retry later' }])
  expect((await maintainer.delete(`${base}/files/new.md?branch=main&commit_message=m`)).status).toBe(429)

  expect((await reporter.get(readme())).status).toBe(200)
  expect((await server.anonymous.get(readme())).status).toBe(200)
  const elsewhere = await maintainer.get(`${base}/tree`)
  expect([elsewhere.status, elsewhere.headers.get('ratelimit-name')]).toEqual([200, null])
  clock.advance(60_000)
  expect((await maintainer.get(readme())).status).toBe(200)
  await set({ throttle_authenticated_files_api_requests_per_period: 1 })
  expect((await maintainer.get(readme())).status).toBe(429)
  await set(off)
  expect((await maintainer.get(readme())).status).toBe(200)
})

test('single files have one for each address without a token, and that of the API while theirs is off', async () => {
  await set(throttle('unauthenticated', 'files_api', 2))
  const statuses = []
  for (let index = 0; index < 3; index += 1) statuses.push((await server.anonymous.get(readme())).status)
  expect(statuses).toEqual([200, 200, 429])
  expect((await server.anonymous.get(`${base}/tree`)).status).toBe(200)
  expect((await server.anonymous.get(readme(), { headers: { 'PRIVATE-TOKEN': 'wrong' } })).status).toBe(429)
  expect((await people.reporter.get(readme())).status).toBe(200)

  await set({ ...off, ...throttle('unauthenticated', 'api', 1) })
  const counted = await server.anonymous.get(readme())
  expect([counted.status, counted.headers.get('ratelimit-name')]).toEqual([200, 'throttle_unauthenticated_api'])
  expect((await server.anonymous.get(readme())).status).toBe(429)
  await set(off)
})

test('a name of former times reads and writes the throttle of requests without a token', async () => {
  await set({ throttle_unauthenticated_enabled: true, throttle_unauthenticated_requests_per_period: 1 })
  clock.advance(3_600_000)
  expect((await server.anonymous.get('/projects')).status).toBe(200)
  expect((await server.anonymous.get('/projects')).status).toBe(429)
  const { body } = await server.root.get('/application/settings')
  expect(body).toMatchObject({
    throttle_unauthenticated_api_enabled: true,
    throttle_unauthenticated_api_requests_per_period: 1,
    throttle_unauthenticated_enabled: true,
  })
  await set({ throttle_unauthenticated_enabled: false, throttle_unauthenticated_requests_per_period: 3600 })
  expect((await server.anonymous.get('/projects')).status).toBe(200)
})

test('a throttle of files has at least one request and one second', async () => {
  for (const name of ['requests_per_period', 'period_in_seconds']) {
    for (const value of [0, -1, 'x', 2 ** 31, null]) {
      const body = { [`throttle_authenticated_files_api_${name}`]: value }
      expect([body, (await server.root.put('/application/settings', body)).status]).toEqual([body, 400])
    }
  }
  const body = { throttle_authenticated_files_api_enabled: true }
  expect((await people.maintainer.put('/application/settings', body)).status).toBe(403)
})
