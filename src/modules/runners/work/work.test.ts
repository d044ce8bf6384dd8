import { createHash, randomBytes } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type ManualClock, manualClock } from '../../../infra/clock/index.ts'
import { type Person, queriesOf, startTestServer, type TestServer } from '../../../testing/index.ts'
import { makeRunner, queuedProject, type TestRunner, workOn } from '../testing.ts'

const config = `
build: {stage: build, script: make, artifacts: {paths: [a], access: developer}, allow_failure: {exit_codes: [42]}}
test: {stage: test, script: make test}
other: {stage: test, script: make test, dependencies: []}
`

let clock: ManualClock
let server: TestServer
let owner: Person
let runner: TestRunner
let projectId: number
let pipelineId: number
// biome-ignore lint/suspicious/noExplicitAny: a payload
let build: any
beforeAll(async () => {
  clock = manualClock({ start: '2026-03-01T12:00:00.000Z' })
  server = await startTestServer({ clock })
  owner = await server.user('owner')
  runner = await makeRunner(server)
  const project = await queuedProject(server, owner, 'demo', { config })
  projectId = project.id
  await owner.post(`/projects/${projectId}/variables`, { key: 'SECRET', value: 'topsecret1', masked: true })
})
afterAll(() => server.stop())
beforeEach(async () => {
  await server.app.platform.database.write((tx) => tx.deleteFrom('pipelines').execute())
  pipelineId = (await owner.post(`/projects/${projectId}/pipeline`, { ref: 'main' })).body.id
  build = await runner.take()
})

const forbidden = (reason?: string) => ({
  status: 403,
  body: { message: reason ? `403 Forbidden - ${reason}` : '403 Forbidden' },
})
const job = async (id: number) => (await owner.get(`/projects/${projectId}/jobs/${id}`)).body

describe('the state of a job', () => {
  test('is reported by its runner, and shown with the runner', async () => {
    const work = workOn(server, build)
    const running = await work.update({ state: 'running' })
    expect([running.status, running.body]).toEqual([200, '200'])
    expect(running.headers.get('x-gitlab-trace-update-interval')).toBe('3')
    expect(running.headers.get('job-status')).toBe('running')
    const ended = await work.update({ state: 'success', exit_code: 0, output: { checksum: 'crc32:0', bytesize: 5 } })
    expect([ended.status, ended.body]).toEqual([200, '200'])
    expect(await job(build.id)).toMatchObject({
      status: 'success',
      runner: { id: runner.id, status: 'online', job_execution_status: 'idle' },
      runner_manager: { system_id: 's_test' },
    })
    const again = await work.update({ state: 'success' })
    expect(again).toMatchObject(forbidden('Job is not running'))
    expect(again.headers.get('job-status')).toBe('success')
    expect((await work.trace('x', '0-0')).headers.get('job-status')).toBe('success')
    expect(await work.upload('zip')).toMatchObject(forbidden('Job is not running'))
  })

  test('is a failure with the reason that the runner gives', async () => {
    await workOn(server, build).update({ state: 'failed', failure_reason: 'runner_system_failure' })
    expect(await job(build.id)).toMatchObject({
      status: 'failed',
      failure_reason: 'runner_system_failure',
      allow_failure: false,
    })
    expect((await runner.ask()).status).toBe(204)
  })

  test('is an allowed failure with an exit code of the configuration', async () => {
    await workOn(server, build).update({ state: 'failed', exit_code: 42 })
    expect(await job(build.id)).toMatchObject({
      status: 'failed',
      failure_reason: 'script_failure',
      allow_failure: true,
    })
    expect((await runner.ask()).status).toBe(201)
  })

  test('is recorded once by concurrent reports', async () => {
    const work = workOn(server, build)
    const answers = await Promise.all([0, 1, 2, 3].map((n) => work.update({ state: n % 2 ? 'success' : 'failed' })))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 403, 403, 403])
  })

  test('is canceled when the user canceled the job, once the runner has ended it', async () => {
    const work = workOn(server, build)
    await owner.post(`/projects/${projectId}/jobs/${build.id}/cancel`)
    const { status, headers } = await work.trace('x', '0-0')
    expect([status, headers.get('job-status')]).toEqual([202, 'canceling'])
    expect((await work.update({ state: 'failed' })).status).toBe(200)
    expect(await job(build.id)).toMatchObject({ status: 'canceled' })
  })

  test('is refused with another token, and in another form', async () => {
    const next = await owner.post(`/projects/${projectId}/pipeline`, { ref: 'main' })
    expect(next.status).toBe(201)
    const other = await runner.take()
    const put = (id: unknown, body: object) => server.anonymous.put(`/jobs/${id}`, body)
    expect(await put(other.id, { token: build.token, state: 'success' })).toMatchObject(forbidden())
    expect(await put(build.id, { token: runner.token, state: 'success' })).toMatchObject(forbidden())
    expect(await put(build.id, { token: owner.token, state: 'success' })).toMatchObject(forbidden())
    expect(await put(build.id, { state: 'success' })).toMatchObject(forbidden())
    expect(await put(build.id, { token: build.token, state: 'done' })).toMatchObject({
      status: 400,
      body: { error: 'state does not have a valid value' },
    })
    expect((await put(build.id, { token: build.token, exit_code: 'x' })).status).toBe(400)
    expect((await put('x', { token: build.token })).status).toBe(400)
    expect((await put('99999999999999999999', { token: build.token })).status).toBe(404)
    expect((await workOn(server, build).update()).status).toBe(200)
  })

  test('keeps the job alive while the runner reports', async () => {
    const { database } = server.app.platform
    const beat = async () =>
      (await database.read.selectFrom('ci_jobs').select('heartbeat_at').where('id', '=', build.id).executeTakeFirst())
        ?.heartbeat_at
    const first = await beat()
    clock.advance(59_000)
    await workOn(server, build).update({ state: 'running' })
    expect(await beat()).toBe(first)
    clock.advance(1000)
    await workOn(server, build).update({ state: 'running' })
    expect(await beat()).toBe(clock.now().toISOString())
  })
})

describe('the log of a job', () => {
  const read = async (id = build.id) => (await owner.get(`/projects/${projectId}/jobs/${id}/trace`)).body

  test('grows by the parts that follow each other', async () => {
    const work = workOn(server, build)
    const first = await work.trace('hello', '0-4')
    expect([first.status, first.headers.get('range'), first.headers.get('job-status')]).toEqual([202, '0-5', 'running'])
    expect(first.headers.get('x-gitlab-trace-update-interval')).toBe('3')
    for (const range of ['0-4', '4-8', '6-10', 'x', '', '-', '9999999999999999-1']) {
      const refused = await work.trace('hello', range)
      expect(refused, range).toMatchObject({ status: 416, body: { message: '416 Range Not Satisfiable' } })
      expect(refused.headers.get('range')).toBe('0-5')
    }
    clock.advance(60_000)
    const next = await work.trace(' wörld 🦊', '5-16')
    expect(next.headers.get('range')).toBe('0-17')
    expect(next.headers.get('x-gitlab-trace-update-interval')).toBe('60')
    expect(await read()).toBe('hello wörld 🦊')
    const last = await work.trace('!', '17-17')
    expect(last.headers.get('x-gitlab-trace-update-interval')).toBe('3')
  })

  test('takes one of several concurrent parts', async () => {
    const work = workOn(server, build)
    const answers = await Promise.all(['aaaa', 'bbbb', 'cccc'].map((text) => work.trace(text, '0-3')))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([202, 416, 416])
    expect(await read()).toMatch(/^(aaaa|bbbb|cccc)$/)
  })

  test('is refused without a range, and with another token', async () => {
    const work = workOn(server, build)
    expect(await work.trace('hello')).toMatchObject({
      status: 400,
      body: { message: '400 Missing header Content-Range' },
    })
    const headers = { 'JOB-TOKEN': 'glcbt-wrong', 'Content-Range': '0-4' }
    expect(await server.anonymous.patch(`/jobs/${build.id}/trace`, 'hello', { headers })).toMatchObject(forbidden())
    expect(await server.anonymous.patch(`/jobs/${build.id}/trace?token=${build.token}`, 'hello')).toMatchObject(
      forbidden(),
    )
    expect(await read()).toBe('')
  })

  test('does not show the values of masked variables, nor the token of the job', async () => {
    const text = `a topsecret1 b ${build.token} c`
    const { headers } = await workOn(server, build).trace(text, `0-${text.length - 1}`)
    expect(headers.get('range')).toBe(`0-${text.length}`)
    const shown = await read()
    expect(shown).toMatch(/^a \[MASKED\]\** b \[MASKED\]\** c$/)
    expect(shown).toHaveLength(text.length)
  })

  test('longer than the limit ends the job', async () => {
    const { database } = server.app.platform
    const work = workOn(server, build)
    await work.trace('hello', '0-4')
    const limit = 100 * 1024 * 1024
    await database.write((tx) => tx.updateTable('ci_job_traces').set({ size_bytes: limit }).execute())
    const answer = await work.trace('x', `${limit}-${limit}`)
    expect(answer).toMatchObject(forbidden())
    expect(answer.headers.get('job-status')).toBe('failed')
    expect(await job(build.id)).toMatchObject({ status: 'failed', failure_reason: 'trace_size_exceeded' })
  })

  test('of an erased job takes nothing', async () => {
    const { database } = server.app.platform
    const erased = { erased_at: clock.now().toISOString() }
    await database.write((tx) => tx.updateTable('ci_jobs').set(erased).where('id', '=', build.id).execute())
    expect(await workOn(server, build).trace('x', '0-0')).toMatchObject(forbidden('Job has been erased!'))
  })
})

describe('artifacts', () => {
  const bytes = randomBytes(300_000)

  test('are uploaded, and downloaded by jobs that depend on them', async () => {
    const work = workOn(server, build)
    const stored = await work.upload(bytes, '?expire_in=1+week')
    expect([stored.status, stored.body]).toEqual([201, '201'])
    expect((await work.upload(bytes, '?artifact_type=archive&artifact_format=zip')).status).toBe(201)
    expect(await work.upload('other')).toMatchObject({
      status: 400,
      body: { message: 'another artifact of the same type already exists' },
    })
    expect((await work.download(build.id)).bytes.equals(bytes)).toBe(true)
    await work.update({ state: 'success' })
    const jobs = [await runner.take(), await runner.take()]
    const dependent = jobs.find(({ job_info }) => job_info.name === 'test')
    const free = jobs.find(({ job_info }) => job_info.name === 'other')
    expect(dependent.dependencies).toEqual([
      {
        ...{ id: build.id, name: 'build', token: dependent.token },
        artifacts_file: { filename: 'artifacts.zip', size: bytes.length },
      },
    ])
    expect(free.dependencies).toEqual([])
    const found = await workOn(server, dependent).download(build.id)
    expect(found.headers.get('content-type')).toBe('application/zip')
    expect(found.headers.get('content-disposition')).toBe('attachment; filename="artifacts.zip"')
    expect(createHash('sha256').update(found.bytes).digest('hex')).toBe(
      createHash('sha256').update(bytes).digest('hex'),
    )
    expect((await workOn(server, free).download(build.id)).status).toBe(403)
    expect((await workOn(server, dependent).download(free.id)).status).toBe(403)
    expect((await workOn(server, dependent).download(dependent.id)).status).toBe(404)
    expect((await work.download(build.id)).status).toBe(403)
    await workOn(server, dependent).update({ state: 'success' })
    expect((await workOn(server, dependent).download(build.id)).status).toBe(403)
    expect(await job(build.id)).toMatchObject({
      artifacts_file: { filename: 'artifacts.zip', size: bytes.length },
      artifacts_expire_at: new Date(clock.now().getTime() + 7 * 86_400_000).toISOString(),
    })
  })

  test('are stored once by concurrent uploads', async () => {
    const work = workOn(server, build)
    const answers = await Promise.all([1, 2, 3].map((n) => work.upload(`content ${n}`)))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 400, 400])
  })

  test('are refused above the limit of the project', async () => {
    await server.root.put(`/projects/${projectId}`, { max_artifacts_size: 1 })
    const work = workOn(server, build)
    expect(await work.upload(randomBytes(1024 * 1024 + 1))).toMatchObject({
      status: 413,
      body: { message: '413 Request Entity Too Large' },
    })
    expect((await work.upload(randomBytes(1024 * 1024))).status).toBe(201)
    await server.root.put(`/projects/${projectId}`, { max_artifacts_size: null })
  })

  test('are refused above the limit of the nearest group that has one', async () => {
    const top = await server.make.group('limited', owner)
    const sub = await server.make.group('inner', owner, { parent: top })
    await queuedProject(server, owner, 'grouped', { config, namespace: sub })
    const work = workOn(server, await runner.take())
    const limit = (group: { id: number }, megabytes: number | null) =>
      server.root.put(`/groups/${group.id}`, { max_artifacts_size: megabytes })
    await limit(top, 2)
    await limit(sub, 1)
    expect((await work.upload(randomBytes(1024 * 1024 + 1))).status).toBe(413)
    await limit(sub, null)
    expect((await work.upload(randomBytes(1024 * 1024 * 2 + 1))).status).toBe(413)
    expect((await work.upload(randomBytes(1024 * 1024 * 2))).status).toBe(201)
  })

  test('are refused in another form, and with another token', async () => {
    const work = workOn(server, build)
    const headers = { 'JOB-TOKEN': build.token }
    const path = `/jobs/${build.id}/artifacts`
    expect(await server.anonymous.post(path, {}, { headers })).toMatchObject({
      status: 400,
      body: { error: 'file is missing' },
    })
    expect((await server.anonymous.post(path, { file: 'text' }, { headers })).status).toBe(400)
    expect((await work.upload('x', '?artifact_format=rar')).status).toBe(400)
    expect((await work.upload('x', '?artifact_type=')).status).toBe(400)
    expect((await workOn(server, { id: build.id, token: 'glcbt-wrong' }).upload('x')).status).toBe(403)
    const odd = await work.upload('x', `?artifact_type=${encodeURIComponent('../../x')}`, '../../../etc/passwd')
    expect(odd.status).toBe(400)
    expect((await work.upload('x', '', '../../../etc/passwd')).status).toBe(201)
    expect((await job(build.id)).artifacts_file.filename).not.toContain('/')
  })

  test('of the kind dotenv give variables to later jobs', async () => {
    const work = workOn(server, build)
    const report = (content: string | Buffer, format = 'gzip') =>
      work.upload(content, `?artifact_type=dotenv&artifact_format=${format}`, '.env.gz')
    const refused = { status: 400, body: { message: 'Invalid Format' } }
    for (const content of [
      'A=1',
      gzipSync('no assignment'),
      gzipSync('A-B=1'),
      gzipSync('A='.padEnd(5121, 'x')),
      gzipSync(Buffer.alloc(50_000_000)),
      gzipSync(Buffer.from([0x41, 0x3d, 0xff])),
      gzipSync(Array.from({ length: 21 }, (_, n) => `V${n}=1`).join('\n')),
    ]) {
      expect(await report(content)).toMatchObject(refused)
    }
    expect(await report(gzipSync('A=1'), 'zip')).toMatchObject(refused)
    const content = gzipSync('VERSION=1.2.3\r\n\n NAME = a = "b" \nVERSION=1.2.4\nCI_JOB_NAME=mine\n')
    expect((await report(content)).status).toBe(201)
    expect((await report(content)).status).toBe(201)
    await work.update({ state: 'success' })
    const jobs = [await runner.take(), await runner.take()]
    const valuesOf = ({ variables }: { variables: { key: string; value: string }[] }) =>
      Object.fromEntries(variables.map(({ key, value }) => [key, value]))
    const dependent = jobs.find(({ job_info }) => job_info.name === 'test')
    expect(valuesOf(dependent)).toMatchObject({ VERSION: '1.2.4', NAME: 'a = "b"', CI_JOB_NAME: 'mine' })
    expect(valuesOf(jobs.find(({ job_info }) => job_info.name === 'other'))).not.toHaveProperty('VERSION')
  })
})

describe('the jobs of a runner', () => {
  test('are listed for those who administer it', async () => {
    const { body, headers } = await server.root.get(`/runners/${runner.id}/jobs?status=running&system_id=s_test`)
    expect(headers.get('x-total')).toBe('1')
    expect(body).toMatchObject([
      {
        ...{ id: build.id, status: 'running', pipeline: { id: pipelineId }, runner: { id: runner.id } },
        project: { id: projectId, path_with_namespace: 'owner/demo', name_with_namespace: 'owner person / demo' },
        commit: { title: 'configure' },
      },
    ])
    for (const name of ['artifacts', 'artifacts_file', 'artifacts_expire_at']) expect(body[0]).not.toHaveProperty(name)
    expect((await server.root.get(`/runners/${runner.id}/jobs?status=failed`)).body).toEqual([])
    expect((await server.root.get(`/runners/${runner.id}/jobs?system_id=other`)).body).toEqual([])
    expect(await owner.get(`/runners/${runner.id}/jobs`)).toMatchObject(forbidden('No access granted'))
    expect((await server.root.get('/runners/999999/jobs')).status).toBe(404)
    const path = `/runners/${runner.id}/jobs`
    const one = await queriesOf(server, () => server.root.get(path))
    await workOn(server, build).update({ state: 'success' })
    await runner.take()
    await runner.take()
    expect((await server.root.get(path)).body).toHaveLength(3)
    expect(await queriesOf(server, () => server.root.get(path))).toBe(one)
    expect((await server.root.get(`/runners/${runner.id}/jobs?status=done`)).status).toBe(400)
  })
})

test('credentials are checked before parameters', async () => {
  const headers = { 'JOB-TOKEN': 'wrong' }
  expect(await server.anonymous.put(`/jobs/${build.id}`, { state: 'odd' }, { headers })).toMatchObject(forbidden())
  expect(await server.anonymous.post(`/jobs/${build.id}/artifacts`, {}, { headers })).toMatchObject(forbidden())
  const odd = { token: 'wrong', info: 'odd' }
  expect(await server.anonymous.post('/jobs/request', odd)).toMatchObject(forbidden())
  expect(await server.anonymous.post('/runners/verify', odd)).toMatchObject(forbidden())
  const right = { 'JOB-TOKEN': build.token }
  expect((await server.anonymous.put(`/jobs/${build.id}`, { state: 'odd' }, { headers: right })).status).toBe(400)
  expect((await server.anonymous.post('/jobs/request', {})).status).toBe(400)
})
