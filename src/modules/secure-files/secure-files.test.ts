import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { storageKey } from '../../infra/objects/index.ts'
import {
  bytesAt,
  makePeople,
  type People,
  type ProjectWithMembers,
  projectWithMembers,
  startTestServer,
  type TestServer,
} from '../../testing/index.ts'
import { jobWithToken } from '../pipelines/testing.ts'
import { keyOfFile } from './keys.ts'
import { secureFileProblems, sweepFilesJob } from './removal.ts'

let server: TestServer
let people: People
let place: ProjectWithMembers
let files: string
let count = 0
beforeAll(async () => {
  server = await startTestServer()
  people = await makePeople(server)
})
afterAll(() => server.stop())
beforeEach(async () => {
  count += 1
  place = await projectWithMembers(server, { people, path: `secure-${count}` })
  files = `/projects/${place.project.id}/secure_files`
})

type Given = { name?: string; content?: Buffer | string; more?: Record<string, string> }

function form({ name = 'key.jks', content = 'secret content', more = {} }: Given = {}): FormData {
  const body = new FormData()
  body.set('name', name)
  body.set('file', new Blob([content as never]), 'ignored.bin')
  for (const [key, text] of Object.entries(more)) body.set(key, text)
  return body
}

async function upload(given?: Given) {
  const { status, body } = await people.maintainer.post(files, form(given))
  expect([status, body]).toEqual([201, expect.anything()])
  return body
}

const rowsOfProject = () =>
  server.app.platform.database.read
    .selectFrom('ci_secure_files')
    .selectAll()
    .where('project_id', '=', place.project.id)
    .execute()

test('a file is stored, listed and downloaded', async () => {
  const content = Buffer.from([0, 255, 10, 13, 128, 0xc3, 0x28])
  const file = await upload({ content, more: { permissions: 'read_only' } })
  expect(file).toEqual({
    id: expect.any(Number),
    name: 'key.jks',
    checksum: createHash('sha256').update(content).digest('hex'),
    checksum_algorithm: 'sha256',
    created_at: expect.any(String),
    expires_at: null,
    metadata: null,
    metadata_parsable: false,
    file_extension: 'jks',
  })
  const second = await upload({ name: 'no extension 🦊' })
  expect(second.file_extension).toBeNull()
  expect((await people.developer.get(files)).body).toEqual([file, second])
  expect((await people.developer.get(`${files}?per_page=1&page=2`)).body).toEqual([second])
  expect((await people.developer.get(`${files}/${file.id}`)).body).toEqual(file)
  const { status, headers, bytes } = await bytesAt(people.developer, `${files}/${file.id}/download`)
  expect([status, bytes.equals(content)]).toEqual([200, true])
  expect(headers.get('content-type')).toBe('application/octet-stream')
  expect(headers.get('content-disposition')).toBe('attachment; filename="key.jks"')
  expect(headers.get('cache-control')).toBe('no-store')
})

test('what is stored is neither the content nor the content of another file', async () => {
  const { platform } = server.app
  const first = await upload()
  const second = await upload({ name: 'other' })
  const [one, other] = await rowsOfProject()
  if (!one || !other) throw new Error('no rows')
  const stored = async (row: typeof one) => {
    const opened = await platform.objects.get(keyOfFile(row))
    return opened ? buffer(opened.stream) : Buffer.alloc(0)
  }
  const sealed = await stored(one)
  expect(sealed.length).toBe(one.sealed_bytes)
  for (const text of ['secret content', Buffer.from('secret content').toString('base64')]) {
    expect(sealed.includes(text)).toBe(false)
  }
  await platform.objects.put(keyOfFile(other), Readable.from([sealed]))
  expect((await people.developer.get(`${files}/${second.id}/download`)).status).toBe(422)
  expect((await people.developer.get(`${files}/${first.id}/download`)).body.toString()).toContain('secret content')
})

describe('an upload', () => {
  test('has less than 5 MiB', async () => {
    const limit = 5 * 1024 * 1024
    const content = Buffer.alloc(limit - 1, 'x')
    const { id, checksum } = await upload({ content })
    const { bytes } = await bytesAt(people.developer, `${files}/${id}/download`)
    expect(createHash('sha256').update(bytes).digest('hex')).toBe(checksum)
    expect((await people.maintainer.post(files, form({ name: 'b', content: Buffer.alloc(limit) }))).status).toBe(413)
  })

  test.each<[string, object]>([
    ['a/b', { name: ['is invalid'] }],
    ['..', { name: ['is invalid'] }],
    ['a\\b', { name: ['is invalid'] }],
    ['a\nb', { name: ['is invalid'] }],
    ['\u0085', { name: ['is invalid'] }],
    [' ', { name: ['is invalid'] }],
    ['x'.repeat(256), { name: ['is too long (maximum is 255 characters)'] }],
  ])('is not named %j', async (name, message) => {
    const answer = await people.maintainer.post(files, form({ name }))
    expect([answer.status, answer.body]).toEqual([400, { message }])
  })

  test('needs a name and a content', async () => {
    const empty = await people.maintainer.post(files, form({ content: '' }))
    expect([empty.status, empty.body]).toEqual([400, { message: { file: ["can't be blank"] } }])
    const nothing = await people.maintainer.post(files, new FormData())
    expect(nothing.status).toBe(400)
    const noFile = await people.maintainer.post(files, { name: 'a', file: { uploaded: true, path: '/etc/passwd' } })
    expect(noFile.status).toBe(400)
    expect(await rowsOfProject()).toEqual([])
  })

  test('of a taken name leaves nothing', async () => {
    await upload()
    const { status, body } = await people.maintainer.post(files, form())
    expect([status, body]).toEqual([400, { message: { name: ['has already been taken'] } }])
    const keys: string[] = []
    for await (const { key } of server.app.platform.objects.list(storageKey('secure-files', place.project.id)))
      keys.push(key)
    expect(keys).toHaveLength(1)
  })

  test('is the hundredth at most', async () => {
    const row = (index: number) => ({
      ...{ project_id: place.project.id, name: `f${index}`, secret: `${place.project.id}-${index}`, sha256: '' },
      ...{ size_bytes: 1, sealed_bytes: 1, created_at: new Date(0).toISOString() },
    })
    const all = Array.from({ length: 99 }, (_, index) => row(index))
    await server.app.platform.database.write((tx) => tx.insertInto('ci_secure_files').values(all).execute())
    await upload()
    const { status, body } = await people.maintainer.post(files, form({ name: 'more' }))
    const message = { base: ['Maximum number of project ci secure files (100) exceeded'] }
    expect([status, body]).toEqual([400, { message }])
  })
})

test('a deleted file is gone with its content', async () => {
  const { id } = await upload()
  const [row] = await rowsOfProject()
  const early = { headers: { 'If-Unmodified-Since': 'Mon, 01 Jan 2001 00:00:00 GMT' } }
  expect((await people.maintainer.delete(`${files}/${id}`, early)).status).toBe(412)
  expect((await people.maintainer.delete(`${files}/${id}`)).status).toBe(204)
  expect((await people.maintainer.delete(`${files}/${id}`)).status).toBe(404)
  expect((await people.developer.get(`${files}/${id}/download`)).status).toBe(404)
  expect(row && (await server.app.platform.objects.head(keyOfFile(row)))).toBeNull()
})

test('the contents of a deleted project are removed', async () => {
  const { platform } = server.app
  await upload()
  const [row] = await rowsOfProject()
  await server.root.put('/application/settings', { deletion_adjourned_period: 0 })
  expect((await people.owner.delete(`/projects/${place.project.id}`)).status).toBe(202)
  await platform.jobs.drain()
  expect(await rowsOfProject()).toEqual([])
  expect(row && (await platform.objects.head(keyOfFile(row)))).toBeNull()
})

test('contents without a record are swept after a day, and missing ones are found', async () => {
  const { platform } = server.app
  await upload()
  const [row] = await rowsOfProject()
  if (!row) throw new Error('no row')
  const stray = storageKey('secure-files', place.project.id, 'stray')
  await platform.objects.put(stray, Readable.from([Buffer.from('x')]))
  const tomorrow = { ...platform, clock: { ...platform.clock, now: () => new Date(Date.now() + 90_000_000) } }
  await sweepFilesJob.run(tomorrow, null, { signal: new AbortController().signal } as never)
  expect(await platform.objects.head(stray)).toBeNull()
  expect(await platform.objects.head(keyOfFile(row))).not.toBeNull()
  await platform.objects.delete(keyOfFile(row))
  const problems: string[] = []
  for await (const problem of secureFileProblems(platform)) problems.push(problem)
  expect(problems).toContain(`secure file ${row.id}: its content is missing`)
})

test('developers read, maintainers write, others do neither', async () => {
  const { id } = await upload()
  const statuses = async (name: keyof People | 'anonymous') => {
    const client = name === 'anonymous' ? server.anonymous : people[name]
    const answers = [
      await client.get(files),
      await client.get(`${files}/${id}`),
      await client.get(`${files}/${id}/download`),
      await client.post(files, form({ name: 'other' })),
      await client.delete(`${files}/${id}`),
    ]
    return answers.map(({ status }) => status)
  }
  expect(await statuses('developer')).toEqual([200, 200, 200, 403, 403])
  expect(await statuses('reporter')).toEqual([403, 403, 403, 403, 403])
  expect(await statuses('outsider')).toEqual([404, 404, 404, 404, 404])
  expect(await statuses('anonymous')).toEqual([401, 401, 401, 401, 401])
  await people.owner.put(`/projects/${place.project.id}`, { builds_access_level: 'disabled' })
  expect(await statuses('owner')).toEqual([403, 403, 403, 403, 403])
})

test('a file of another project is not there, nor is what is no number', async () => {
  const { id } = await upload()
  const other = await projectWithMembers(server, { people, path: `other-${count}` })
  const elsewhere = `/projects/${other.project.id}/secure_files`
  for (const path of [
    `${elsewhere}/${id}`,
    `${elsewhere}/${id}/download`,
    `${files}/0`,
    `${files}/99999999999999999999`,
  ]) {
    expect([path, (await people.maintainer.get(path)).status]).toEqual([path, 404])
  }
  expect((await people.maintainer.delete(`${elsewhere}/${id}`)).status).toBe(404)
  const { status, body } = await people.maintainer.get(`${files}/x`)
  expect([status, body.error]).toEqual([400, 'secure_file_id is invalid'])
})

test('a job reads the files of its project with its token, and writes none', async () => {
  const content = 'for the job'
  const { id } = await upload({ content })
  const { token } = await jobWithToken(server, { projectId: place.project.id, userId: people.developer.id })
  const headers = { 'JOB-TOKEN': token }
  const { status, bytes } = await bytesAt(server.anonymous, `${files}/${id}/download`, headers)
  expect([status, bytes.toString()]).toEqual([200, content])
  expect((await server.anonymous.get(files, { headers })).body).toHaveLength(1)
  expect((await server.anonymous.post(files, form({ name: 'other' }), { headers })).status).toBe(401)
  const other = await projectWithMembers(server, { people, path: `jobs-${count}` })
  // The user of the job sees that project, which does not list that of the job.
  expect((await server.anonymous.get(`/projects/${other.project.id}/secure_files`, { headers })).status).toBe(403)
})
