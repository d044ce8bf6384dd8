/** Numbers of background jobs (contract 25, Job metrics, and step 14 of the acceptance walk). */
import { hostname } from 'node:os'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type ManualClock, manualClock } from '../../infra/clock/index.ts'
import { startTestServer, type TestServer } from '../../testing/index.ts'
import { makeFailedJob } from './testing.ts'

const start = '2026-03-01T12:00:00.000Z'
let clock: ManualClock
let server: TestServer
beforeAll(async () => {
  clock = manualClock({ start })
  server = await startTestServer({ clock })
})
afterAll(() => server.stop())
beforeEach(() => server.app.platform.database.write((tx) => tx.deleteFrom('jobs').execute()))

const read = async (name: string) => (await server.root.get(`/sidekiq/${name}`)).body
const pending = { state: 'pending', attempts: 0, last_error: null } as const

test('queues show what is due, and for how long the oldest waits', async () => {
  await makeFailedJob(server, { ...pending, run_at: '2026-03-01T11:59:00.500Z' })
  await makeFailedJob(server, { ...pending, run_at: '2026-03-01T11:59:59.000Z' })
  await makeFailedJob(server, { ...pending, run_at: '2026-03-01T12:00:01.000Z' })
  await makeFailedJob(server)
  const { queues } = await read('queue_metrics')
  expect(queues.default).toEqual({ backlog: 2, latency: 59 })
  expect(queues.mail).toEqual({ backlog: 0, latency: 0 })
})

test('processes are this one, and those whose leases hold', async () => {
  const lease = { state: 'running', lease_owner: 'other.example:77', lease_until: '2026-03-01T12:00:30.000Z' } as const
  await makeFailedJob(server, lease)
  await makeFailedJob(server, { ...lease, queue: 'mail' })
  await makeFailedJob(server, { ...lease, lease_owner: 'dead.example:1', lease_until: '2026-03-01T11:59:59.000Z' })
  const { processes } = await read('process_metrics')
  expect(processes).toHaveLength(2)
  const [own, other] = processes
  expect(own).toMatchObject({ hostname: hostname(), pid: process.pid, tag: 'fennec', labels: [], busy: 0 })
  expect(own.started_at).toEqual(expect.any(String))
  expect(own.queues).toContain('default')
  expect(own.concurrency).toBeGreaterThan(own.queues.length)
  expect(other).toMatchObject({ hostname: 'other.example', pid: 77, busy: 2, started_at: null })
})

test('ended runs are counted: those that ended well, and those that failed', async () => {
  const { database, jobs } = server.app.platform
  const before = (await read('job_stats')).jobs
  await makeFailedJob(server, { ...pending, run_at: '2026-03-02T12:00:00.000Z' })
  await makeFailedJob(server)
  await makeFailedJob(server, { ...pending })
  await makeFailedJob(server, { ...pending, kind: 'mail.deliver', queue: 'mail', payload: '{"sealed":"wrong"}' })
  expect((await read('job_stats')).jobs).toMatchObject({ enqueued: 3, dead: 1 })
  await jobs.drain()
  const after = (await read('job_stats')).jobs
  expect(after).toEqual({ processed: before.processed + 1, failed: before.failed + 1, enqueued: 2, dead: 1 })
  const rows = await database.read.selectFrom('job_counts').select('shard').execute()
  expect(rows.length).toBeLessThanOrEqual(16)
})

test('all of them are one answer, for administrators only', async () => {
  const user = await server.user('reader')
  expect(Object.keys(await read('compound_metrics'))).toEqual(['queues', 'processes', 'jobs'])
  for (const name of ['queue_metrics', 'process_metrics', 'job_stats', 'compound_metrics']) {
    expect((await user.get(`/sidekiq/${name}`)).status, name).toBe(403)
    expect((await server.anonymous.get(`/sidekiq/${name}`)).status, name).toBe(401)
  }
})
