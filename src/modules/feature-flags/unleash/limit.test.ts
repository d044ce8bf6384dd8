import { afterAll, beforeAll, expect, test } from 'vitest'
import { manualClock } from '../../../infra/clock/index.ts'
import { makePeople, startTestServer, type TestServer } from '../../../testing/index.ts'
import { projectWithFlags } from '../testing.ts'

const clock = manualClock({ start: '2026-03-01T12:00:00.000Z' })
let server: TestServer
beforeAll(async () => {
  server = await startTestServer({ clock })
})
afterAll(() => server.stop())

test('polling is limited where the configuration says so, for each project', async () => {
  const people = await makePeople(server)
  const places = [await projectWithFlags(server, people), await projectWithFlags(server, people)]
  Object.assign(server.app.platform.config, { unleashPerMinute: 2 })
  const statuses: number[][] = []
  for (const { client, project } of places) {
    const { instance_id } = (await people.developer.get(client)).body
    const path = `/feature_flags/unleash/${project.id}?instance_id=${instance_id}`
    const poll = async () => (await server.anonymous.get(path)).status
    const counted = [await poll(), await poll(), await poll()]
    clock.advance(60_000)
    statuses.push([...counted, await poll()])
  }
  expect(statuses).toEqual([
    [200, 200, 429, 200],
    [200, 200, 429, 200],
  ])
})
