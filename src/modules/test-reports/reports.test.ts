import { Readable } from 'node:stream'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { type Person, startTestServer, type TestServer } from '../../testing/index.ts'
import { storeArtifact } from '../pipelines/index.ts'
import { projectWithConfig } from '../pipelines/testing.ts'
import { bounds } from './junit.ts'
import { forgetFailuresJob } from './recording.ts'
import { suiteNameOf } from './reports.ts'

let server: TestServer
let owner: Person
let project: { id: number }
let pipeline: string
let jobs: Map<string, number>
let count = 0
beforeAll(async () => {
  server = await startTestServer()
  owner = await server.user('owner')
})
afterAll(() => server.stop())
beforeEach(async () => {
  count += 1
  const config = 'unit: {script: a, parallel: 2}\nweb: {script: a}'
  project = await projectWithConfig(server, owner, `tested-${count}`, config)
  await server.app.platform.jobs.drain()
  const rows = (await owner.get(`/projects/${project.id}/jobs`)).body as {
    id: number
    name: string
    pipeline: { id: number }
  }[]
  jobs = new Map(rows.map(({ id, name }) => [name, id]))
  pipeline = `/projects/${project.id}/pipelines/${rows[0]?.pipeline.id}`
})

type Given = { content: string | Buffer; format?: 'gzip' | 'raw'; expireAt?: string | null }

async function upload(name: string, { content, format = 'gzip', expireAt = null }: Given) {
  const job = { id: jobs.get(name) ?? 0, project_id: project.id }
  const bytes = typeof content === 'string' && format === 'gzip' ? gzipSync(content) : Buffer.from(content)
  await storeArtifact(server.app.platform, job, {
    ...{ fileType: 'junit', fileFormat: format, fileName: 'junit.xml.gz', content: Readable.from([bytes]) },
    ...{ accessLevel: 'all', expireAt, maxBytes: 1e9 },
  })
  await server.app.platform.jobs.drain()
}

const report = async () => (await owner.get(`${pipeline}/test_report`)).body
const summary = async () => (await owner.get(`${pipeline}/test_report_summary`)).body
const zeros = { total_time: 0, total_count: 0, success_count: 0, failed_count: 0, skipped_count: 0, error_count: 0 }

const mixed = `<testsuites><testsuite><testsuite><testcase name="good" classname="A" time="1.5"/></testsuite>
  <testcase name="bad" file="a_test.rb" time="0.5"><failure message="no">expected 1</failure>
    <system-out>[[ATTACHMENT|shots/a b.png]]</system-out></testcase>
  <testcase name="later"><skipped/></testcase></testsuite></testsuites>`

test('a pipeline without reports has none', async () => {
  expect(await report()).toEqual({ ...zeros, test_suites: [] })
  const none = { time: 0, count: 0, success: 0, failed: 0, skipped: 0, error: 0, suite_error: null }
  expect(await summary()).toEqual({ total: none, test_suites: [] })
})

test('the cases of a report are counted and shown', async () => {
  await upload('web', { content: mixed })
  const numbers = { total_time: 2, total_count: 3, success_count: 1, failed_count: 1, skipped_count: 1, error_count: 0 }
  const nothing = {
    classname: null,
    file: null,
    execution_time: 0,
    system_output: null,
    stack_trace: null,
    recent_failures: null,
  }
  const files = `${server.url}/api/v4/projects/${project.id}/jobs/${jobs.get('web')}/artifacts`
  expect(await report()).toEqual({
    ...numbers,
    test_suites: [
      {
        ...{ name: 'web', ...numbers, suite_error: null },
        test_cases: [
          { ...nothing, status: 'success', name: 'good', classname: 'A', execution_time: 1.5 },
          {
            ...{ ...nothing, status: 'failed', name: 'bad', file: 'a_test.rb', execution_time: 0.5 },
            ...{ system_output: 'expected 1', attachment_url: `${files}/shots/a%20b.png` },
            recent_failures: { count: 1, base_branch: 'main' },
          },
          { ...nothing, status: 'skipped', name: 'later' },
        ],
      },
    ],
  })
  expect(await summary()).toEqual({
    total: { time: 2, count: 3, success: 1, failed: 1, skipped: 1, error: 0, suite_error: null },
    test_suites: [{ name: 'web', ...numbers, build_ids: [jobs.get('web')], suite_error: null }],
  })
})

test('parallel jobs are one suite; of a case with one name the last one counts, and a failed one before others', async () => {
  const twice = `<testsuite><testcase name="a"><failure>x</failure></testcase><testcase name="a"/><testcase name="b"/>
    <testcase name="b"><error/></testcase><testcase name="c" time="1"/><testcase name="c" time="2"/></testsuite>`
  await upload('unit 1/2', { content: twice })
  await upload('unit 2/2', { content: mixed })
  const { test_suites: suites } = await report()
  expect(suites.map(({ name }: { name: string }) => name)).toEqual(['unit'])
  expect(suites[0]).toMatchObject({ total_count: 6, failed_count: 2, error_count: 1, success_count: 2, total_time: 4 })
  expect(suites[0].test_cases.map(({ name, status }: Record<string, string>) => `${name} ${status}`)).toEqual([
    ...['a failed', 'b error', 'c success', 'good success', 'bad failed', 'later skipped'],
  ])
  expect((await summary()).test_suites[0].build_ids).toEqual([jobs.get('unit 1/2'), jobs.get('unit 2/2')])
})

test.each([
  ['unit 1/3', 'unit'],
  ['unit: [a, b]', 'unit'],
  ['unit [a]', 'unit'],
  ['unit 1', 'unit 1'],
  ['a/b', 'a/b'],
])('the suite of the job %s is %s', (job, suite) => {
  expect(suiteNameOf(job)).toBe(suite)
})

describe('a report that cannot be read', () => {
  test.each<[string, Given, RegExp]>([
    ['no XML', { content: '<testsuite>' }, /^JUnit XML parsing failed: /],
    ['an entity bomb', { content: '<!DOCTYPE a [<!ENTITY b "c">]><testsuite/>' }, /^JUnit XML parsing failed: /],
    ['another document', { content: '<html/>' }, /^JUnit data parsing failed: the root is html/],
    ['damaged', { content: Buffer.from('no gzip') }, /^JUnit data parsing failed: the compression is damaged/],
    ['cut', { content: gzipSync(mixed).subarray(0, 60) }, /^JUnit data parsing failed: the compression is damaged/],
  ])('%s says so, beside the others', async (_name, given, expected) => {
    await upload('web', given)
    await upload('unit 1/2', { content: mixed, format: 'raw' })
    const { test_suites: suites, ...numbers } = await report()
    expect(numbers).toMatchObject({ total_count: 3, failed_count: 1 })
    const web = suites.find(({ name }: { name: string }) => name === 'web')
    expect(web).toEqual({ name: 'web', ...zeros, suite_error: expect.stringMatching(expected), test_cases: [] })
    expect((await summary()).total.suite_error).toMatch(expected)
  })

  test('a bomb of compression is refused at its limit', async () => {
    const { bytes } = bounds
    onTestFinished(() => {
      bounds.bytes = bytes
    })
    bounds.bytes = 1_000_000
    await upload('web', { content: `<testsuite>${' '.repeat(1_000_000)}</testsuite>` })
    expect((await summary()).total.suite_error).toBe('JUnit data parsing failed: more than 1000000 bytes')
  })
})

test('results are made once, kept beside the report, not listed, and go with it', async () => {
  const { platform } = server.app
  await upload('web', { content: mixed })
  const first = await report()
  const id = jobs.get('web') ?? 0
  const rows = () =>
    platform.database.read.selectFrom('ci_job_artifacts').selectAll().where('job_id', '=', id).execute()
  const junit = (await rows()).find(({ file_type }) => file_type === 'junit')
  // Without the report the results are still there.
  await platform.objects.delete(junit?.storage_key as never)
  expect(await report()).toEqual(first)
  expect(await rows()).toHaveLength(2)
  const listed = (await owner.get(`/projects/${project.id}/jobs/${id}`)).body.artifacts
  expect(listed.map(({ file_type: type }: { file_type: string }) => type)).toEqual(['junit'])
  expect((await owner.delete(`/projects/${project.id}/jobs/${id}/artifacts`)).status).toBe(204)
  expect((await report()).total_count).toBe(0)
})

test('reports of jobs that were repeated and those that have expired do not count', async () => {
  await upload('web', { content: mixed, expireAt: '2020-01-01T00:00:00.000Z' })
  expect((await report()).total_count).toBe(0)
  await upload('unit 1/2', { content: mixed })
  expect((await report()).total_count).toBe(3)
  const { database } = server.app.platform
  await database.write((tx) =>
    tx
      .updateTable('ci_jobs')
      .set({ retried: true })
      .where('id', '=', jobs.get('unit 1/2') ?? 0)
      .execute(),
  )
  expect((await report()).total_count).toBe(0)
})

test('failures on the default branch are counted for two weeks', async () => {
  const { platform } = server.app
  await upload('unit 1/2', { content: mixed })
  await upload('unit 2/2', { content: mixed })
  const recent = async () => (await report()).test_suites[0].test_cases.map(({ recent_failures: one }: never) => one)
  expect(await recent()).toContainEqual({ count: 2, base_branch: 'main' })
  const later = { ...platform, clock: { ...platform.clock, now: () => new Date(Date.now() + 15 * 86_400_000) } }
  await forgetFailuresJob.run(later, null, { signal: new AbortController().signal } as never)
  expect(await recent()).not.toContainEqual(expect.objectContaining({ base_branch: 'main' }))
})

test('readers of the jobs read the report, others do not', async () => {
  const [outsider, guest] = [await server.user(`outsider${count}`), await server.user(`guest${count}`)]
  await server.make.member({ project: project as never }, guest, 10)
  expect((await outsider.get(`${pipeline}/test_report`)).status).toBe(404)
  expect((await guest.get(`${pipeline}/test_report`)).status).toBe((await guest.get(pipeline)).status)
  const absent = await owner.get(`/projects/${project.id}/pipelines/999999/test_report`)
  expect([absent.status, absent.body.message]).toEqual([404, '404 Not found'])
})
