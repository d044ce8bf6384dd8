import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ManualClock, manualClock } from '../../infra/clock/index.ts'
import { mostBackups, recordBackup } from '../../platform/instance/store.ts'
import { startTestServer, type TestServer } from '../../testing/index.ts'

const start = '2026-03-01T12:00:00.000Z'
let clock: ManualClock
let server: TestServer
beforeAll(async () => {
  clock = manualClock({ start })
  server = await startTestServer({ clock, isOwn: true })
})
afterAll(() => server.stop())

test('the readiness says in sentences what does not work', async () => {
  expect((await server.root.get('/admin/readiness')).body).toEqual({ ready: true, failing: [] })
  const { monitored } = server.app.platform
  const { failing } = monitored
  const away = { check: 'storages', message: 'the folder of the storage fast is not mounted', shard: 'fast' } as const
  const bearable = { check: 'primary', message: 'the primary is away', isBearable: true } as const
  try {
    monitored.failing = async () => [bearable]
    expect((await server.root.get('/admin/readiness')).body).toMatchObject({
      ready: true,
      failing: [{ check: 'primary' }],
    })
    monitored.failing = async () => [away, bearable]
    expect((await server.root.get('/admin/readiness')).body).toEqual({
      ready: false,
      failing: [
        { check: 'storages', message: away.message, storage: 'fast' },
        { check: 'primary', message: bearable.message, storage: null },
      ],
    })
  } finally {
    monitored.failing = failing
  }
})

test('the load has the requests and the jobs of each full minute', async () => {
  await server.root.get('/version')
  clock.advance(60_000)
  const { status, body } = await server.root.get('/admin/load')
  expect(status).toBe(200)
  const { requests, memory_bytes, ...rest } = body[0]
  expect(requests).toBeGreaterThan(0)
  expect(memory_bytes).toBeGreaterThan(1_000_000)
  const counts = { errors: 0, jobs_failed: 0, jobs_done: expect.any(Number), event_loop_delay_ms: expect.any(Number) }
  expect(rest).toEqual({ at: start, ...counts })
})

test('the space of each folder is told, and of one that does not answer that it is not known', async () => {
  const { config } = server.app.platform
  const { body } = await server.root.get('/admin/space')
  const kinds = body.map(({ name, kind }: { name: string; kind: string }) => `${name} ${kind}`)
  expect(kinds).toContain('default repositories')
  expect(kinds).toContain('data data')
  for (const { total_bytes, free_bytes } of body) {
    expect(total_bytes).toBeGreaterThan(0)
    expect(free_bytes).toBeLessThanOrEqual(total_bytes)
  }
  const { data } = config
  try {
    Object.assign(config, { data: '/nowhere/at/all' })
    const [last] = (await server.root.get('/admin/space')).body.slice(-1)
    expect(last).toEqual({ name: 'data', kind: 'data', total_bytes: null, free_bytes: null, nearly_full: false })
  } finally {
    Object.assign(config, { data })
  }
})

describe('backups', () => {
  const times = { started_at: start, finished_at: '2026-03-01T12:05:00.000Z' }

  test('are listed, the latest first, as many as are stored', async () => {
    expect((await server.root.get('/admin/backups')).body).toEqual([])
    const { database } = server.app.platform
    for (let made = 0; made < mostBackups + 3; made += 1) {
      const backup = {
        path: `/backups/${made}.fennec`,
        size_bytes: 7_000_000_000 + made,
        is_incremental: made % 2 === 1,
      }
      await database.write((tx) => recordBackup(tx, { ...backup, ...times }))
    }
    const { body, headers } = await server.root.get('/admin/backups?per_page=2')
    expect(headers.get('x-total')).toBe(String(mostBackups))
    expect(body).toEqual([
      { id: expect.any(Number), path: '/backups/102.fennec', size_bytes: 7_000_000_102, incremental: false, ...times },
      { id: expect.any(Number), path: '/backups/101.fennec', size_bytes: 7_000_000_101, incremental: true, ...times },
    ])
  })
})
