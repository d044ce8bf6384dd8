import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { finishJob } from '../../pipelines/index.ts'
import { startWithDeployments } from '../testing.ts'

let at: Awaited<ReturnType<typeof startWithDeployments>>
beforeAll(async () => {
  at = await startWithDeployments()
})
afterAll(() => at.server.stop())

const staging = `
deploy:
  script: x
  environment: {name: staging, url: "http://$CI_ENVIRONMENT_SLUG.test", on_stop: halt, auto_stop_in: 1 day}
halt:
  script: x
  when: manual
  environment: {name: staging, action: stop}
`

test('a job deploys to its environment, which its stop job stops', async () => {
  const { base, run, status, drain } = await at.pushed(staging)
  const [environment] = (await at.owner.get(`${base}/environments`)).body
  expect(environment).toMatchObject({ name: 'staging', tier: 'staging', state: 'available', auto_stop_at: null })
  const one = `${base}/environments/${environment.id}`
  expect((await at.owner.get(one)).body.last_deployment).toMatchObject({ iid: 1, status: 'created', ref: 'main' })
  await run('deploy', 'success')
  await drain()
  const found = (await at.owner.get(one)).body
  expect(found.last_deployment).toMatchObject({ status: 'success', deployable: { name: 'deploy' } })
  expect(found.external_url).toBe('http://staging.test')
  expect(found.auto_stop_at).toBe(new Date(at.clock.now().getTime() + 86_400_000).toISOString())
  expect(await at.refs(base)).toContain('refs/environments/staging/deployments/1')
  expect((await at.owner.post(`${one}/stop`)).body).toMatchObject({ state: 'stopping', auto_stop_at: null })
  expect(await status('halt')).toBe('pending')
  await run('halt', 'success')
  expect((await at.owner.get(one)).body.state).toBe('stopped')
  expect((await at.owner.delete(one)).status).toBe(204)
  await drain()
  expect(await at.refs(base)).not.toContain('refs/environments/staging/deployments/1')
})

test('an environment whose stop job fails is available again, and so is one whose stop job has no result for a week', async () => {
  const { base, run, drain, environment } = await at.pushed(staging)
  await run('deploy', 'success')
  const one = `${base}/environments/${(await environment('staging')).id}`
  await at.owner.post(`${one}/stop`)
  await run('halt', 'failed')
  expect((await at.owner.get(one)).body.state).toBe('available')
  await at.owner.post(`${one}/stop`)
  expect((await at.owner.get(one)).body.state).toBe('stopping')
  at.clock.advance(7 * 86_400_000)
  await drain()
  expect((await at.owner.get(one)).body.state).toBe('available')
  expect((await at.owner.post(`${one}/stop`, { force: true })).body.state).toBe('stopped')
})

test('an environment is stopped when its time is over', async () => {
  const { run, drain, environment, status } = await at.pushed(staging)
  await run('deploy', 'success')
  at.clock.advance(86_400_000)
  await drain()
  expect((await environment('staging')).state).toBe('stopping')
  expect(await status('halt')).toBe('pending')
})

test('an environment whose stop job cannot be started does not hold up others, and is stopped when it can', async () => {
  const { database } = at.server.app.platform
  const [moving, other] = [await at.pushed(staging), await at.pushed(staging)]
  for (const { run } of [moving, other]) await run('deploy', 'success')
  const setMoving = (read_only: boolean) =>
    database.write((tx) =>
      tx.updateTable('repositories').set({ read_only }).where('project_id', '=', moving.project.id).execute(),
    )
  await setMoving(true)
  const before = await moving.environment('staging')
  expect((await at.owner.post(`${moving.base}/environments/${before.id}/stop`)).status).toBe(400)
  expect(await moving.environment('staging')).toMatchObject({ state: 'available', auto_stop_at: before.auto_stop_at })
  at.clock.advance(86_400_000)
  await at.drain()
  expect((await moving.environment('staging')).state).toBe('available')
  expect((await other.environment('staging')).state).toBe('stopping')
  await setMoving(false)
  at.clock.advance(300_000)
  await at.drain()
  expect((await moving.environment('staging')).state).toBe('stopping')
})

test('an environment that is stopped only by a job stays without one', async () => {
  const { base, run, drain, environment } = await at.pushed(
    'deploy: {script: x, environment: {name: prod, auto_stop_in: 1 hour}}',
  )
  await run('deploy', 'success')
  const { id } = await environment('prod')
  await at.owner.put(`${base}/environments/${id}`, { auto_stop_setting: 'with_action' })
  at.clock.advance(86_400_000)
  await drain()
  expect(await environment('prod')).toMatchObject({ state: 'available', auto_stop_at: null })
})

test('names and tiers come from the configuration; a name that is none fails its job', async () => {
  const { environment, run, status, drain } = await at.pushed(`
one: {script: x, environment: {name: review/$CI_COMMIT_REF_NAME, deployment_tier: other}}
two: {script: x, environment: {name: "bad:name"}}
three: {script: x, environment: {name: review/main, action: prepare, auto_stop_in: 2 hours}}
`)
  await drain()
  expect(await environment('review/main')).toMatchObject({ tier: 'other' })
  expect(await status('two')).toBe('failed environment_creation_failure')
  await run('three', 'success')
  const expected = new Date(at.clock.now().getTime() + 7_200_000).toISOString()
  expect((await environment('review/main')).auto_stop_at).toBe(expected)
})

test('a job that uses a stopped environment sets no time at which it stops', async () => {
  const { base, environment, run } = await at.pushed(
    'use: {script: x, environment: {name: prod, action: access, auto_stop_in: 1 hour}}',
  )
  const { id } = await environment('prod')
  await at.owner.post(`${base}/environments/${id}/stop`)
  await run('use', 'success')
  expect(await environment('prod')).toMatchObject({ state: 'stopped', auto_stop_at: null })
})

test('a job of an older pipeline fails when a newer one has deployed, unless a user brings it back', async () => {
  const { base, run, status, pipeline, drain, environment } = await at.pushed('deploy: {script: x, environment: prod}')
  const older = await pipeline()
  await run('deploy', 'success')
  const { body: waiting } = await at.owner.post(`${base}/pipeline`, { ref: 'main' })
  const { body: newer } = await at.owner.post(`${base}/pipeline`, { ref: 'main' })
  await run('deploy', 'success', newer.id)
  expect(await at.take(waiting.id, 'deploy')).toBeNull()
  expect(await status('deploy', waiting.id)).toBe('failed failed_outdated_deployment_job')
  const { body: deployments } = await at.owner.get(`${base}/deployments`)
  expect(deployments.map(({ status }: { status: string }) => status)).toEqual(['success', 'failed', 'success'])
  const [first] = deployments
  expect((await at.owner.post(`${base}/jobs/${first.deployable.id}/retry`)).status).toBe(201)
  await run('deploy', 'success', older)
  await drain()
  const id = (await environment('prod')).id
  expect((await at.owner.get(`${base}/environments/${id}`)).body.last_deployment).toMatchObject({ iid: 4 })
})

describe('the order of deployments', () => {
  const deploy = 'deploy: {script: x, retry: 1, environment: prod}'
  const outdated = 'failed failed_outdated_deployment_job'

  /** A project whose second pipeline has deployed; its first one waits. */
  async function overtaken() {
    const project = await at.pushed(deploy)
    const older = await project.pipeline()
    const { body: newer } = await at.owner.post(`${project.base}/pipeline`, { ref: 'main' })
    return { ...project, older, overtake: () => project.run('deploy', 'success', newer.id) }
  }

  test('does not count where the project says so', async () => {
    const { base, older, overtake, run, status } = await overtaken()
    await overtake()
    await at.owner.put(base, { ci_forward_deployment_enabled: false })
    await run('deploy', 'success', older)
    expect(await status('deploy', older)).toBe('success')
  })

  test('counts for users who bring a job back where the project says so', async () => {
    const { base, older, overtake, run, status, latest } = await overtaken()
    await run('deploy', 'success', older)
    await overtake()
    await at.owner.put(base, { ci_forward_deployment_rollback_allowed: false })
    const { id } = await latest(older, 'deploy')
    expect((await at.owner.post(`${base}/jobs/${id}/retry`)).status).toBe(201)
    await at.drain()
    expect(await status('deploy', older)).toBe(outdated)
  })

  test('counts for a job that is retried by itself', async () => {
    const { older, overtake, status } = await overtaken()
    const { platform } = at.server.app
    const taken = await at.take(older, 'deploy')
    if (!taken) throw new Error('the older job does not run')
    await overtake()
    await finishJob(platform, taken, { state: 'failed' })
    await at.drain()
    expect(await status('deploy', older)).toBe(outdated)
  })

  test('is that of their records where no job has made the newest', async () => {
    const { base, pipeline, run, status } = await at.pushed(deploy)
    const older = await pipeline()
    const sha = (await at.owner.get(`${base}/repository/commits/main`)).body.id
    const given = { environment: 'prod', ref: 'main', tag: false, sha, status: 'success' }
    expect((await at.owner.post(`${base}/deployments`, given)).status).toBe(201)
    const { body: newer } = await at.owner.post(`${base}/pipeline`, { ref: 'main' })
    expect(await at.take(older, 'deploy')).toBeNull()
    expect(await status('deploy', older)).toBe(outdated)
    await run('deploy', 'success', newer.id)
  })
})

test('environments that a pipeline of a merge request has made end with it', async () => {
  const config = `
review: {script: a, only: [merge_requests], environment: {name: review, on_stop: halt}}
halt: {script: a, only: [merge_requests], when: manual, environment: {name: review, action: stop}}
`
  const { base, run, environment } = await at.pushed(config)
  const actions = [{ action: 'create', file_path: 'a.txt', content: 'a' }]
  const given = { branch: 'topic', start_branch: 'main', commit_message: 'a', actions }
  expect((await at.owner.post(`${base}/repository/commits`, given)).status).toBe(201)
  const request = { source_branch: 'topic', target_branch: 'main', title: 'a' }
  const { body } = await at.owner.post(`${base}/merge_requests`, request)
  await at.server.app.platform.jobs.drain()
  const [pipeline] = (await at.owner.get(`${base}/merge_requests/${body.iid}/pipelines`)).body
  await run('review', 'success', pipeline.id)
  expect((await environment('review')).state).toBe('available')
  await at.owner.put(`${base}/merge_requests/${body.iid}`, { state_event: 'close' })
  await at.server.app.platform.jobs.drain()
  expect((await environment('review')).state).toBe('stopping')
})

test('environments end with the branch that was deployed to them, and with its merge request', async () => {
  const { base, run, drain, environment } = await at.pushed(
    'deploy: {script: x, environment: review/$CI_COMMIT_REF_NAME}',
  )
  const branch = async (name: string) => {
    const actions = [{ action: 'create', file_path: name, content: name }]
    const given = { branch: name, start_branch: 'main', commit_message: name, actions }
    expect((await at.owner.post(`${base}/repository/commits`, given)).status).toBe(201)
    await drain()
    const [pipeline] = (await at.owner.get(`${base}/pipelines?ref=${name}`)).body
    await run('deploy', 'success', pipeline.id)
  }
  await branch('one')
  await branch('two')
  const request = { source_branch: 'two', target_branch: 'main', title: 'two' }
  const { body } = await at.owner.post(`${base}/merge_requests`, request)
  await at.owner.delete(`${base}/repository/branches/one`)
  await at.owner.put(`${base}/merge_requests/${body.iid}`, { state_event: 'close' })
  await drain()
  const states = [await environment('review/one'), await environment('review/two'), await environment('review/main')]
  expect(states.map(({ state }) => state)).toEqual(['stopped', 'stopped', 'available'])
})

test.each([
  ['a: {script: x, environment: {name: e, on_stop: b}}', 'a job: on_stop job b is not defined'],
  [
    'a: {script: x, environment: {name: e, on_stop: b}}\nb: {script: x, environment: e}',
    'a job: on_stop job b needs to have action stop defined',
  ],
  [
    'a: {script: x, environment: {name: e, on_stop: b}}\nb: {script: x, environment: {name: f, action: stop}}',
    'a job: on_stop job b have different environment name',
  ],
  [
    'a: {script: x, environment: {name: e, auto_stop_in: soon}}',
    'jobs:a:environment:auto_stop_in config should be a duration',
  ],
  [
    'a: {script: x, environment: {name: e, deployment_tier: moon}}',
    'jobs:a:environment:deployment_tier config should be one of: production, staging, testing, development, other',
  ],
])('the check of %s finds the problem', async (content, error) => {
  const { base } = await at.pushed('a: {script: x}')
  const { body } = await at.owner.post(`${base}/ci/lint`, { content })
  expect(body).toMatchObject({ valid: false, errors: [error] })
})

test('thousands of jobs of one pipeline deploy', async () => {
  const jobs = Array.from({ length: 10 }, (_, index) => `job${index}: {script: x, parallel: 200, environment: many}`)
  const { base, environment } = await at.pushed(jobs.join('\n'))
  const { id } = await environment('many')
  const { body } = await at.owner.get(`${base}/environments/${id}`)
  expect(body.last_deployment.iid).toBe(2000)
})
