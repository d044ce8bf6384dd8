import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { startTestServer, type TestServer } from '../../../testing/index.ts'
import * as memory from '../memory/store.ts'
import type { EventAction } from '../tables.ts'
import { applyEvents, type Cursor, cursorName } from './events.ts'
import type { Secondary } from './state.ts'
import * as store from './store.ts'

let server: TestServer
/** What the primary lists: uploads with these ids. */
let listed: number[] = []
let woken = 0

const secondary = {
  client: {
    async get(path: string) {
      const after = Number(/after_id=(\d+)/.exec(path)?.[1])
      const found = listed.find((id) => id > after)
      const item = { project_id: 1, group_id: null, storage: null, size: 5, checksum: null }
      return found === undefined ? [] : [{ ...item, id: found }]
    },
  },
  signal: new AbortController().signal,
  configuration: { node: { id: 7 } },
  wakePoll: () => {
    woken += 1
  },
} as unknown as Secondary

beforeAll(async () => {
  server = await startTestServer()
})
beforeEach(async () => {
  listed = [1, 2]
  await server.app.platform.database.write(async (tx) => {
    await tx.deleteFrom('geo_replicas').execute()
    await tx.deleteFrom('geo_sync_state').execute()
  })
})
afterAll(() => server.stop())

let lastId = 0
function event(action: EventAction, id: number, checksum: string | null = null) {
  lastId += 1
  const type = action === 'node_updated' ? null : 'uploads'
  return { id: lastId, created_at: '2026-01-01T00:00:00.000Z', type, replicable_id: id, action, checksum }
}

async function apply(...events: ReturnType<typeof event>[]) {
  const answer = { last_event_id: events.at(-1)?.id ?? 0, events }
  await applyEvents(server.app.platform, secondary, answer)
}

const read = () => server.app.platform.database.read
const replica = async (id: number) => store.replicaOf(read(), 'uploads', id)

async function finish(id: number, checksum: string) {
  const found = await replica(id)
  if (!found) throw new Error('no copy')
  const state = { state: 'synced', verification: 'succeeded', checksum, primary_checksum: checksum } as const
  await server.app.platform.database.write((tx) => store.updateReplica(tx, found, state))
}

test('events are applied in order, and may be applied again', async () => {
  const events = [event('created', 1), event('updated', 1), event('created', 2), event('checksummed', 1, 'a')]
  await apply(...events)
  expect(await replica(1)).toMatchObject({ state: 'pending', primary_checksum: 'a', project_id: 1, size_bytes: 5 })
  await apply(...events)
  expect(await replica(1)).toMatchObject({ state: 'pending', primary_checksum: 'a' })
  expect(await replica(2)).toMatchObject({ state: 'pending', primary_checksum: null })
  expect((await store.replicasBetween(read(), 'uploads', 1, 9)).length).toBe(2)
  expect((await memory.remembered<Cursor>(read(), cursorName))?.id).toBe(events.at(-1)?.id)
})

test('an item that is not selected is left out, and a deleted one is dropped', async () => {
  await apply(event('created', 3), event('checksummed', 3, 'c'))
  expect(await replica(3)).toBeNull()
  await apply(event('created', 1))
  await apply(event('updated', 1), event('deleted', 1), event('deleted', 99))
  expect(await replica(1)).toBeNull()
})

test('a change makes a copy wait, and a checksum makes it compare', async () => {
  await apply(event('created', 1))
  await finish(1, 'a')
  await apply(event('checksummed', 1, 'a'))
  expect(await replica(1)).toMatchObject({ state: 'synced', verification: 'succeeded' })
  await apply(event('checksummed', 1, 'b'))
  expect(await replica(1)).toMatchObject({ state: 'synced', verification: 'pending', primary_checksum: 'b' })
  await apply(event('updated', 1))
  expect(await replica(1)).toMatchObject({ state: 'pending', primary_checksum: null })
})

test('a transfer that runs while its item changes is out of date when it ends', async () => {
  await apply(event('created', 1))
  const { database } = server.app.platform
  const before = await replica(1)
  if (!before) throw new Error('no copy')
  const claim = () => database.write((tx) => store.claim(tx, before, 'state', '2026-01-01T00:00:00.000Z'))
  expect([await claim(), await claim()]).toEqual([true, false])
  await apply(event('updated', 1))
  expect((await replica(1))?.state).toBe('started')
  expect(await database.write((tx) => store.updateReplica(tx, before, { state: 'synced' }))).toBe(false)
})

test('only a change of the own record is read at once', async () => {
  woken = 0
  await apply(event('node_updated', 8))
  expect(woken).toBe(0)
  await apply(event('node_updated', 7))
  expect(woken).toBe(1)
})

test('failures wait for their time, and old verifications are repeated', async () => {
  await apply(event('created', 1), event('created', 2))
  const { database } = server.app.platform
  const [one, two] = [await replica(1), await replica(2)]
  if (!one || !two) throw new Error('no copies')
  await database.write(async (tx) => {
    await store.updateReplica(tx, one, { state: 'failed', retry_count: 3, retry_at: '2026-01-02T00:00:00.000Z' })
    await store.updateReplica(tx, two, {
      ...{ state: 'synced', verification: 'succeeded', primary_checksum: 'b', checksum: 'b' },
      verified_at: '2025-12-01T00:00:00.000Z',
    })
  })
  const resume = (now: string, verifiedBefore: string) =>
    database.write((tx) => store.resumeDue(tx, { now, verifiedBefore }))
  await resume('2026-01-01T23:59:59.000Z', '2025-11-30T00:00:00.000Z')
  expect([(await replica(1))?.state, (await replica(2))?.verification]).toEqual(['failed', 'succeeded'])
  await resume('2026-01-02T00:00:00.000Z', '2025-12-02T00:00:00.000Z')
  expect([(await replica(1))?.state, (await replica(2))?.verification]).toEqual(['pending', 'pending'])
  await database.write((tx) =>
    store.upsertReplica(tx, 'uploads', { ...one, id: 3, size: 1, checksum: null }, '2027-01-01T00:00:00.000Z'),
  )
  const waiting = await store.waitingForTransfer(read(), ['uploads'], 9)
  // What has never failed comes first, although it has changed later.
  expect(waiting.map(({ replicable_id: id }) => id)).toEqual([3, 1])
})
