import { afterAll, beforeAll, expect, test } from 'vitest'
import { manualClock } from '../../../infra/clock/index.ts'
import { imported, importStream, type Person, startTestServer, type TestServer } from '../../../testing/index.ts'

let server: TestServer
let owner: Person
let base: string
// A Sunday; the commits of the stream are of Tuesday, 14 November 2023.
const clock = manualClock({ start: '2024-11-10T23:59:59Z' })

beforeAll(async () => {
  server = await startTestServer({ clock })
  owner = await server.user('owner')
  const stream = importStream(['a', 'b', 'c'].map((message) => ({ message, files: [['100644', message, 'x\n']] })))
  const project = await imported(server, owner, 'demo', stream)
  base = `/projects/${project.id}/repository/commit_activity`
})
afterAll(() => server.stop())

test('x.repo_commit_activity counts the commits of the last 52 weeks, which begin on Mondays', async () => {
  const { status, body } = await owner.get(`${base}?ref=main`)
  expect([status, body.length]).toEqual([200, 52])
  expect([body[0], body[1], body[51]]).toEqual([
    { week: '2023-11-13', commits: 3 },
    { week: '2023-11-20', commits: 0 },
    { week: '2024-11-04', commits: 0 },
  ])
  clock.advance(1_000)
  const next = await owner.get(base)
  expect([next.body[0], next.body[51]]).toEqual([
    { week: '2023-11-20', commits: 0 },
    { week: '2024-11-11', commits: 0 },
  ])
  expect((await owner.get(`${base}?ref=none`)).status).toBe(404)
})
