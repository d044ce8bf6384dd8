import { Readable } from 'node:stream'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { manualClock } from '../../../infra/clock/index.ts'
import { bytesAt, type Person, startTestServer, type TestServer, zipOf } from '../../../testing/index.ts'
import { finishJob, transitionJob } from '../processing/job-changes.ts'
import { projectWithConfig } from '../testing.ts'
import { expiryOf, findArtifact, storeArtifact } from './artifacts.ts'

const clock = manualClock({ start: '2026-03-01T12:00:00.000Z' })
let server: TestServer
let owner: Person
let developer: Person
let guest: Person
beforeAll(async () => {
  server = await startTestServer({ clock })
  owner = await server.user('owner')
  developer = await server.user('developer')
  guest = await server.user('guest')
})
afterAll(() => server.stop())

const drain = () => server.app.platform.jobs.drain()

async function made(path: string) {
  const project = await projectWithConfig(server, owner, path, 'one: {script: a}')
  await server.make.member({ project }, developer, 30)
  await server.make.member({ project }, guest, 10)
  await drain()
  return { project, base: `/projects/${project.id}` }
}

type Options = { accessLevel?: 'all' | 'developer' | 'none'; expireIn?: string; content?: Buffer; maxBytes?: number }
const archive = zipOf({ 'out/a.txt': 'hello', 'out/große datei': 'x'.repeat(10_000), 'out/empty': '' })

/** Runs the job of the newest pipeline, which uploads an archive. */
async function upload(
  base: string,
  { accessLevel = 'all', expireIn, content = archive, maxBytes = 1e6 }: Options = {},
) {
  const { platform } = server.app
  const [{ id }] = (await owner.get(`${base}/jobs?scope[]=pending`)).body
  const { database } = platform
  const row = await database.read.selectFrom('ci_jobs').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
  await database.write((tx) => transitionJob(platform, tx, row, 'run'))
  const file = { fileType: 'archive', fileFormat: 'zip', fileName: 'artifacts.zip', accessLevel, maxBytes } as const
  const store = (bytes: Buffer) =>
    storeArtifact(platform, row, { ...file, content: Readable.from([bytes]), expireAt: expiryOf(platform, expireIn) })
  const stored = await store(content)
  expect(stored.outcome).toBe('stored')
  expect((await store(content)).outcome).toBe('same')
  expect((await store(Buffer.from('other'))).outcome).toBe('exists')
  await finishJob(platform, row, { state: 'success' })
  return id as number
}

const run = (base: string) => owner.post(`${base}/pipeline`, { ref: 'main' })

describe('the archive of a job', () => {
  test('is downloaded whole, and its files one by one', async () => {
    const { base } = await made('downloaded')
    const id = await upload(base)
    const path = `${base}/jobs/${id}/artifacts`
    const whole = await bytesAt(owner, path)
    expect([whole.status, whole.headers.get('content-type')]).toEqual([200, 'application/zip'])
    expect(whole.headers.get('content-disposition')).toBe('attachment; filename="artifacts.zip"')
    expect(whole.bytes.equals(archive)).toBe(true)
    const file = await bytesAt(guest, `${path}/out/a.txt`)
    expect([String(file.bytes), file.headers.get('content-type')]).toEqual(['hello', 'text/plain; charset=utf-8'])
    const large = await bytesAt(owner, `${path}/out%2Fgro%C3%9Fe%20datei`)
    expect([large.bytes.length, large.headers.get('content-type')]).toEqual([10_000, 'application/octet-stream'])
    expect((await bytesAt(owner, `${path}/out/empty`)).bytes.length).toBe(0)
    expect((await owner.get(`${base}/jobs/${id}`)).body).toMatchObject({
      ...{ artifacts_file: { filename: 'artifacts.zip', size: archive.length } },
      artifacts: [{ file_type: 'archive', size: archive.length, filename: 'artifacts.zip', file_format: 'zip' }],
    })
  })

  test.each(['out%2F..%2Fa.txt', '%2Fetc%2Fpasswd', '..%2F..', 'a/%2e%2e%2fb'])('has no file at %s', async (odd) => {
    const { base } = await made(`odd-${odd.replace(/\W/g, '')}`)
    const id = await upload(base)
    const answer = await owner.get(`${base}/jobs/${id}/artifacts/${odd}`)
    expect(answer).toMatchObject({ status: 400, body: { message: '400 Bad request' } })
    const missing = await owner.get(`${base}/jobs/${id}/artifacts/out`)
    expect(missing).toMatchObject({ status: 404, body: { message: '404 Not Found' } })
  })

  test('may be closed to others', async () => {
    const { base } = await made('closed')
    const id = await upload(base, { accessLevel: 'developer' })
    const path = `${base}/jobs/${id}/artifacts`
    expect((await guest.get(path)).status).toBe(403)
    expect((await bytesAt(developer, path)).status).toBe(200)
  })

  test('that is no archive has no files', async () => {
    const { base } = await made('damaged')
    const end = archive.subarray(0, -8)
    const id = await upload(base, { content: Buffer.concat([end, Buffer.alloc(8, 0xff)]) })
    expect((await owner.get(`${base}/jobs/${id}/artifacts/out/a.txt`)).status).toBe(404)
    expect((await bytesAt(owner, `${base}/jobs/${id}/artifacts`)).status).toBe(200)
  })

  test('above the limit is refused', async () => {
    const { base } = await made('limited')
    await expect(upload(base, { maxBytes: 10 })).rejects.toMatchObject({ status: 413 })
  })

  test('of the newest successful pipeline is found by its ref', async () => {
    const { base } = await made('by-ref')
    await upload(base)
    await run(base)
    const newer = zipOf({ 'a.txt': 'newer' }, true)
    await upload(base, { content: newer })
    await run(base)
    const whole = await bytesAt(owner, `${base}/jobs/artifacts/main/download?job=one`)
    expect(whole.bytes.equals(newer)).toBe(true)
    const file = await bytesAt(owner, `${base}/jobs/artifacts/refs/heads/main/raw/a.txt?job=one`)
    expect(String(file.bytes)).toBe('newer')
    expect((await owner.get(`${base}/jobs/artifacts/main/download?job=two`)).status).toBe(404)
    const missing = await owner.get(`${base}/jobs/artifacts/main/download`)
    expect(missing).toMatchObject({ status: 400, body: { error: 'job is missing' } })
  })
})

describe('artifacts', () => {
  const expire = async () => {
    const { database, jobs } = server.app.platform
    await database.write((tx) => jobs.enqueue(tx, 'pipelines.expire_artifacts', null))
    await drain()
  }
  const isThere = async (id: number) => (await findArtifact(server.app.platform, id)) !== null

  test('expire, except those of the newest successful pipeline of the ref', async () => {
    const { base } = await made('expired')
    const old = await upload(base, { expireIn: '1 hour' })
    await run(base)
    const latest = await upload(base, { expireIn: '1 hour' })
    await run(base)
    clock.advance(3_599_000)
    expect([await isThere(old), await isThere(latest)]).toEqual([true, true])
    clock.advance(1000)
    expect([await isThere(old), await isThere(latest)]).toEqual([false, true])
    await expire()
    const { read } = server.app.platform.database
    const rows = await read
      .selectFrom('ci_job_artifacts')
      .select('job_id')
      .where('job_id', 'in', [old, latest])
      .execute()
    expect(rows).toEqual([{ job_id: latest }])
  })

  test('are kept on request', async () => {
    const { base } = await made('kept')
    const id = await upload(base, { expireIn: '1 hour' })
    const path = `${base}/jobs/${id}/artifacts/keep`
    expect((await owner.get(`${base}/jobs/${id}`)).body.artifacts_expire_at).toBe(
      new Date(clock.now().getTime() + 3_600_000).toISOString(),
    )
    expect(await owner.post(path, {})).toMatchObject({ status: 200, body: { artifacts_expire_at: null } })
    await owner.delete(`${base}/jobs/${id}/artifacts`)
    expect(await owner.post(path, {})).toMatchObject({ status: 404, body: { message: '404 Not Found' } })
  })

  test('are deleted: of a job, and of a project without those of the newest successful pipelines', async () => {
    const { base, project } = await made('deleted')
    const old = await upload(base)
    await run(base)
    const latest = await upload(base)
    expect((await developer.delete(`/projects/${project.id}/artifacts`)).status).toBe(403)
    const answer = await owner.delete(`/projects/${project.id}/artifacts`)
    expect(answer).toMatchObject({ status: 202, body: { message: '202 Accepted' } })
    await drain()
    expect([await isThere(old), await isThere(latest)]).toEqual([false, true])
    for (let time = 0; time < 2; time += 1) {
      expect((await owner.delete(`${base}/jobs/${latest}/artifacts`)).status).toBe(204)
    }
    expect(await isThere(latest)).toBe(false)
  })

  test('are removed from the object store with their project', async () => {
    const { base, project } = await made('removed')
    await upload(base)
    const { objects, database, jobs } = server.app.platform
    const keysOf = async () =>
      (await Array.fromAsync(objects.list())).filter(({ key }) => key.startsWith(`ci/${project.id}/`))
    expect(await keysOf()).toHaveLength(1)
    await database.write((tx) => jobs.enqueue(tx, 'pipelines.remove_files', { projectId: project.id, jobIds: null }))
    await drain()
    expect(await keysOf()).toEqual([])
  })
})

test('the running jobs of a blocked user fail', async () => {
  const { base } = await made('blocked')
  const other = await server.user('blocked-one')
  const { database } = server.app.platform
  await database.write((tx) => tx.updateTable('users').set({ is_admin: true }).where('id', '=', owner.id).execute())
  const [{ id }] = (await owner.get(`${base}/jobs`)).body
  await database.write((tx) => tx.updateTable('ci_jobs').set({ user_id: other.id }).where('id', '=', id).execute())
  expect((await owner.post(`/users/${other.id}/block`, {})).status).toBe(201)
  await drain()
  expect((await owner.get(`${base}/jobs/${id}`)).body).toMatchObject({
    status: 'failed',
    failure_reason: 'user_blocked',
  })
})
