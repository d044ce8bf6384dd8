import { Gitlab } from '@gitbeaker/rest'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestServer, type TestServer } from '../../src/testing/index.ts'
import { refusal } from './gitbeaker-refusal.ts'

/** The acceptance walks of CI/CD (contract 03 variables, 04 schedules and pipelines, 05 features, 06 broadcast messages) with gitbeaker. */
type Api = InstanceType<typeof Gitlab<false>>
let server: TestServer
let root: Api
let api: Api
let theirs: Api
let id: number
let groupId: number

const config = `
build:
  stage: build
  script: [make]
  artifacts: {paths: [out]}
test:
  script: [check]
`

beforeAll(async () => {
  server = await startTestServer()
  const owner = await server.user('owner')
  const developer = await server.user('developer')
  const namespace = await server.make.group('ci', owner)
  const project = await server.make.project('p', owner, { namespace })
  await server.make.member({ project }, developer, 30)
  ;[id, groupId] = [project.id, namespace.id]
  root = new Gitlab({ host: server.url, token: server.rootToken })
  api = new Gitlab({ host: server.url, token: owner.token })
  theirs = new Gitlab({ host: server.url, token: developer.token })
  await api.RepositoryFiles.create(id, '.gitlab-ci.yml', 'main', config, 'Add the configuration [skip ci]')
  await server.app.platform.jobs.drain()
})
afterAll(() => server?.stop())

describe('variables', () => {
  test('of a group', async () => {
    const made = await api.GroupVariables.create(groupId, 'A', '1')
    expect(made).toMatchObject({ key: 'A', value: '1', environment_scope: '*', protected: false, masked: false })
    expect(await refusal(api.GroupVariables.create(groupId, 'A', '1'))).toBe(400)
    expect((await api.GroupVariables.edit(groupId, 'A', '2')).value).toBe('2')
    expect((await api.GroupVariables.all(groupId)).map(({ key }) => key)).toEqual(['A'])
    expect(await refusal(theirs.GroupVariables.all(groupId))).toBe(403)
    await api.GroupVariables.remove(groupId, 'A')
    expect(await refusal(api.GroupVariables.show(groupId, 'A'))).toBe(404)
  })

  test('of a project', async () => {
    await api.ProjectVariables.create(id, 'B', 'secret-value', { masked: true, environmentScope: 'prod/*' })
    expect((await api.ProjectVariables.edit(id, 'B', 'other-value')).value).toBe('other-value')
    expect(await api.ProjectVariables.show(id, 'B')).toMatchObject({ masked: true, environment_scope: 'prod/*' })
    expect(await refusal(theirs.ProjectVariables.all(id))).toBe(403)
    await api.ProjectVariables.remove(id, 'B')
  })
})

describe('broadcast messages', () => {
  test('are shown to all callers', async () => {
    expect(await refusal(theirs.BroadcastMessages.create({ message: 'x' } as never))).toBe(403)
    const made = await root.BroadcastMessages.create({ message: 'Deploy' } as never)
    expect(made).toMatchObject({ message: 'Deploy', active: true, broadcast_type: 'banner' })
    expect((await theirs.BroadcastMessages.all()).map(({ id: one }) => one)).toEqual([made.id])
    await root.BroadcastMessages.remove(made.id)
    expect(await theirs.BroadcastMessages.all()).toEqual([])
  })
})

describe('schedules', () => {
  test('create pipelines', async () => {
    const made = await api.PipelineSchedules.create(id, 'nightly', 'main', '0 1 * * 5', {
      cronTimezone: 'Europe/Berlin',
    })
    expect(made).toMatchObject({ ref: 'refs/heads/main', active: true, cron_timezone: 'Europe/Berlin' })
    expect(await refusal(api.PipelineSchedules.create(id, 'never', 'main', '0 0 31 2 *'))).toBe(400)
    await api.PipelineScheduleVariables.create(id, made.id, 'K', '1')
    expect(await refusal(theirs.PipelineSchedules.takeOwnership(id, made.id))).toBe(403)
    await api.PipelineSchedules.run(id, made.id)
    await server.app.platform.jobs.drain()
    const [pipeline] = await api.PipelineSchedules.allTriggeredPipelines(id, made.id)
    expect(pipeline).toMatchObject({ source: 'scheduled', ref: 'main', status: 'pending' })
    expect(await api.Pipelines.allVariables(id, pipeline?.id ?? 0)).toMatchObject([{ key: 'K', value: '1' }])
    await api.Pipelines.cancel(id, pipeline?.id ?? 0)
    await api.PipelineSchedules.remove(id, made.id)
    expect(await api.PipelineSchedules.all(id)).toEqual([])
  })
})

describe('pipelines', () => {
  test('run their jobs by the protocol of runners', async () => {
    const made = await api.Pipelines.create(id, 'main', { variables: [{ key: 'V', value: 'given' }] })
    expect(made).toMatchObject({ source: 'api', ref: 'main', user: { username: 'owner' } })
    const runner = await api.Users.createCIRunner('project_type', { projectId: id })
    const post = (path: string, body: object, method = 'POST') =>
      fetch(`${server.url}/api/v4${path}`, {
        method,
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify(body),
      })
    const names: string[] = []
    for (let index = 0; index < 2; index += 1) {
      const taken = await post('/jobs/request', { token: runner.token })
      expect(taken.status).toBe(201)
      const job = (await taken.json()) as { id: number; token: string; job_info: { name: string } }
      names.push(job.job_info.name)
      expect((await post(`/jobs/${job.id}`, { token: job.token, state: 'success' }, 'PUT')).status).toBe(200)
      await server.app.platform.jobs.drain()
    }
    expect(names).toEqual(['build', 'test'])
    expect((await post('/jobs/request', { token: runner.token })).status).toBe(204)
    expect(await api.Pipelines.show(id, made.id)).toMatchObject({
      status: 'success',
      detailed_status: { text: 'Passed' },
    })
    const jobs = await api.Jobs.all(id, { pipelineId: made.id })
    expect(jobs.map(({ name, status }) => [name, status])).toEqual([
      ['test', 'success'],
      ['build', 'success'],
    ])
    expect(await api.Jobs.showLog(id, jobs[0]?.id ?? 0)).toBe('')
    expect((await api.Runners.all({ projectId: id })).map(({ id: one }) => one)).toEqual([runner.id])
  })

  test('are created by triggers', async () => {
    const trigger = await api.PipelineTriggerTokens.create(id, 'from outside')
    const fired = await theirs.PipelineTriggerTokens.trigger(id, 'main', trigger.token, { variables: { X: '1' } })
    expect(fired).toMatchObject({ source: 'trigger', ref: 'main' })
    await api.PipelineTriggerTokens.remove(id, trigger.id)
    expect(await refusal(theirs.PipelineTriggerTokens.trigger(id, 'main', trigger.token))).toBe(404)
  })

  test('are validated before', async () => {
    expect(await api.Lint.check(id, {})).toMatchObject({ valid: true, errors: [] })
    expect((await api.Lint.lint(id, 'a: {script: x, stage: none}')).valid).toBe(false)
    expect(await refusal(theirs.Pipelines.create(id, 'nope'))).toBe(400)
  })
})
