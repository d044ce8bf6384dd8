import { afterAll, beforeAll, expect, test } from 'vitest'
import { makePeople, startTestServer, type TestServer } from '../../../testing/index.ts'
import { genericOccurrence } from '../payloads/generic.ts'
import { projectWithAlerts } from '../testing.ts'
import { recordDelivery } from './batches.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.stop())

const now = '2024-01-01T00:00:00.000Z'
const occurrence = (fingerprint: string) => genericOccurrence({ fingerprint }, [], now)

async function setUp() {
  const place = await projectWithAlerts(server, await makePeople(server))
  const { id } = await place.integration()
  return { place, integration: { id, project_id: place.project.id } }
}

test('deliveries that wait are recorded in one transaction', async () => {
  const { integration } = await setUp()
  const { platform } = server.app
  const deliver = (name: string) => recordDelivery(platform, integration, [occurrence(name)])
  await deliver('warm')
  await platform.jobs.drain()
  const before = platform.database.queryCount()
  const recorded = await Promise.all(Array.from({ length: 50 }, (_, index) => deliver(`f${index}`)))
  expect(platform.database.queryCount() - before).toBeLessThan(60)
  expect(recorded.map(([alert]) => alert?.iid)).toEqual(Array.from({ length: 50 }, (_, index) => index + 2))
})

test('a delivery that cannot be recorded does not fail the others', async () => {
  const { integration } = await setUp()
  const { platform } = server.app
  const broken = { ...occurrence('broken'), startedAt: null as unknown as string }
  const [first, failed, last] = await Promise.allSettled([
    recordDelivery(platform, integration, [occurrence('first')]),
    recordDelivery(platform, integration, [broken]),
    recordDelivery(platform, integration, [occurrence('last')]),
  ])
  expect([first, failed, last]).toMatchObject([
    { status: 'fulfilled', value: [{ iid: 1 }] },
    { status: 'rejected' },
    { status: 'fulfilled', value: [{ iid: 2 }] },
  ])
})

test('a delivery of many alerts is recorded whole, in its order', async () => {
  const { integration, place } = await setUp()
  const many = Array.from({ length: 1203 }, (_, index) => occurrence(`f${index % 1200}`))
  const recorded = await recordDelivery(server.app.platform, integration, many)
  expect(recorded.map(({ iid }) => iid)).toEqual(Array.from({ length: 1200 }, (_, index) => index + 1))
  const { body } = await place.developer.get(`${place.alerts}/status_counts`)
  expect(body.all).toBe(1200)
  expect((await place.developer.get(`${place.alerts}/1`)).body.event_count).toBe(2)
})
