import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ManualClock, manualClock } from '../src/infra/clock/index.ts'
import { type ChangeableClock, changeableClock } from '../src/testing/changeable-clock.ts'
import { type Person, startTestServer, type TestServer } from '../src/testing/index.ts'

const minuteMs = 60_000
const dayMs = 86_400_000
const yearMs = 365 * dayMs
const right = '2026-03-04T10:00:30.000Z'

let clock: ChangeableClock
let server: TestServer
let owner: Person
beforeAll(async () => {
  clock = changeableClock()
  clock.change(manualClock({ start: right }))
  server = await startTestServer({ clock, isOwn: true })
  owner = await server.user('owner')
})
afterAll(() => server.stop())

const at = (ms: number) => new Date(Date.parse(right) + ms).toISOString()

/** Runs what is due at a time, which may be before the last one. */
async function tickAt(iso: string): Promise<ManualClock> {
  const manual = manualClock({ start: iso })
  clock.change(manual)
  await server.app.platform.jobs.drain()
  return manual
}

async function stored<Row>(query: ReturnType<typeof sql<Row>>): Promise<Row[]> {
  return (await query.execute(server.app.platform.database.read as never)).rows
}

test('a clock that was a year ahead leaves no time at which work begins in the future', async () => {
  const { database } = server.app.platform
  const project = await server.make.project('project', owner)
  const base = `/projects/${project.id}`
  const schedule = { description: 'd', ref: 'main', cron: '0 * * * *', cron_timezone: 'UTC' }
  const ahead = at(yearMs)
  await tickAt(ahead)
  const made = await owner.post(`${base}/pipeline_schedules`, schedule)
  expect(made.body.next_run_at).toBe(at(yearMs - 30_000 + 60 * minuteMs))
  const policy = { cadence: '7d', enabled: true, keep_n: 1, older_than: '7d', name_regex: '.*' }
  await owner.put(base, { container_expiration_policy_attributes: policy })
  const hook = (await owner.post(`${base}/hooks`, { url: 'http://example.com/' })).body
  const mirror = await owner.post(`${base}/remote_mirrors`, { url: 'https://example.com/a.git' })
  expect(mirror.status).toBe(201)
  await database.write(async (tx) => {
    const later = at(yearMs + minuteMs)
    await sql`update remote_mirrors set due_at = ${later}`.execute(tx)
    await sql`update web_hooks set disabled_until = ${later}, lease_until = ${later}, lease_job_id = 1
      where id = ${hook.id}`.execute(tx)
    await sql`insert into registry_repositories (project_id, name, path, created_at, status, retry_at, bulk_deletion_at)
      values (${project.id}, 'a', 'owner/project/a', ${ahead}, 'delete_failed', ${later}, ${ahead})`.execute(tx)
    await sql`update users set locked_until = ${later} where id = ${owner.id}`.execute(tx)
  })
  await tickAt(ahead)
  await tickAt(at(0))
  expect((await owner.get(`${base}/pipeline_schedules/${made.body.id}`)).body.next_run_at).toBe(
    '2026-03-04T11:00:00.000Z',
  )
  expect((await owner.get(base)).body.container_expiration_policy.next_run_at).toBe(at(7 * dayMs))
  // It was due: the run of a mirror that is switched off has ended its waiting.
  expect(await stored(sql`select due_at from remote_mirrors`)).toEqual([{ due_at: null }])
  expect(await stored(sql`select disabled_until, lease_until from web_hooks`)).toEqual([
    { disabled_until: at(0), lease_until: at(0) },
  ])
  expect(await stored(sql`select retry_at, bulk_deletion_at from registry_repositories`)).toEqual([
    { retry_at: at(0), bulk_deletion_at: at(0) },
  ])
  expect((await server.root.get(`/users/${owner.id}`)).body.locked).toBe(false)
})

test('a clock that goes on leaves times as they are', async () => {
  const project = await server.make.project('another', owner)
  const path = `/projects/${project.id}/pipeline_schedules`
  const yearly = { description: 'd', ref: 'main', cron: '0 0 1 1 *', cron_timezone: 'UTC' }
  const { body } = await owner.post(path, yearly)
  expect(body.next_run_at).toBe('2027-01-01T00:00:00.000Z')
  await tickAt(at(minuteMs))
  await tickAt(at(0))
  expect((await owner.get(`${path}/${body.id}`)).body.next_run_at).toBe(body.next_run_at)
})

test('the use of a token and the activity of its user are noted again after the clock was put back', async () => {
  const used = () =>
    stored(sql`select last_used_at, last_activity_on from access_tokens
    join users on users.id = access_tokens.user_id where users.id = ${owner.id}`)
  await tickAt(at(yearMs))
  await owner.get('/user')
  expect(await used()).toMatchObject([{ last_used_at: at(yearMs), last_activity_on: '2027-03-04' }])
  await tickAt(at(0))
  await owner.get('/user')
  expect(await used()).toMatchObject([{ last_used_at: at(0), last_activity_on: '2026-03-04' }])
})
