import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Person } from '../../../testing/index.ts'
import { startTestServer, type TestServer } from '../../../testing/index.ts'
import { finishJob, transitionJob } from '../processing/job-changes.ts'
import { projectWithConfig } from '../testing.ts'
import { assignResourceJob } from './resource-groups.ts'

let server: TestServer
let owner: Person
let developer: Person
let reporter: Person
beforeAll(async () => {
  server = await startTestServer()
  owner = await server.user('owner')
  developer = await server.user('developer')
  reporter = await server.user('reporter')
})
afterAll(() => server.stop())

let count = 0
const forbidden = { status: 403, body: { message: '403 Forbidden' } }
const notFound = { status: 404, body: { message: '404 Not found' } }
const jobs = () => server.app.platform.database.read.selectFrom('ci_jobs').selectAll()

/** A project with as many pipelines of a configuration as told. */
async function made(config: string, pipelines = 1) {
  count += 1
  const project = await projectWithConfig(server, owner, `grouped-${count}`, config)
  await server.make.member({ project }, developer, 30)
  await server.make.member({ project }, reporter, 20)
  const { platform } = server.app
  await platform.jobs.drain()
  const base = `/projects/${project.id}`
  const ids = [(await owner.get(`${base}/pipelines`)).body[0].id]
  while (ids.length < pipelines) ids.push((await owner.post(`${base}/pipeline`, { ref: 'main' })).body.id)
  await platform.jobs.drain()

  /** Runs the job that holds the resource to its end. @returns its pipeline, counted from 1, and its name */
  async function runHolder(): Promise<string | null> {
    const held = jobs().where('project_id', '=', project.id).where('resource_group', 'is not', null)
    const job = await held.where('status', '=', 'pending').executeTakeFirst()
    if (!job) return null
    await platform.database.write((tx) => transitionJob(platform, tx, job, 'run'))
    await finishJob(platform, job, { state: 'success' })
    await platform.jobs.drain()
    return `${ids.indexOf(job.pipeline_id) + 1} ${job.name}`
  }

  return { project, base, groups: `${base}/resource_groups`, ids, runHolder }
}

const two = 'one: {script: x, resource_group: r/1}\ntwo: {script: x, resource_group: r/1}'

test('jobs of one group hold the resource one after another', async () => {
  const { groups, runHolder } = await made(two)
  const { body } = await developer.get(groups)
  expect(body).toMatchObject([{ key: 'r/1', process_mode: 'unordered' }])
  const one = `${groups}/r%2F1`
  expect((await developer.get(one)).body).toEqual(body[0])
  const current = (await developer.get(`${one}/current_job`)).body
  expect(current).toMatchObject({ name: 'one', status: 'pending' })
  for (const name of ['artifacts', 'runner', 'tag_list', 'archived']) expect(current).not.toHaveProperty(name)
  expect((await developer.get(`${one}/upcoming_jobs`)).body).toMatchObject([
    { name: 'two', status: 'waiting_for_resource' },
  ])
  expect([await runHolder(), await runHolder(), await runHolder()]).toEqual(['1 one', '1 two', null])
  expect(await developer.get(`${one}/current_job`)).toMatchObject({ status: 200, body: null })
})

test.each([
  ['unordered', ['1 first', '1 second', '2 first', '2 second', '3 first', '3 second']],
  ['oldest_first', ['1 first', '1 second', '2 first', '2 second', '3 first', '3 second']],
  ['newest_first', ['1 first', '3 first', '3 second', '2 first', '2 second', '1 second']],
  ['newest_ready_first', ['1 first', '3 first', '3 second', '2 first', '2 second', '1 second']],
])('the mode %s', async (mode, expected) => {
  const config =
    'first: {stage: build, script: x, resource_group: r}\nsecond: {stage: test, script: x, resource_group: r}'
  const { groups, runHolder } = await made(config, 3)
  expect((await developer.put(`${groups}/r`, { process_mode: mode })).body.process_mode).toBe(mode)
  await server.app.platform.jobs.drain()
  const ran: (string | null)[] = []
  for (let index = 0; index < 6; index += 1) ran.push(await runHolder())
  expect(ran).toEqual(expected)
})

test('the resource waits for earlier jobs of the pipeline that is first, unless readiness counts', async () => {
  const config = 'before: {stage: build, script: x}\ndeploy: {stage: test, script: x, resource_group: r}'
  const { groups, ids, runHolder } = await made(config, 2)
  const { platform } = server.app
  await developer.put(`${groups}/r`, { process_mode: 'oldest_first' })
  const finish = async (pipelineId: number) => {
    const job = await jobs()
      .where('pipeline_id', '=', pipelineId)
      .where('name', '=', 'before')
      .executeTakeFirstOrThrow()
    await platform.database.write((tx) => transitionJob(platform, tx, job, 'run'))
    await finishJob(platform, job, { state: 'success' })
    await platform.jobs.drain()
  }
  await finish(ids[1])
  expect(await runHolder()).toBeNull()
  const upcoming = (await developer.get(`${groups}/r/upcoming_jobs`)).body
  expect(upcoming.map(({ status }: { status: string }) => status)).toEqual(['created', 'waiting_for_resource'])
  await developer.put(`${groups}/r`, { process_mode: 'newest_ready_first' })
  await platform.jobs.drain()
  expect(await runHolder()).toBe('2 deploy')
  await finish(ids[0])
  expect(await runHolder()).toBe('1 deploy')
})

test('however many processes give the resource at once, one job gets it', async () => {
  const names = Array.from({ length: 8 }, (_, index) => `job${index}`)
  const config = names.map((name) => `${name}: {script: x, resource_group: r}`).join('\n')
  const { project, runHolder } = await made(config)
  const { platform } = server.app
  const assign = () => assignResourceJob.run(platform, { projectId: project.id, group: 'r' }, {} as never)
  for (let round = 0; round < names.length; round += 1) {
    await Promise.all(names.map(assign))
    const held = jobs().where('project_id', '=', project.id).where('status', 'in', ['pending', 'running'])
    expect(await held.execute()).toHaveLength(1)
    await runHolder()
  }
})

test('are for developers, and known by their keys', async () => {
  const { groups } = await made(two)
  for (const path of ['', '/r%2F1', '/r%2F1/current_job', '/r%2F1/upcoming_jobs']) {
    expect(await reporter.get(`${groups}${path}`)).toMatchObject(forbidden)
  }
  expect(await reporter.put(`${groups}/r%2F1`, { process_mode: 'oldest_first' })).toMatchObject(forbidden)
  for (const key of ['nope', '..%2F..', '%F0%9F%92%A9'])
    expect(await developer.get(`${groups}/${key}`)).toMatchObject(notFound)
  const answer = await developer.put(`${groups}/r%2F1`, { process_mode: 'x' })
  expect([answer.status, answer.body.error]).toEqual([400, 'process_mode does not have a valid value'])
  expect((await developer.put(`${groups}/r%2F1`, {})).status).toBe(200)
})

test.each([
  ['is at its longest', 'r'.repeat(255), ['r'.repeat(255)]],
  ['is too long', 'r'.repeat(256), []],
  ['has other characters', 'grüße', []],
  ['begins with a slash', '/r', []],
  ['has a variable', 'r/$CI_COMMIT_REF_NAME', ['r/main']],
  ['has a variable with other characters', 'r/$NAME', []],
])('a key that %s', async (_, key, expected) => {
  const { groups, base } = await made(`variables: {NAME: "a#b"}\none: {script: x, resource_group: "${key}"}`)
  const found = (await developer.get(groups)).body as { key: string }[]
  expect(found.map((group) => group.key)).toEqual(expected)
  expect((await developer.get(`${base}/jobs`)).body).toMatchObject([{ name: 'one', status: 'pending' }])
})
