import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { manualClock } from '../../../infra/clock/index.ts'
import { type Receiver, startReceiver, startTestServer, type TestServer } from '../../../testing/index.ts'
import { isValidToken, sentToken } from '../protocol/credentials/token.ts'
import { makePrimary, removeNodes } from '../testing.ts'
import { formerPrimary } from './records.ts'
import { promotionIn, rememberPromotion } from './state.ts'
import { tellFormerPrimary } from './tell-former.ts'

let server: TestServer
let former: Receiver
let nodeId: number
const [accessKey, secret] = ['an-access-key', 'the secret of the access key']
const promotedAt = '2026-02-03T04:05:06.789Z'
const start = '2026-02-03T05:00:00.000Z'
const pollMs = 10_000

beforeAll(async () => {
  server = await startTestServer()
  former = await startReceiver()
})
afterAll(async () => {
  await former.stop()
  await server.stop()
})
beforeEach(async () => {
  await makePrimary(server)
  nodeId = (await server.root.post('/geo_sites', { name: 'first', url: 'http://first.test' })).body.id
  const sealer = await server.app.platform.secrets.sealer()
  const primary = { id: nodeId, url: `${former.url}/`, internal_url: null } as Parameters<
    typeof formerPrimary
  >[0]['primary']
  // Nothing listens at the first address.
  const made = formerPrimary({ primary, addresses: ['http://127.0.0.1:1'], accessKey, secret, sealer })
  expect(made.addresses).toEqual(['http://127.0.0.1:1', former.url])
  await server.app.platform.database.write((tx) => rememberPromotion(tx, { backupId: null, promotedAt, former: made }))
})
afterEach(async () => {
  former.reset()
  await removeNodes(server)
  await server.app.platform.database.write(async (tx) => {
    await tx.deleteFrom('geo_sync_state').execute()
  })
})

const toldAt = async () => (await promotionIn(server.app.platform.database.read))?.former.toldAt

test('the former primary is asked again and again, until it has understood', async () => {
  const clock = manualClock({ start })
  const platform = { ...server.app.platform, clock }
  former.answer = (response) => void response.writeHead(502).end()
  const telling = await tellFormerPrimary(platform)
  await expect.poll(() => clock.pendingTimers).toBe(1)
  expect(former.received).toHaveLength(1)
  former.answer = (response) => void response.writeHead(201).end('{}')
  clock.advance(pollMs)
  await expect.poll(toldAt).toBe(new Date(Date.parse(start) + pollMs).toISOString())
  await telling?.stop()
  const { method, url, headers, body } = former.received[1] ?? {}
  expect([method, url, JSON.parse(body ?? '')]).toEqual([
    'POST',
    '/api/v4/geo/superseded',
    { url: server.url, promoted_at: promotedAt },
  ])
  const sent = sentToken(headers?.authorization)
  expect([sent?.accessKey, isValidToken(sent?.jwt ?? '', secret, clock.now())]).toEqual([accessKey, true])
  expect(await tellFormerPrimary(platform)).toBeNull()
})

test('it is asked no more when its record is deleted, and when the server stops', async () => {
  const clock = manualClock({ start })
  const platform = { ...server.app.platform, clock }
  former.answer = (response) => void response.writeHead(401).end()
  const stopped = await tellFormerPrimary(platform)
  await expect.poll(() => clock.pendingTimers).toBe(1)
  await stopped?.stop()
  expect(clock.pendingTimers).toBe(0)
  const telling = await tellFormerPrimary(platform)
  await expect.poll(() => clock.pendingTimers).toBe(1)
  const count = former.received.length
  await server.root.delete(`/geo_sites/${nodeId}`)
  clock.advance(pollMs)
  await telling?.ended
  expect([former.received.length, await toldAt()]).toEqual([count, null])
})

test('a server that was never promoted sends no message', async () => {
  await server.app.platform.database.write(async (tx) => {
    await tx.deleteFrom('geo_sync_state').execute()
  })
  expect(await tellFormerPrimary(server.app.platform)).toBeNull()
})
