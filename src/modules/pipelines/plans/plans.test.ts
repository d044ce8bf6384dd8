import { afterAll, beforeAll, expect, test } from 'vitest'
import { manualClock } from '../../../infra/clock/index.ts'
import { type Person, queriesOf, startTestServer, type TestServer } from '../../../testing/index.ts'
import { finishJob, transitionJob } from '../processing/job-changes.ts'
import { projectWithConfig } from '../testing.ts'

const config = `
stages: [build, test, deploy]
early: {stage: test, needs: [], script: a}
compile: {stage: build, script: make, resource_group: machine, timeout: 30 minutes}
check: {stage: test, needs: [compile], dependencies: [compile], script: a}
publish:
  stage: deploy
  script: secret script
  when: manual
  environment: {name: production, url: "https://example.com"}
  variables: {KEY: secret}
`

const clock = manualClock({ start: '2026-03-01T12:00:00.000Z' })
let server: TestServer
let owner: Person
let base: string
let pipelineId: number
beforeAll(async () => {
  server = await startTestServer({ clock })
  owner = await server.user('owner')
  const project = await projectWithConfig(server, owner, 'planned', config)
  await server.app.platform.jobs.drain()
  base = `/projects/${project.id}`
  pipelineId = (await owner.get(`${base}/pipelines`)).body[0].id
})
afterAll(() => server.stop())

async function end(name: string, state: 'success' | 'failed') {
  const { platform } = server.app
  const { database } = platform
  // A retried job is enqueued in the background.
  await platform.jobs.drain()
  const latest = database.read.selectFrom('ci_jobs').selectAll().where('pipeline_id', '=', pipelineId)
  const job = await latest.where('name', '=', name).where('retried', '=', false).executeTakeFirstOrThrow()
  expect(await database.write((tx) => transitionJob(platform, tx, job, 'run'))).not.toBeNull()
  clock.advance(10_000)
  await finishJob(platform, job, { state })
  return job.id
}

test('x.pipelines_plan lists the latest jobs by stages, with what they wait for', async () => {
  const failed = await end('compile', 'failed')
  await owner.post(`${base}/jobs/${failed}/retry`)
  await end('compile', 'failed')
  const sha = (await owner.get(`${base}/repository/commits/main`)).body.id
  const status = { state: 'success', name: 'outside', target_url: 'https://ci.example/1', pipeline_id: pipelineId }
  expect((await owner.post(`${base}/statuses/${sha}`, status)).status).toBe(201)
  const { body } = await owner.get(`${base}/pipelines/${pipelineId}/plan`)
  const facts = body.map(({ name, stage, status, needs, when, external }: Record<string, unknown>) => {
    return [name, stage, status, needs, when, external]
  })
  expect(facts).toEqual([
    ['compile', 'build', 'failed', null, 'on_success', false],
    ['early', 'test', 'pending', [], 'on_success', false],
    ['check', 'test', 'skipped', ['compile'], 'on_success', false],
    ['publish', 'deploy', 'created', null, 'manual', false],
    ['outside', 'external', 'success', null, 'on_success', true],
  ])
  expect(body[0]).toMatchObject({ failure_reason: 'script_failure', duration: 10, allow_failure: false })
  expect(body[0].web_url).toBe(`${server.url}/owner/planned/-/jobs/${body[0].id}`)
  expect(body[4].web_url).toBe('https://ci.example/1')
  expect(body[1]).not.toHaveProperty('failure_reason')
  expect((await owner.get(`${base}/pipelines/${pipelineId + 1000}/plan`)).status).toBe(404)
})

test('x.jobs_definition says what a job was planned to do, without script and variables', async () => {
  const { body: plan } = await owner.get(`${base}/pipelines/${pipelineId}/plan`)
  const definitionOf = async (name: string) => {
    const { id } = plan.find((job: { name: string }) => job.name === name)
    return (await owner.get(`${base}/jobs/${id}/definition`)).body
  }
  const nothing = { dependencies: null, environment: null, resource_group: null, interruptible: false, timeout: null }
  expect(await definitionOf('compile')).toEqual({
    ...{ ...nothing, when: 'on_success', needs: null, resource_group: 'machine', timeout: 1800 },
  })
  expect(await definitionOf('check')).toEqual({
    ...{ ...nothing, when: 'on_success', needs: ['compile'], dependencies: ['compile'] },
  })
  const environment = { name: 'production', url: 'https://example.com', action: 'start' }
  expect(await definitionOf('publish')).toEqual({ ...nothing, when: 'manual', needs: null, environment })
})

test('x.pipelines_list tells stages, times, commit and user when it is asked for, with a fixed number of queries', async () => {
  const { body: short } = await owner.get(`${base}/pipelines`)
  expect(short[0]).not.toHaveProperty('stages')
  const list = () => owner.get(`${base}/pipelines?with_details=true`)
  const { body } = await list()
  const stages = Object.fromEntries(body[0].stages.map(({ name, status }: Record<string, string>) => [name, status]))
  expect(stages).toEqual({ build: 'failed', test: 'running', deploy: 'created', external: 'success' })
  expect(body[0].stages.map(({ name }: { name: string }) => name).slice(-2)).toEqual(['deploy', 'external'])
  expect(body[0]).toMatchObject({ ...short[0], tag: false, commit_title: 'configure', user: { username: 'owner' } })
  const queries = await queriesOf(server, list)
  await owner.post(`${base}/pipeline`, { ref: 'main' })
  expect(await queriesOf(server, list)).toBe(queries)
})
