import * as stream from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { manualClock } from '../../../infra/clock/index.ts'
import type { Tx } from '../../../infra/database/index.ts'
import type { RefName } from '../../../infra/git/index.ts'
import { parseStorageKey } from '../../../infra/objects/index.ts'
import { openRepository } from '../../../platform/repositories/index.ts'
import { bytesAt, type Person, startTestServer, type TestServer } from '../../../testing/index.ts'
import { findArtifact, storeArtifact } from '../artifacts/artifacts.ts'
import { finishJob, transitionJob } from '../processing/job-changes.ts'
import { projectWithConfig, statusesOf } from '../testing.ts'
import { partsOf } from '../traces/store.ts'
import { appendTrace, readTrace } from '../traces/traces.ts'

const config = `
stages: [build, test, deploy]
compile: {stage: build, script: make, coverage: '/Lines: (\\d+)%/'}
check: {stage: test, script: make check}
publish: {stage: deploy, script: make publish, when: manual}
later: {stage: deploy, script: make later, when: delayed, start_in: 5 minutes}
`

const clock = manualClock({ start: '2026-03-01T12:00:00.000Z' })
let server: TestServer
let owner: Person
let developer: Person
beforeAll(async () => {
  server = await startTestServer({ clock })
  owner = await server.user('owner')
  developer = await server.user('developer')
})
afterAll(() => server.stop())

const drain = () => server.app.platform.jobs.drain()

async function made(path: string, text = config) {
  const project = await projectWithConfig(server, owner, path, text)
  await server.make.member({ project }, developer, 30)
  const base = `/projects/${project.id}`
  await drain()
  const [{ id }] = (await owner.get(`${base}/pipelines`)).body
  const jobs = (await owner.get(`${base}/pipelines/${id}/jobs`)).body as { id: number; name: string }[]
  const idOf = (name: string) => jobs.find((job) => job.name === name)?.id ?? 0
  return { project, base, id: id as number, idOf }
}

async function rowOf(jobId: number) {
  const { read } = server.app.platform.database
  return read.selectFrom('ci_jobs').selectAll().where('id', '=', jobId).executeTakeFirstOrThrow()
}

async function begin(jobId: number, changes: object = {}) {
  const { platform } = server.app
  const row = await rowOf(jobId)
  await platform.database.write((tx) => transitionJob(platform, tx, row, 'run', changes))
  return rowOf(jobId)
}

async function end(jobId: number, state: 'success' | 'failed' = 'success') {
  const { platform } = server.app
  const row = await rowOf(jobId)
  return finishJob(platform, row, { state })
}

describe('a job', () => {
  test('is shown with its user, commit and pipeline', async () => {
    const { base, id, idOf, project } = await made('shown')
    clock.advance(2500)
    await begin(idOf('compile'))
    clock.advance(1500)
    const { body } = await owner.get(`${base}/jobs/${idOf('compile')}`)
    expect(body).toMatchObject({
      ...{ status: 'running', stage: 'build', name: 'compile', ref: 'main', tag: false, allow_failure: false },
      ...{ duration: 1.5, queued_duration: 2.5, coverage: null, finished_at: null, erased_at: null },
      user: { username: 'owner', bio: '', bot: false },
      commit: { title: 'configure' },
      pipeline: { id, project_id: project.id, source: 'push' },
      project: { ci_job_token_scope_enabled: false },
      ...{
        artifacts: [],
        runner: null,
        runner_manager: null,
        artifacts_expire_at: null,
        archived: false,
        tag_list: [],
      },
      web_url: `${server.url}/owner/shown/-/jobs/${idOf('compile')}`,
    })
    expect(body).not.toHaveProperty('failure_reason')
    await end(idOf('compile'), 'failed')
    expect((await owner.get(`${base}/jobs/${idOf('compile')}`)).body).toMatchObject({
      ...{ status: 'failed', failure_reason: 'script_failure' },
    })
    expect((await server.anonymous.get(`${base}/jobs`)).status).toBe(401)
    expect(await owner.get(`${base}/jobs/999999`)).toMatchObject({ status: 404, body: { message: '404 Not found' } })
  })

  test('has a log that is readable while it is written, and joined afterwards', async () => {
    const { base, idOf } = await made('logged')
    const { platform } = server.app
    const job = await begin(idOf('compile'))
    const write = (at: number, text: string) => appendTrace(platform, job, at, Buffer.from(text), ['secret-value'])
    const read = async () => String((await bytesAt(owner, `${base}/jobs/${job.id}/trace`)).bytes)
    expect(await read()).toBe('')
    expect(await write(0, 'hello ')).toEqual({ outcome: 'appended', sizeBytes: 6 })
    expect(await write(0, 'again')).toEqual({ outcome: 'gap', sizeBytes: 6 })
    expect(await write(6, 'secret-value\nLines: 87%\n')).toEqual({ outcome: 'appended', sizeBytes: 30 })
    const both = await Promise.all([write(30, 'one'), write(30, 'two')])
    expect(both.map(({ outcome }) => outcome).sort()).toEqual(['appended', 'gap'])
    const text = await read()
    expect(text.slice(0, 30)).toBe('hello [MASKED]****\nLines: 87%\n')
    await end(job.id)
    await drain()
    expect(await read()).toBe(text)
    const { database } = platform
    const chunks = await database.read
      .selectFrom('ci_job_trace_chunks')
      .selectAll()
      .where('job_id', '=', job.id)
      .execute()
    expect(chunks).toEqual([])
    expect((await owner.get(`${base}/jobs/${job.id}`)).body).toMatchObject({
      ...{ coverage: 87, artifacts: [{ file_type: 'trace', size: 33 }] },
    })
  })

  test.each([null, { firstByte: 2, lastByte: 15 }])(
    'has a log that is read whole while its parts are joined, and to its end when it is erased: %j',
    async (range) => {
      const { idOf } = await made(range ? 'joined-range' : 'joined-whole')
      const { platform } = server.app
      const job = await begin(idOf('compile'))
      const text = 'first second third'
      for (const at of [0, 6, 13]) {
        const part = text.slice(at, at === 0 ? 6 : at === 6 ? 13 : undefined)
        await appendTrace(platform, job, at, Buffer.from(part))
      }
      const [{ open }, erased] = [await readTrace(platform, job.id), await readTrace(platform, job.id)]
      const reading = open(range)[Symbol.asyncIterator]()
      let read = String((await reading.next()).value)
      await end(job.id)
      // The parts are deleted.
      await drain()
      for (let next = await reading.next(); !next.done; next = await reading.next()) read += String(next.value)
      expect(read).toBe(range ? text.slice(2, 16) : text)
      const remove = (tx: Tx) => tx.deleteFrom('ci_job_traces').where('job_id', '=', job.id).execute()
      await platform.database.write(remove)
      expect(await stream.text(erased.open(range))).toBe('')
    },
  )

  test('has a log that ends with an error where an object is missing', async () => {
    const { idOf } = await made('missing-part')
    const { platform } = server.app
    const job = await begin(idOf('compile'))
    for (const [at, part] of ['one', 'two'].entries()) await appendTrace(platform, job, at * 3, Buffer.from(part))
    const [, second] = await partsOf(platform.database.read, job.id)
    await platform.objects.delete(parseStorageKey(second?.storageKey ?? ''))
    const { open } = await readTrace(platform, job.id)
    await expect(stream.text(open(null))).rejects.toThrow(/a part of the log of job \d+ is missing/)
    // Nor is the rest joined to a log that seems to be whole.
    await end(job.id)
    await drain()
    expect(await partsOf(platform.database.read, job.id)).toHaveLength(2)
  })

  test('has a log of which ranges of bytes are read, before and after its parts are joined', async () => {
    const { base, idOf } = await made('ranged')
    const { platform } = server.app
    const job = await begin(idOf('compile'))
    const read = async (range: string) => {
      const { status, headers, bytes } = await bytesAt(owner, `${base}/jobs/${job.id}/trace`, { range })
      return [status, headers.get('content-range'), status === 416 ? '' : String(bytes)]
    }
    expect(await read('bytes=0-')).toEqual([416, 'bytes */0', ''])
    for (const [at, text] of [
      [0, 'first '],
      [6, 'second '],
      [13, 'third'],
    ] as const) {
      await appendTrace(platform, job, at, Buffer.from(text))
    }
    const expectRanges = async () => {
      expect(await read('bytes=2-14')).toEqual([206, 'bytes 2-14/18', 'rst second th'])
      expect(await read('bytes=6-12')).toEqual([206, 'bytes 6-12/18', 'second '])
      expect(await read('bytes=-5')).toEqual([206, 'bytes 13-17/18', 'third'])
      expect(await read('bytes=18-')).toEqual([416, 'bytes */18', ''])
      expect(await read('lines=1-2')).toEqual([200, null, 'first second third'])
    }
    await expectRanges()
    await end(job.id)
    await drain()
    await expectRanges()
  })

  test('that is manual is played with variables, once', async () => {
    const { base, id, idOf } = await made('played')
    const play = () =>
      owner.post(`${base}/jobs/${idOf('publish')}/play`, { job_variables_attributes: [{ key: 'A', value: '1' }] })
    const unplayable = { status: 400, body: { message: '400 Bad request - Unplayable Job' } }
    expect(await play()).toMatchObject(unplayable)
    await begin(idOf('compile'))
    await end(idOf('compile'))
    await begin(idOf('check'))
    await end(idOf('check'))
    expect(await statusesOf(server, id)).toEqual([
      ...['compile success', 'check success', 'publish manual', 'later scheduled'],
    ])
    expect((await owner.get(`${base}/pipelines/${id}`)).body.status).toBe('scheduled')
    expect((await developer.post(`${base}/jobs/${idOf('publish')}/play`, {})).status).toBe(403)
    const both = await Promise.all([play(), play()])
    expect(both.map(({ status }) => status).sort()).toEqual([200, 400])
    expect((await rowOf(idOf('publish'))).status).toBe('pending')
    clock.advance(299_000)
    await watch()
    expect((await rowOf(idOf('later'))).status).toBe('scheduled')
    clock.advance(2000)
    await watch()
    expect((await rowOf(idOf('later'))).status).toBe('pending')
  })

  test('that is manual is played after its pipeline has finished, and finds its commit', async () => {
    const text = 'one: {script: a}\ntwo: {script: b, when: manual}'
    const { project, base, id, idOf } = await made('played-later', text)
    const tip = async () => {
      const { repository } = await openRepository(server.app.platform, project)
      return (await repository.tips([`refs/pipelines/${id}` as RefName]))[0]
    }
    await begin(idOf('one'))
    await end(idOf('one'))
    await drain()
    expect((await owner.get(`${base}/pipelines/${id}`)).body.status).toBe('success')
    expect(await tip()).toBeNull()
    expect((await owner.post(`${base}/jobs/${idOf('two')}/play`)).status).toBe(200)
    await drain()
    expect(await tip()).toBe((await rowOf(idOf('two'))).sha)
  })

  test('is canceled at once, or by its runner', async () => {
    const { base, idOf, id } = await made('canceled', 'one: {script: a}\ntwo: {script: b}')
    await begin(idOf('one'), { cancels_gracefully: true })
    await begin(idOf('two'))
    const cancel = (name: string, body: object = {}, person = developer) =>
      person.post(`${base}/jobs/${idOf(name)}/cancel`, body)
    expect(await cancel('one')).toMatchObject({ status: 201, body: { status: 'canceling' } })
    expect(await cancel('two')).toMatchObject({ status: 201, body: { status: 'canceled' } })
    expect((await owner.get(`${base}/pipelines/${id}`)).body.status).toBe('canceling')
    expect((await cancel('one', { force: true })).status).toBe(403)
    expect(await cancel('one')).toMatchObject({ status: 201, body: { status: 'canceling' } })
    expect(await end(idOf('one'))).toMatchObject({ status: 'canceled' })
    expect(await cancel('one', { force: true }, owner)).toMatchObject({ status: 201, body: { status: 'canceled' } })
    expect((await owner.get(`${base}/pipelines/${id}`)).body.status).toBe('canceled')
  })

  test('is retried once', async () => {
    const { base, idOf } = await made('retried')
    const retry = (jobId: number) => owner.post(`${base}/jobs/${jobId}/retry`, {})
    const refused = { status: 403, body: { message: '403 Forbidden - Job is not retryable' } }
    expect(await retry(idOf('compile'))).toMatchObject(refused)
    await begin(idOf('compile'))
    await end(idOf('compile'), 'failed')
    const again = await retry(idOf('compile'))
    expect(again).toMatchObject({ status: 201, body: { name: 'compile', status: 'pending' } })
    expect(again.body.id).not.toBe(idOf('compile'))
    expect(await retry(idOf('compile'))).toMatchObject(refused)
  })

  test('is erased after its end, with its log and its artifacts', async () => {
    const { base, idOf } = await made('erased')
    const { platform } = server.app
    const job = await begin(idOf('compile'))
    const erase = (person = owner) => person.post(`${base}/jobs/${job.id}/erase`, {})
    const refused = { status: 403, body: { message: '403 Forbidden - Job is not erasable!' } }
    expect(await erase()).toMatchObject(refused)
    await appendTrace(platform, job, 0, Buffer.from('log'))
    const artifact = { fileType: 'archive', fileFormat: 'zip', fileName: 'artifacts.zip', accessLevel: 'all' } as const
    const content = async function* () {
      yield Buffer.from('zip')
    }
    await storeArtifact(platform, job, { ...artifact, content: content(), expireAt: null, maxBytes: 10 })
    await end(job.id)
    await drain()
    expect((await erase(developer)).status).toBe(403)
    expect(await erase()).toMatchObject({ status: 201, body: { erased_at: expect.any(String), artifacts: [] } })
    expect(await erase()).toMatchObject(refused)
    expect(String((await bytesAt(owner, `${base}/jobs/${job.id}/trace`)).bytes)).toBe('')
    expect(await findArtifact(platform, job.id)).toBeNull()
  })
})

/** Runs the job that looks for delayed and stuck jobs. */
async function watch() {
  const { database, jobs } = server.app.platform
  await database.write((tx) => jobs.enqueue(tx, 'pipelines.watch', null))
  await drain()
}

describe('a job that is stuck', () => {
  const failedFor = async (jobId: number) => {
    const { status, failure_reason } = await rowOf(jobId)
    return [status, failure_reason]
  }

  test('fails after a day without a runner', async () => {
    const { idOf } = await made('waiting')
    clock.advance(24 * 3_600_000)
    await watch()
    expect(await failedFor(idOf('compile'))).toEqual(['pending', null])
    clock.advance(1000)
    await watch()
    expect(await failedFor(idOf('compile'))).toEqual(['failed', 'stuck_or_timeout_failure'])
  })

  test('fails after an hour of silence, and after its timeout', async () => {
    const { idOf } = await made('silent', 'one: {script: a}\ntwo: {script: b, timeout: 30 minutes}')
    await begin(idOf('one'))
    await begin(idOf('two'))
    clock.advance(46 * 60_000)
    await watch()
    expect(await failedFor(idOf('two'))).toEqual(['failed', 'job_execution_timeout'])
    expect(await failedFor(idOf('one'))).toEqual(['running', null])
    clock.advance(15 * 60_000)
    await watch()
    expect(await failedFor(idOf('one'))).toEqual(['failed', 'stuck_or_timeout_failure'])
  })
})

test('jobs of a resource group run one after another, also of several pipelines', async () => {
  const { base, id, idOf } = await made(
    'grouped',
    'one: {script: a, resource_group: r}\ntwo: {script: b, resource_group: r}',
  )
  expect((await statusesOf(server, id)).sort()).toEqual(['one pending', 'two waiting_for_resource'])
  const other = (await owner.post(`${base}/pipeline`, { ref: 'main' })).body
  await drain()
  expect((await owner.get(`${base}/pipelines/${other.id}`)).body.status).toBe('waiting_for_resource')
  await begin(idOf('one'))
  await end(idOf('one'))
  await drain()
  expect(await statusesOf(server, id)).toEqual(['one success', 'two pending'])
  await owner.post(`${base}/pipelines/${id}/cancel`, {})
  await drain()
  expect(await statusesOf(server, other.id)).toEqual(['one pending', 'two waiting_for_resource'])
})

test('a job that is being canceled holds its resource until its runner has ended it', async () => {
  const { base, id, idOf } = await made(
    'held',
    'one: {script: a, resource_group: r}\ntwo: {script: b, resource_group: r}',
  )
  await begin(idOf('one'), { cancels_gracefully: true })
  const cancel = await owner.post(`${base}/jobs/${idOf('one')}/cancel`, {})
  expect(cancel.body.status).toBe('canceling')
  const { platform } = server.app
  const { assignResourceJob } = await import('../resource-groups/resource-groups.ts')
  const project = (await rowOf(idOf('one'))).project_id
  await assignResourceJob.run(platform, { projectId: project, group: 'r' }, {} as never)
  await drain()
  expect(await statusesOf(server, id)).toEqual(['one canceling', 'two waiting_for_resource'])
  await end(idOf('one'))
  await drain()
  expect(await statusesOf(server, id)).toEqual(['one canceled', 'two pending'])
})

test('the list of jobs is filtered, and walked by keyset', async () => {
  const { base, idOf } = await made('listed')
  expect((await owner.get(`${base}/jobs?scope[]=pending`)).body.map(({ name }: { name: string }) => name)).toEqual([
    'compile',
  ])
  const wrong = await owner.get(`${base}/jobs?scope=wrong`)
  expect(wrong).toMatchObject({ status: 400, body: { message: 'Scope contains invalid value(s)' } })
  const [{ pipeline }] = (await owner.get(`${base}/jobs`)).body
  const bad = await owner.get(`${base}/pipelines/${pipeline.id}/jobs?scope[]=wrong`)
  expect(bad).toMatchObject({ status: 400, body: { error: 'scope does not have a valid value' } })
  const first = await owner.get(`${base}/jobs?pagination=keyset&per_page=3`)
  expect(first.body).toHaveLength(3)
  const [, next = ''] = /<([^>]+)>; rel="next"/.exec(first.headers.get('link') ?? '') ?? []
  const rest = await owner.get(next.slice(next.indexOf('/api/v4') + '/api/v4'.length))
  expect(rest.body.map(({ id }: { id: number }) => id)).toEqual([idOf('compile')])
})
