import { afterAll, beforeAll, expect, test } from 'vitest'
import { makePeople, startTestServer, type TestServer } from '../../../testing/index.ts'
import { genericOccurrence } from '../payloads/generic.ts'
import { projectWithAlerts } from '../testing.ts'
import { recordOccurrences } from './record.ts'
import { holdReceiving } from './store.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.stop())

test('transactions that do not wait for each other in one queue lead to one alert', async () => {
  const place = await projectWithAlerts(server, await makePeople(server))
  const { platform } = server.app
  // Each with an integration of its own, so that only the fingerprint makes them meet.
  const hooks = await Promise.all(Array.from({ length: 8 }, () => place.integration()))
  const occurrence = genericOccurrence({ fingerprint: 'same' }, [], '2024-01-01T00:00:00.000Z')
  const recorded = await Promise.all(
    hooks.map(({ id }) =>
      platform.database.write(async (tx) => {
        await holdReceiving(tx, [id], '2024-01-01T00:00:00.000Z')
        return recordOccurrences(platform, tx, place.project.id, [{ occurrence, integrationId: id }])
      }),
    ),
  )
  const rows = await platform.database.read
    .selectFrom('alerts')
    .selectAll()
    .where('project_id', '=', place.project.id)
    .execute()
  expect(rows).toMatchObject([{ event_count: 8, status: 'triggered' }])
  expect(recorded).toEqual(recorded.map(() => [{ iid: rows[0]?.iid, title: 'New: Alert' }]))
})
