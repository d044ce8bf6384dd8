import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type ManualClock, manualClock } from '../../infra/clock/index.ts'
import type { JobRow } from '../../infra/jobs/index.ts'
import { startTestServer, type TestServer } from '../../testing/index.ts'
import { idleKind, makeFailedJob } from './testing.ts'

const start = '2026-03-01T12:00:00.000Z'
const path = '/admin/background_jobs'
let clock: ManualClock
let server: TestServer
beforeAll(async () => {
  clock = manualClock({ start })
  server = await startTestServer({ clock })
})
afterAll(() => server.stop())
beforeEach(() => server.app.platform.database.write((tx) => tx.deleteFrom('jobs').execute()))

const error = 'Error: <b>no</b> space'
const failed = (row: Partial<JobRow> = {}) => makeFailedJob(server, { last_error: error, ...row })
/** Stores a job that waits for tomorrow. */
const waiting = (row: Partial<JobRow> = {}) => {
  const tomorrow = '2026-03-02T12:00:00.000Z'
  return makeFailedJob(server, { state: 'pending', attempts: 0, last_error: null, run_at: tomorrow, ...row })
}
const notFailed = { status: 409, body: { message: 'The job has not failed' } }

describe('the list', () => {
  test('has the jobs by state and queue, the latest first, without their payloads', async () => {
    const later = await waiting({ payload: '{"token":"secret"}' })
    const broken = await failed({ queue: 'mail' })
    const { status, body, headers } = await server.root.get(path)
    expect([status, headers.get('x-total')]).toEqual([200, '2'])
    expect(body).toEqual([
      {
        ...{ id: broken, queue: 'mail', kind: idleKind, state: 'failed', attempts: 4, max_attempts: 4, process: null },
        ...{ last_error: error, created_at: start, updated_at: start, run_at: expect.any(String) },
      },
      expect.objectContaining({ id: later, state: 'pending', last_error: null }),
    ])
    expect(JSON.stringify(body)).not.toContain('secret')
    const idsOf = async (query: string) => (await server.root.get(`${path}?${query}`)).body.map(({ id }: JobRow) => id)
    expect(await idsOf('state=failed')).toEqual([broken])
    expect(await idsOf('queue=default')).toEqual([later])
    expect(await idsOf('queue=default&state=failed')).toEqual([])
    expect(await idsOf("queue=' or 1=1 --")).toEqual([])
    expect(await server.root.get(`${path}?state=gone`)).toMatchObject({
      status: 400,
      body: { error: 'state does not have a valid value' },
    })
  })
})

test('queues are counted, with the time since when a job is due', async () => {
  await waiting({ run_at: '2026-03-01T11:00:00.000Z', queue: 'mail' })
  await failed({ run_at: '2026-03-01T10:00:00.000Z', queue: 'mail' })
  await waiting({ queue: 'mail' })
  const { status, body } = await server.root.get('/admin/background_queues')
  expect(status).toBe(200)
  const names = body.map(({ name }: { name: string }) => name)
  expect(names).toEqual(names.toSorted())
  const mail = { name: 'mail', pending: 2, running: 0, failed: 1, due_since: '2026-03-01T11:00:00.000Z' }
  expect(body).toContainEqual(mail)
  expect(body).toContainEqual({ name: 'maintenance', pending: 0, running: 0, failed: 0, due_since: null })
})

test('the metrics count the jobs of each queue, and say since when one is due', async () => {
  await waiting({ run_at: '2026-03-01T11:00:00.000Z', queue: 'mail' })
  await failed({ queue: 'mail' })
  const { body } = await server.anonymous.get('/-/metrics')
  expect(String(body).match(/^fennec_jobs.*queue="mail".*/gm)).toEqual([
    'fennec_jobs{queue="mail",state="pending"} 1',
    'fennec_jobs{queue="mail",state="running"} 0',
    'fennec_jobs{queue="mail",state="failed"} 1',
    'fennec_jobs_overdue_seconds{queue="mail"} 3600',
  ])
  expect(body).toContain('fennec_jobs_overdue_seconds{queue="maintenance"} 0')
})

describe('a failed job', () => {
  test('runs again with all its attempts', async () => {
    const id = await failed()
    const answer = await server.root.post(`${path}/${id}/retry`)
    expect(answer).toMatchObject({ status: 201, body: { id, state: 'pending', attempts: 0, run_at: start } })
    await server.app.platform.jobs.drain()
    expect((await server.root.get(path)).body).toEqual([])
  })

  test('runs again once when two ask for it', async () => {
    const id = await failed({ kind: 'unknown' })
    const answers = await Promise.all([1, 2].map(() => server.root.post(`${path}/${id}/retry`)))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 409])
  })

  test('does not run again while the same one waits', async () => {
    const id = await failed({ unique_key: 'a' })
    await waiting({ unique_key: 'a' })
    const body = { message: 'The same job waits or runs already' }
    expect(await server.root.post(`${path}/${id}/retry`)).toMatchObject({ status: 409, body })
    expect((await server.root.get(`${path}?state=failed`)).body).toHaveLength(1)
  })

  test('is forgotten', async () => {
    const id = await failed()
    expect((await server.root.delete(`${path}/${id}`)).status).toBe(204)
    expect((await server.root.delete(`${path}/${id}`)).status).toBe(404)
  })
})

describe.each(['post', 'delete'] as const)('%s', (method) => {
  const of = (id: number | string) => (method === 'post' ? `${path}/${id}/retry` : `${path}/${id}`)

  test('is refused for a job that has not failed, and for none', async () => {
    const id = await waiting()
    expect(await server.root[method](of(id))).toMatchObject(notFailed)
    expect(await server.root[method](of(id + 1))).toMatchObject({ status: 404, body: { message: '404 Not found' } })
    expect((await server.root[method](of('x'))).status).toBe(400)
    expect((await server.root.get(path)).body).toHaveLength(1)
  })

  test('is for administrators', async () => {
    const id = await failed()
    const user = await server.user(`wrong-${method}`)
    expect((await user[method](of(id))).status).toBe(403)
    expect((await server.anonymous[method](of(id))).status).toBe(401)
    expect((await user.get(path)).status).toBe(403)
    expect((await server.anonymous.get('/admin/background_queues')).status).toBe(401)
    expect((await server.root.get(path)).body).toMatchObject([{ id, state: 'failed' }])
  })
})
