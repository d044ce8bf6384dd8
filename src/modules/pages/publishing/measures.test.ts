import { expect, test } from 'vitest'
import { manualClock } from '../../../infra/clock/index.ts'
import { startTestServer } from '../../../testing/index.ts'
import { makeDeployment } from '../testing.ts'

test('the metrics add up the bytes of sites, hourly', async () => {
  const clock = manualClock({ start: '2026-03-04T05:06:07Z' })
  await using server = await startTestServer({ clock, isOwn: true })
  const owner = await server.user('owner')
  const stored = async () => {
    const { body } = await server.anonymous.get('/-/metrics')
    return /^fennec_pages_stored_bytes (\S+)$/m.exec(String(body))?.[1]
  }
  expect(await stored()).toBe('0')
  for (const name of ['a', 'b']) await makeDeployment(server, (await server.make.project(name, owner)).id)
  clock.advance(3_599_000)
  expect(await stored()).toBe('0')
  clock.advance(1_000)
  expect(await stored()).toBe('4')
})
