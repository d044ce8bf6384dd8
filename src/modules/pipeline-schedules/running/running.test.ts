import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import type { Person } from '../../../testing/index.ts'
import { newSchedule, startWithSchedules } from '../testing.ts'
import { runScheduleJob, tickJob } from './running.ts'

let at: Awaited<ReturnType<typeof startWithSchedules>>
beforeAll(async () => {
  at = await startWithSchedules()
})
afterAll(() => at.server.stop())

const minute = 60_000

async function scheduled(cron = '*/10 * * * *', as: Person = at.maintainer, files?: Record<string, string>) {
  const made = await at.projectWith(files)
  const { body } = await as.post(made.path, { ...newSchedule, cron })
  const one = `${made.path}/${body.id}`
  return {
    ...made,
    one,
    get: async () => (await at.owner.get(one)).body,
    pipelines: async (query = '') => (await at.owner.get(`${one}/pipelines${query}`)).body,
  }
}

/** Runs one tick, or several at the same time, and what they have enqueued. */
async function tick(times = 1) {
  const { platform } = at.server.app
  await Promise.all(Array.from({ length: times }, () => tickJob.run(platform, null, {} as never)))
  await platform.jobs.drain()
}

const stored = () => at.server.app.platform.database.read

async function rowOf(pipelineId: number) {
  return stored().selectFrom('pipelines').selectAll().where('id', '=', pipelineId).executeTakeFirstOrThrow()
}

async function keysOf(pipelineId: number) {
  const query = stored().selectFrom('pipeline_variables').select('key').where('pipeline_id', '=', pipelineId)
  return (await query.execute()).map(({ key }) => key)
}

describe('a tick', () => {
  test('creates one pipeline for each due schedule, however many processes tick', async () => {
    const demo = await scheduled()
    await at.maintainer.post(`${demo.one}/variables`, { key: 'K', value: '1' })
    await tick()
    expect(await demo.pipelines()).toEqual([])
    at.clock.advance(10 * minute)
    await tick(3)
    const [pipeline, ...more] = await demo.pipelines()
    expect(more).toEqual([])
    const sha = (await at.owner.get(`${demo.base}/repository/branches/main`)).body.commit.id
    expect(pipeline).toMatchObject({ source: 'scheduled', ref: 'main', sha, status: 'pending' })
    expect(await rowOf(pipeline.id)).toMatchObject({ source: 'schedule', user_id: at.maintainer.id })
    expect(await keysOf(pipeline.id)).toEqual(['K'])
    at.server.app.platform.config.ciScheduleSourceLabel = 'schedule'
    expect(await demo.pipelines()).toMatchObject([{ source: 'schedule' }])
    at.server.app.platform.config.ciScheduleSourceLabel = 'scheduled'
    expect((await demo.get()).last_pipeline.id).toBe(pipeline.id)
    await tick(2)
    expect(await demo.pipelines()).toHaveLength(1)
  })

  test('runs an overdue schedule once after downtime', async () => {
    const demo = await scheduled()
    at.clock.advance(35 * minute)
    await tick()
    expect(await demo.pipelines()).toHaveLength(1)
    expect(Date.parse((await demo.get()).next_run_at)).toBeGreaterThan(at.clock.now().getTime())
  })

  test('leaves inactive schedules, archived projects and projects without pipelines alone', async () => {
    const inactive = await scheduled()
    await at.maintainer.put(inactive.one, { active: false })
    const archived = await scheduled()
    await at.owner.post(`${archived.base}/archive`)
    const archivedBefore = await archived.get()
    const off = await scheduled()
    await at.owner.put(off.base, { builds_access_level: 'disabled' })
    at.clock.advance(10 * minute)
    await tick()
    await at.owner.put(off.base, { builds_access_level: 'enabled' })
    for (const demo of [inactive, archived, off]) expect(await demo.pipelines()).toEqual([])
    expect(archivedBefore.active).toBe(true)
    expect([(await archived.get()).active, (await off.get()).active]).toEqual([true, true])
    await at.owner.post(`${archived.base}/unarchive`)
    at.clock.advance(10 * minute)
    await tick()
    expect(await archived.pipelines()).toHaveLength(1)
  })

  test('leaves a schedule active whose project is archived, or has no pipelines, when its run begins', async () => {
    const [archived, off] = [await scheduled(), await scheduled()]
    await at.owner.post(`${archived.base}/archive`)
    await at.owner.put(off.base, { builds_access_level: 'disabled' })
    for (const { one } of [archived, off]) {
      const run = { scheduleId: Number(one.split('/').at(-1)), runKey: 'late', userId: null }
      await runScheduleJob.run(at.server.app.platform, run, {} as never)
    }
    await at.owner.put(off.base, { builds_access_level: 'enabled' })
    for (const demo of [archived, off]) expect(await demo.get()).toMatchObject({ active: true, last_pipeline: null })
  })

  test('of a worker that is rarer than a schedule creates one pipeline for each of its own times', async () => {
    const { config } = at.server.app.platform
    at.clock.advance(10 * minute - (at.clock.now().getTime() % (10 * minute)))
    config.ciScheduleWorkerCron = '5/15 * * * *'
    const demo = await scheduled('*/2 * * * *')
    const times: string[] = []
    for (let passed = 0; passed < 60; passed += 1) {
      times.push((await demo.get()).next_run_at.slice(14, 16))
      at.clock.advance(minute)
      await tick()
    }
    config.ciScheduleWorkerCron = '* * * * *'
    expect([...new Set(times)].sort()).toEqual(['05', '20', '35', '50'])
    expect(await demo.pipelines()).toHaveLength(4)
  })

  test('waits while the worker is switched off', async () => {
    const demo = await scheduled()
    at.clock.advance(10 * minute)
    await at.server.root.post('/features/pipeline_schedule_worker', { value: false })
    await tick()
    expect(await demo.pipelines()).toEqual([])
    const chosen = await scheduled()
    at.clock.advance(10 * minute)
    const project = chosen.project.full_path
    await at.server.root.post('/features/pipeline_schedule_worker', { value: true, project })
    await tick()
    expect([await demo.pipelines(), await chosen.pipelines()]).toEqual([[], [expect.anything()]])
    await at.server.root.delete('/features/pipeline_schedule_worker')
    await tick()
    expect(await demo.pipelines()).toHaveLength(1)
  })

  test('deactivates a schedule whose owner lost access; one without configuration stays active', async () => {
    const demo = await scheduled()
    await at.owner.delete(`${demo.base}/members/${at.maintainer.id}`)
    const empty = await scheduled('*/10 * * * *', at.maintainer, { 'README.md': 'x' })
    at.clock.advance(10 * minute)
    await tick()
    expect(await demo.get()).toMatchObject({ active: false, last_pipeline: null })
    expect(await empty.get()).toMatchObject({ active: true, last_pipeline: null })
  })

  test('deactivates a schedule whose owner became a reporter', async () => {
    const demo = await scheduled()
    const role = (access_level: number) => at.owner.put(`${demo.base}/members/${at.maintainer.id}`, { access_level })
    expect((await role(20)).status).toBe(200)
    at.clock.advance(10 * minute)
    await tick()
    expect(await demo.get()).toMatchObject({ active: false, last_pipeline: null })
  })

  test('deactivates a schedule on a branch that was protected against its owner', async () => {
    const made = await at.projectWith()
    const { body } = await at.developer.post(made.path, { ...newSchedule, ref: 'topic', cron: '*/10 * * * *' })
    const forMaintainers = { name: 'topic', push_access_level: 40, merge_access_level: 40 }
    expect((await at.owner.post(`${made.base}/protected_branches`, forMaintainers)).status).toBe(201)
    at.clock.advance(10 * minute)
    await tick()
    expect((await at.owner.get(`${made.path}/${body.id}`)).body).toMatchObject({ active: false, last_pipeline: null })
  })

  test('deactivates again what an administrator has switched on for a blocked owner', async () => {
    const blocked = await at.server.user('blocked-owner')
    const made = await at.projectWith()
    await at.server.make.member({ project: made.project }, blocked, 40)
    const { status, body } = await blocked.post(made.path, { ...newSchedule, ref: 'topic', cron: '*/10 * * * *' })
    expect(status).toBe(201)
    const one = `${made.path}/${body.id}`
    expect((await at.server.root.post(`/users/${blocked.id}/block`)).status).toBe(201)
    const on = await at.server.root.put(one, { active: true })
    expect(on).toMatchObject({ status: 200, body: { active: true } })
    at.clock.advance(10 * minute)
    await tick()
    expect((await at.server.root.get(one)).body).toMatchObject({ active: false, last_pipeline: null })
  })

  test('deactivates a schedule whose time zone no longer exists', async () => {
    const demo = await scheduled()
    const id = Number(demo.one.split('/').at(-1))
    await at.server.app.platform.database.write((tx) =>
      tx.updateTable('pipeline_schedules').set({ cron_timezone: 'Mars/Olympus' }).where('id', '=', id).execute(),
    )
    at.clock.advance(10 * minute)
    await tick()
    expect(await demo.get()).toMatchObject({ active: false, last_pipeline: null })
  })

  test('a repeated run creates no second pipeline', async () => {
    const demo = await scheduled()
    const { platform } = at.server.app
    const id = Number(demo.one.split('/').at(-1))
    const run = { scheduleId: id, runKey: 'one', userId: null }
    await runScheduleJob.run(platform, run, {} as never)
    await runScheduleJob.run(platform, run, {} as never)
    expect(await demo.pipelines()).toHaveLength(1)
  })
})

describe('an owner who leaves', () => {
  test.each([
    ['is blocked', (id: number) => at.server.root.post(`/users/${id}/block`)],
    ['is banned', (id: number) => at.server.root.post(`/users/${id}/ban`)],
    ['is deleted', (id: number) => at.server.root.delete(`/users/${id}`)],
    ['is deleted with all contributions', (id: number) => at.server.root.delete(`/users/${id}?hard_delete=true`)],
  ])('and %s has no active schedule at once, before any job has run', async (name, leave) => {
    const leaver = await at.server.user(`who-${name.replaceAll(' ', '-')}`)
    const made = await at.projectWith()
    await at.server.make.member({ project: made.project }, leaver, 40)
    const { body } = await leaver.post(made.path, newSchedule)
    // Jobs that are due cannot run meanwhile: a pause between the answer and the query does not hide a late change.
    const holder = vi.spyOn(at.server.app.platform.ports, 'users.remove_projects').mockRejectedValue(new Error('held'))
    expect((await leave(leaver.id)).status).toBeLessThan(300)
    expect((await at.owner.get(`${made.path}/${body.id}`)).body.active).toBe(false)
    holder.mockRestore()
  })

  test('is also the bot of a token that is revoked', async () => {
    const made = await at.projectWith()
    const tokens = `${made.base}/access_tokens`
    const access = { name: 'ci', scopes: ['api'], access_level: 40, expires_at: '2026-06-01' }
    const token = (await at.owner.post(tokens, access)).body
    const { body } = await at.server.as(token.token).post(made.path, newSchedule)
    expect(body.active).toBe(true)
    expect((await at.owner.delete(`${tokens}/${token.id}`)).status).toBe(204)
    expect((await at.owner.get(`${made.path}/${body.id}`)).body.active).toBe(false)
  })
})

describe('the clock', () => {
  test('starts what is due on the minute, whenever the server started', async () => {
    const { clock } = at
    clock.advance(minute - (clock.now().getTime() % minute) + 17_000)
    // As a start at this moment does.
    const { database, jobs } = at.server.app.platform
    await jobs.drain()
    await database.write((tx) => tx.deleteFrom('recurring_jobs').execute())
    await jobs.schedule()
    const demo = await scheduled('* * * * *')
    for (const seconds of [43, 60]) {
      clock.advance(seconds * 1000)
      await jobs.drain()
    }
    const starts = (await demo.pipelines()).map((one: { created_at: string }) => one.created_at.slice(17))
    expect(starts).toEqual(['00.000Z', '00.000Z'])
  })
})

describe('playing a schedule', () => {
  test('creates a pipeline as the caller, also of an inactive schedule', async () => {
    const demo = await scheduled('0 1 * * *')
    await at.maintainer.put(demo.one, { active: false })
    const before = (await demo.get()).next_run_at
    expect(await at.owner.post(`${demo.one}/play`)).toMatchObject({ status: 201, body: { message: '201 Created' } })
    await at.server.app.platform.jobs.drain()
    const [pipeline] = await demo.pipelines()
    expect((await rowOf(pipeline.id)).user_id).toBe(at.owner.id)
    expect((await demo.get()).next_run_at).toBe(before)
    expect((await at.owner.delete(demo.one)).status).toBe(204)
    expect((await rowOf(pipeline.id)).schedule_id).toBeNull()
  })

  test('is limited for each user and schedule where the configuration says so', async () => {
    const [demo, other] = [await scheduled('0 1 * * *'), await scheduled('0 1 * * *')]
    const { config } = at.server.app.platform
    config.ciSchedulePlayPerMinute = 1
    at.clock.advance(minute - (at.clock.now().getTime() % minute) + 15_000)
    expect((await at.reporter.post(`${demo.one}/play`)).status).toBe(403)
    expect((await at.owner.post(`${demo.one}/play`)).status).toBe(201)
    const refused = await at.owner.post(`${demo.one}/play`)
    expect(refused).toMatchObject({
      status: 429,
      body: { message: { error: 'This endpoint has been requested too many times. Try again later.' } },
    })
    expect(refused.headers.get('retry-after')).toBe('45')
    expect((await at.maintainer.post(`${demo.one}/play`)).status).toBe(201)
    expect((await at.owner.post(`${other.one}/play`)).status).toBe(201)
    at.clock.advance(minute)
    expect((await at.owner.post(`${demo.one}/play`)).status).toBe(201)
    config.ciSchedulePlayPerMinute = 0
  })

  test('needs access to a protected ref', async () => {
    const demo = await scheduled()
    await at.owner.delete(`${demo.base}/protected_branches/main`)
    await at.owner.post(`${demo.base}/protected_branches`, {
      name: 'main',
      push_access_level: 40,
      merge_access_level: 40,
    })
    expect((await at.developer.post(`${demo.one}/play`)).status).toBe(403)
    expect((await at.reporter.post(`${demo.one}/play`)).status).toBe(403)
  })
})
