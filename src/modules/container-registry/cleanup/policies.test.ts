import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ManualClock, manualClock } from '../../../infra/clock/index.ts'
import { onPostgres, type Person, startTestServer, type TestServer } from '../../../testing/index.ts'
import { type RegistryRows, registryRows } from '../images/testing.ts'
import { runPoliciesJob } from './policies.ts'

const dayMs = 86_400_000
const start = '2026-05-01T12:00:00.000Z'

let clock: ManualClock
let server: TestServer
let owner: Person
let rows: RegistryRows

beforeAll(async () => {
  clock = manualClock({ start })
  server = await startTestServer({ clock })
  owner = await server.user('owner')
  rows = registryRows(server)
})
afterAll(() => server.stop())

const iso = (ms: number) => new Date(ms).toISOString()
const drain = () => server.app.platform.jobs.drain()

async function days(count: number): Promise<void> {
  for (let day = 0; day < count; day += 1) {
    clock.advance(dayMs)
    await drain()
  }
}

let number = 0

/** A project with a repository of three old tags and `latest`, and this policy. */
async function projectWithPolicy(policy: Record<string, unknown>) {
  number += 1
  const project = await server.make.project(`p${number}`, owner)
  const id = await rows.repository(project, 'web')
  for (const [index, tag] of ['a', 'b', 'c', 'latest'].entries()) {
    const imageCreatedAt = iso(clock.now().getTime() - (200 - index) * dayMs)
    await rows.image(id, `${number} ${tag}`, { tags: [tag], imageCreatedAt })
  }
  const attributes = { enabled: true, cadence: '1d', keep_n: 1, ...policy }
  const changed = await owner.put(`/projects/${project.id}`, { container_expiration_policy_attributes: attributes })
  expect(changed.status).toBe(200)
  return { project, id }
}

const policyOf = async ({ id }: { id: number }) => (await owner.get(`/projects/${id}`)).body.container_expiration_policy
const startedAt = async (id: number) => (await rows.row(id))?.cleanup_policy_started_at

test('a policy runs when it is due, with its rules, and then again after its cadence', async () => {
  const { project, id } = await projectWithPolicy({ cadence: '7d', name_regex: '[ab]|c', name_regex_keep: 'a' })
  const enabledAt = clock.now().getTime()
  expect((await policyOf(project)).next_run_at).toBe(iso(enabledAt + 7 * dayMs))
  await days(6)
  expect(await rows.tagNames(id)).toEqual(['a', 'b', 'c', 'latest'])
  expect(await startedAt(id)).toBeNull()
  await days(1)
  await expect.poll(() => rows.tagNames(id)).toEqual(['a', 'c', 'latest'])
  expect((await policyOf(project)).next_run_at).toBe(iso(enabledAt + 14 * dayMs))
  const shown = await owner.get(`/registry/repositories/${id}`)
  expect(shown.body.cleanup_policy_started_at).toBe(await startedAt(id))
  expect(Date.parse(shown.body.cleanup_policy_started_at)).toBeGreaterThanOrEqual(enabledAt + 7 * dayMs)
})

test('a run waits while the worker is switched off', async () => {
  const { id } = await projectWithPolicy({})
  await server.root.post('/features/container_registry_cleanup_worker', { value: false })
  await days(1)
  expect(await rows.tagNames(id)).toEqual(['a', 'b', 'c', 'latest'])
  await server.root.delete('/features/container_registry_cleanup_worker')
  clock.advance(60_000)
  await drain()
  expect(await rows.tagNames(id)).toEqual(['c', 'latest'])
})

test('periods that passed while no process ran are made up for by one run', async () => {
  const { project, id } = await projectWithPolicy({})
  const enabledAt = clock.now().getTime()
  clock.advance(10 * dayMs + 1000)
  await Promise.all(Array.from({ length: 3 }, () => runNow()))
  await drain()
  expect(await rows.tagNames(id)).toEqual(['c', 'latest'])
  expect((await policyOf(project)).next_run_at).toBe(iso(enabledAt + 11 * dayMs))
  const first = await startedAt(id)
  clock.advance(1000)
  await runNow()
  expect(await startedAt(id)).toBe(first)
})

const runNow = () => {
  const { signal } = new AbortController()
  return runPoliciesJob.run(server.app.platform, null, { jobId: 0, attempt: 1, signal })
}

test('only repositories without a deletion are cleaned, and other projects are left alone', async () => {
  const { project, id } = await projectWithPolicy({})
  const doomed = await rows.repository(project, 'doomed')
  await rows.change(doomed, { status: 'delete_failed' })
  const other = await projectWithPolicy({ enabled: false })
  await days(1)
  await expect.poll(() => rows.tagNames(id)).toEqual(['c', 'latest'])
  expect(await startedAt(doomed)).toBeNull()
  expect(await startedAt(other.id)).toBeNull()
  expect(await rows.tagNames(other.id)).toHaveLength(4)
})

test('images of an archived project, or of one whose registry is disabled, are kept', async () => {
  const archived = await projectWithPolicy({})
  const disabled = await projectWithPolicy({})
  expect((await owner.post(`/projects/${archived.project.id}/archive`)).status).toBe(201)
  const level = { container_registry_access_level: 'disabled' }
  expect((await owner.put(`/projects/${disabled.project.id}`, level)).status).toBe(200)
  await days(2)
  for (const { id } of [archived, disabled]) {
    expect(await rows.tagNames(id)).toHaveLength(4)
    expect(await startedAt(id)).toBeNull()
  }
  await owner.put(`/projects/${disabled.project.id}`, { container_registry_access_level: 'enabled' })
  await days(1)
  await expect.poll(() => rows.tagNames(disabled.id)).toEqual(['c', 'latest'])
})

test('a pattern that cannot be used any more switches the policy off', async () => {
  const { project, id } = await projectWithPolicy({})
  const { database } = server.app.platform
  const policy = { ...(await policyOf(project)), name_regex: '(?=a)' }
  const settings = JSON.stringify({ container_expiration_policy: policy })
  await database.write((tx) => tx.updateTable('projects').set({ settings }).where('id', '=', project.id).execute())
  await days(1)
  await expect.poll(async () => (await policyOf(project)).enabled).toBe(false)
  expect(await rows.tagNames(id)).toHaveLength(4)
  await days(2)
  expect(await startedAt(id)).toBeNull()
})

test('a bulk deletion and a policy do not limit each other', async () => {
  const { project, id } = await projectWithPolicy({})
  const path = `/projects/${project.id}/registry/repositories/${id}/tags?name_regex_delete=a`
  clock.advance(dayMs)
  expect((await owner.delete(path)).status).toBe(202)
  await drain()
  await expect.poll(() => rows.tagNames(id)).toEqual(['c', 'latest'])
  const started = await startedAt(id)
  clock.advance(3_600_000)
  expect((await owner.delete(path)).status).toBe(202)
  await drain()
  expect(await startedAt(id)).toBe(started)
})

test.skipIf(onPostgres)('due policies are found by an index', async () => {
  const plan = sql<{ detail: string }>`explain query plan select id from projects
    where (settings -> 'container_expiration_policy' -> 'enabled') = 'true'
      and (settings -> 'container_expiration_policy' ->> 'next_run_at') <= 'x' and pending_delete = false
    order by (settings -> 'container_expiration_policy' ->> 'next_run_at') limit 1`
  const { rows: steps } = await plan.execute(server.app.platform.database.read as never)
  expect(steps.map(({ detail }) => detail)).toEqual([expect.stringContaining('USING INDEX projects_cleanup_due')])
})
