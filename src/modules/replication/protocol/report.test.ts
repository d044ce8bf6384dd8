import { afterAll, beforeAll, expect, test } from 'vitest'
import { manualClock } from '../../../index.ts'
import { startTestServer, type TestServer } from '../../../testing/index.ts'
import { nodeByAccessKey } from '../nodes/store.ts'
import type { NodeRow } from '../tables.ts'
import { makePrimary, makeSecondary, removeNodes } from '../testing.ts'
import { storeReport } from './report.ts'

let server: TestServer
let node: NodeRow
beforeAll(async () => {
  server = await startTestServer()
  await makePrimary(server)
  const { credentials } = await makeSecondary(server.root, { name: 'second', url: 'http://second.test' })
  node = (await nodeByAccessKey(server.app.platform.database.read, credentials.access_key)) as NodeRow
})
afterAll(async () => {
  await removeNodes(server)
  await server.stop()
})

const start = '2026-01-01T00:00:00.999Z'

/** The status of a secondary that has reported. */
async function statusAfter(report: Record<string, unknown>) {
  const platform = { ...server.app.platform, clock: manualClock({ start }) }
  expect(await storeReport(platform, node, report)).toEqual({ message: '201 Created' })
  const query = platform.database.read.selectFrom('geo_node_statuses').select(['status', 'reported_at'])
  return query.where('node_id', '=', node.id).executeTakeFirstOrThrow()
}

test.each<[unknown, unknown]>([
  ['text', 'text'],
  ['x'.repeat(1000), 'x'.repeat(1000)],
  ['x'.repeat(1001), 'x'.repeat(1000)],
  ['', ''],
  [0, 0],
  [-3, -3],
  [Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER],
  [Number.MAX_SAFE_INTEGER + 1, null],
  [1.5, null],
  [true, true],
  [false, false],
  [null, null],
  [undefined, null],
  [['text'], null],
  [{ a: 1 }, null],
])('of the member %j of a report, %j is stored', async (sent, stored) => {
  const { status } = await statusAfter({ version: sent })
  expect(status.version).toBe(stored)
})

test('a report is stored at the time of the primary, without unknown members', async () => {
  const { status, reported_at } = await statusAfter({ unknown: 1, updated_at: 'x', projects_count: 9 })
  expect(reported_at).toBe(start)
  expect(status).toMatchObject({
    ...{ updated_at: start, projects_count: 0 },
    last_successful_status_check_timestamp: Date.parse('2026-01-01T00:00:00Z') / 1000,
  })
  expect(status).not.toHaveProperty('unknown')
})
