/** What holds jobs that deploy up: asked as when a job is about to start. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startWithDeployments } from '../testing.ts'
import { holdsOfJobs } from './holds.ts'

let at: Awaited<ReturnType<typeof startWithDeployments>>
beforeAll(async () => {
  at = await startWithDeployments()
})
afterAll(() => at.server.stop())

const config = `
deploy: {script: x, environment: {name: live}}
look: {script: x, environment: {name: live, action: verify}}
use: {script: x, environment: {name: live, action: access}}
prepare: {script: x, environment: {name: live, action: prepare}}
other: {script: x, environment: {name: elsewhere}}
plain: {script: x}
`
const names = ['deploy', 'look', 'use', 'prepare', 'other', 'plain'] as const

/** A project with a pipeline, and what would hold its jobs up if someone started them. */
async function made() {
  const project = await at.pushed(config)
  const pipeline = await project.pipeline()
  async function holds(
    userId: number | null,
    { administrator, id = pipeline }: { administrator?: boolean; id?: number } = {},
  ) {
    const jobs = await Promise.all(names.map(async (name) => [name, (await project.latest(id, name)).id] as const))
    const starting = jobs.map(([, job]) => ({
      id: job,
      user_id: userId,
      ...(administrator !== undefined && { administrator }),
    }))
    const { platform } = at.server.app
    const found = await holdsOfJobs(platform, platform.database.read, starting as never)
    return Object.fromEntries(jobs.flatMap(([name, job]) => (found.has(job) ? [[name, found.get(job)]] : [])))
  }
  const protect = async (values: object) => {
    const given = { name: 'live', ...values }
    expect((await at.owner.post(`${project.base}/protected_environments`, given)).status).toBe(201)
  }
  return { ...project, holds, protect, first: pipeline }
}

const notAllowed = { deploy: 'protected_environment_failure', prepare: 'protected_environment_failure' }

test('nothing holds jobs of open environments up, also without a user', async () => {
  const { holds } = await made()
  expect(await holds(at.developer.id)).toEqual({})
  expect(await holds(null)).toEqual({})
  expect(await holds(4_000_000)).toEqual({})
})

test('only those who may deploy start what changes a protected environment', async () => {
  const { holds, protect } = await made()
  await protect({ deploy_access_levels: [{ user_id: at.maintainer.id }] })
  expect(await holds(at.maintainer.id)).toEqual({})
  for (const id of [at.owner.id, null, 4_000_000]) expect(await holds(id)).toEqual(notAllowed)
})

test('administrators deploy where they alone may, as the request or the account says', async () => {
  const { holds, protect } = await made()
  await protect({ deploy_access_levels: [{ access_level: 60 }] })
  expect(await holds(1)).toEqual({})
  expect(await holds(1, { administrator: false })).toEqual(notAllowed)
  expect(await holds(at.owner.id, { administrator: true })).toEqual({})
  expect(await holds(at.owner.id)).toEqual(notAllowed)
})

test('a deployment is held up until its approvals are there', async () => {
  const { base, holds, protect } = await made()
  const rules = [{ user_id: at.maintainer.id }, { user_id: at.developer.id }]
  await protect({ deploy_access_levels: [{ access_level: 30 }], approval_rules: rules })
  const { body } = await at.owner.get(`${base}/deployments?environment=live`)
  const [deployment] = body
  const approve = (person: typeof at.owner) =>
    person.post(`${base}/deployments/${deployment.id}/approval`, { status: 'approved' })
  expect(await holds(at.owner.id)).toEqual({ deploy: 'approval' })
  expect((await approve(at.maintainer)).status).toBe(201)
  expect(await holds(at.owner.id)).toEqual({ deploy: 'approval' })
  expect((await approve(at.developer)).status).toBe(201)
  expect(await holds(at.owner.id)).toEqual({})
  await at.server.app.platform.database.write((tx) =>
    tx.deleteFrom('deployments').where('id', '=', deployment.id).execute(),
  )
  expect(await holds(at.owner.id)).toEqual({ deploy: 'approval' })
})

test('a job does not deploy after one of a newer pipeline, unless the order does not matter', async () => {
  const { base, first, holds, run } = await made()
  const { body: newer } = await at.owner.post(`${base}/pipeline`, { ref: 'main' })
  await at.drain()
  expect(await holds(at.owner.id)).toEqual({})
  await run('deploy', 'success', newer.id)
  expect(await holds(at.owner.id)).toEqual({ deploy: 'failed_outdated_deployment_job' })
  expect(await holds(at.owner.id, { id: newer.id })).toEqual({})
  expect(first).toBeLessThan(newer.id)
  await at.owner.put(base, { ci_forward_deployment_enabled: false })
  expect(await holds(at.owner.id)).toEqual({})
})
