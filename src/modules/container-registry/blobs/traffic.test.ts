import { expect, test } from 'vitest'
import { manualClock } from '../../../infra/clock/index.ts'
import { startTestServer } from '../../../testing/index.ts'
import { blobOf, registryOf } from '../http/testing.ts'

test('the metrics count bytes of blobs, stored and shared', async () => {
  const clock = manualClock({ start: '2026-03-04T05:06:07Z' })
  await using server = await startTestServer({ clock, isOwn: true })
  await server.make.project('p', await server.user('owner'))
  const { send } = registryOf(server)
  const metrics = async () => {
    const { body } = await server.anonymous.get('/-/metrics')
    const lines = [...String(body).matchAll(/^fennec_registry_(\w+) (\S+)$/gm)]
    return Object.fromEntries(lines.map(([, name, value]) => [name, Number(value)]))
  }
  expect(await metrics()).toEqual({ pulled_bytes_total: 0, pushed_bytes_total: 0, stored_bytes: 0, linked_bytes: 0 })
  const push = async (name: string, content: string) => {
    const { digest } = blobOf(content)
    await send('POST', `${name}/blobs/uploads/?digest=${digest}`, { scope: `${name}:*`, body: content })
    return digest
  }
  const digest = await push('owner/p/a', 'x'.repeat(100))
  await push('owner/p/b', 'x'.repeat(100))
  await push('owner/p/b', 'y'.repeat(7))
  await send('GET', `owner/p/a/blobs/${digest}`, { scope: 'owner/p/a:pull', headers: { Range: 'bytes=0-9' } })
  await send('GET', `owner/p/a/blobs/${digest}`, { scope: 'owner/p/a:pull' })
  const bytes = { pulled_bytes_total: 110, pushed_bytes_total: 207 }
  expect(await metrics()).toEqual({ ...bytes, stored_bytes: 0, linked_bytes: 0 })
  clock.advance(3_600_000)
  expect(await metrics()).toEqual({ ...bytes, stored_bytes: 107, linked_bytes: 207 })
})
