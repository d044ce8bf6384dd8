import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { manualClock } from '../../../index.ts'
import type { Platform } from '../../../platform/index.ts'
import { startTestServer, type TestServer } from '../../../testing/index.ts'
import { fileForm } from '../../uploads/testing.ts'
import { appendEvents } from '../feed/store.ts'
import { nodeByAccessKey } from '../nodes/store.ts'
import type { NodeRow } from '../tables.ts'
import { type Issued, makePrimary, makeSecondary, removeNodes, signedBy } from '../testing.ts'
import { configurationFor } from './configuration.ts'
import { listEvents, listReplicables } from './events.ts'
import { geoEvents } from './operations.ts'
import { Events } from './present.ts'

const now = '2026-01-01T00:00:00.000Z'
let server: TestServer
let platform: Platform
let credentials: Issued
let node: NodeRow

beforeAll(async () => {
  server = await startTestServer()
  // The time stands still, so that a wait would not end.
  platform = { ...server.app.platform, clock: manualClock({ start: now }) }
  const owner = await server.user('owner')
  const { id } = await server.make.project('listed', owner)
  expect((await owner.post(`/projects/${id}/uploads`, fileForm('a.txt', 'listed'))).status).toBe(201)
})
beforeEach(async () => {
  await makePrimary(server)
  credentials = (await makeSecondary(server.root, { name: 'second', url: 'http://second.test' })).credentials
  node = (await nodeByAccessKey(platform.database.read, credentials.access_key)) as NodeRow
  // Checksums that are computed later would be in the log.
  await platform.jobs.drain()
  await platform.database.write((tx) => tx.deleteFrom('geo_events').execute())
})
afterEach(() => removeNodes(server))
afterAll(() => server.stop())

/** Appends events. @returns their ids */
async function append(count: number): Promise<number[]> {
  const ids = Array.from({ length: count }, (_, index) => index + 1)
  await platform.database.write((tx) => appendEvents(tx, ids, { type: 'uploads', action: 'created', now }))
  const rows = await platform.database.read.selectFrom('geo_events').select('id').orderBy('id').execute()
  return rows.map(({ id }) => id)
}

const { signal } = new AbortController()
const read = (after: number, waitMs = 0) => listEvents(platform, { after, waitMs, signal })
const idsOf = async (after: number) => (await read(after)).events.map(({ id }) => id)
const gone = { status: 410, body: { message: '410 Gone' } }

describe('the log', () => {
  test('is read from an event on that it still has, or from just before its oldest', async () => {
    const [first = 0, second = 0, third = 0] = await append(3)
    expect(await idsOf(first - 1)).toEqual([first, second, third])
    expect(await idsOf(first)).toEqual([second, third])
    expect(await read(third)).toEqual({ last_event_id: third, events: [] })
    await expect(read(third + 1)).rejects.toMatchObject(gone)
    await platform.database.write((tx) => tx.deleteFrom('geo_events').where('id', '=', first).execute())
    expect(await idsOf(first)).toEqual([second, third])
    await expect(read(first - 1)).rejects.toMatchObject(gone)
  })

  test('is read from 0 on while it is empty', async () => {
    expect(await read(0)).toEqual({ last_event_id: 0, events: [] })
    await expect(read(1)).rejects.toMatchObject(gone)
    expect((await configurationFor(platform, node)).last_event_id).toBe(0)
  })

  test('is read in parts of 500', async () => {
    const ids = await append(501)
    expect(await idsOf((ids[0] ?? 0) - 1)).toEqual(ids.slice(0, 500))
  })

  test('is not waited for by one who has left', async () => {
    const answer = listEvents(platform, { after: 0, waitMs: 25_000, signal: AbortSignal.abort() })
    expect(await answer).toEqual({ last_event_id: 0, events: [] })
  })

  test('is waited for as many seconds as are asked for', async () => {
    /** How often the log is looked into when each look lasts so long. */
    async function looks(lookMs: number, wait?: number): Promise<number> {
      let times = 0
      const clock = { ...platform.clock, now: () => new Date(Date.parse(now) + lookMs * times++) }
      const params = wait === undefined ? { after: 0 } : { after: 0, wait }
      await geoEvents.run({ platform: { ...platform, clock }, request: { signal }, params } as never)
      return times - 1
    }
    expect([await looks(500), await looks(500, 0)]).toEqual([1, 1])
    expect([await looks(1000, 1), await looks(999, 1)]).toEqual([1, 2])
  })

  test('is answered with 200', async () => {
    const answer = await server.anonymous.get('/geo/events?after=0', signedBy(credentials))
    expect([answer.status, answer.body]).toEqual([200, { last_event_id: 0, events: [] }])
  })
})

test('the actions of contract 15 are documented', () => {
  expect(Events.properties.events.items.properties.action).toMatchObject({
    enum: ['created', 'updated', 'deleted', 'checksummed', 'node_updated'],
  })
})

describe('what a primary tells', () => {
  test.each([
    ['uploads', 's3://bucket', true],
    ['uploads', 'file:///s3:', false],
    ['project_repositories', 's3://bucket', false],
  ])('of %s with the objects at %s: in the object store is %s', async (type, objectsUrl, expected) => {
    const own = { ...platform, config: { ...platform.config, objectsUrl } }
    const wanted = { ...node, sync_object_storage: true }
    const items = await listReplicables(own, wanted, { type, afterId: 0, limit: 100 })
    expect(new Set(items.map((item) => item.object_storage))).toEqual(new Set([expected]))
  })

  test('of its registry: the key, if it has one', async () => {
    const keyOf = async (registryEnabled: boolean) =>
      (await configurationFor({ ...platform, config: { ...platform.config, registryEnabled } }, node))
        .registry_public_key
    expect(await keyOf(true)).toMatchObject({ kty: 'RSA' })
    expect(await keyOf(false)).toBeNull()
  })
})
