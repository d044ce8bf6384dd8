/** The acceptance walk of contract 14. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  type Client,
  imported,
  importStream,
  makePeople,
  type People,
  startTestServer,
  type TestServer,
} from '../../testing/index.ts'
import { addMembers } from '../../testing/members.ts'
import { relationsOf } from './relations.ts'
import { addIssues, download, entriesOf, exported, exportsOf, linesOf, storedKeys } from './testing.ts'

let server: TestServer
let people: People
let place: string
let projectId: number
let uploaded: { url: string }

beforeAll(async () => {
  server = await startTestServer()
  people = await makePeople(server)
  const commit = (message: string, branch: string) => ({
    message,
    branch,
    files: [['100644', `${message}.txt`, message]] as [string, string, string][],
  })
  const stream = importStream([commit('one', 'main'), commit('two', 'main'), commit('three', 'topic/x')])
  const project = await imported(server, people.owner, 'exported', stream)
  projectId = project.id
  await addMembers(server, project, people)
  place = `/projects/${project.id}`
  for (const name of ['a', 'b', 'c']) {
    const label = { name, color: '#112233', priority: name === 'a' ? 1 : undefined }
    expect((await people.maintainer.post(`${place}/labels`, label)).status).toBe(201)
  }
  await addIssues(server.app.platform.database, project.id, people.developer.id, 1, 1204)
  await addIssues(server.app.platform.database, project.id, people.guest.id, 1205, 1)
  const form = new FormData()
  form.append('file', new Blob(['bytes of the file']), 'ä b.txt')
  uploaded = (await people.maintainer.post(`${place}/uploads`, form)).body
})
afterAll(() => server.stop())

const start = (body: unknown = {}, client: Client = people.maintainer) => client.post(exportsOf(place), body)
const statusOf = (query = '', client: Client = people.maintainer) => client.get(`${exportsOf(place)}/status${query}`)
const asked = (query: string, client: Client = people.maintainer) => client.get(`${exportsOf(place)}/download${query}`)

test('steps 1 and 2: roles, and answers before the first export', async () => {
  const { anonymous } = server
  expect(await anonymous.post(exportsOf(place))).toMatchObject({
    status: 401,
    body: { message: '401 Unauthorized' },
  })
  expect(await start({}, people.developer)).toMatchObject({ status: 403, body: { message: '403 Forbidden' } })
  expect(await start({}, people.outsider)).toMatchObject({ status: 404, body: { message: '404 Project Not Found' } })
  expect(await start({ batched: 'perhaps' })).toMatchObject({ status: 400, body: { error: 'batched is invalid' } })
  expect(await statusOf()).toMatchObject({ status: 200, body: [] })
  for (const relation of ['labels', 'nope', 'project_members', '%F0%9F%92%A5']) {
    expect(await statusOf(`?relation=${relation}`)).toMatchObject({
      status: 404,
      body: { message: 'Export not found' },
    })
  }
  expect(await asked('?relation=labels')).toMatchObject({ status: 404, body: { message: 'Export not found' } })
  for (const relation of ['nope', 'project_members', 'badges', 'constructor', 'labels%2F..', 'x'.repeat(5000)]) {
    expect(await asked(`?relation=${relation}`)).toMatchObject({
      status: 400,
      body: { error: 'relation is not valid', message: { relation: ['is not valid'] } },
    })
  }
  expect(await asked('')).toMatchObject({
    status: 400,
    body: { message: '400 (Bad request) "relation" not given', error: 'relation is missing' },
  })
  for (const query of ['batched=true', 'batch_number=1', 'batch_number=x']) {
    expect(await asked(`?relation=labels&${query}`)).toMatchObject({
      status: 400,
      body: { error: 'batched, batch_number provide all or none of parameters' },
    })
  }
  for (const number of ['x', '1.5', '9'.repeat(40)]) {
    expect(await asked(`?relation=labels&batched=true&batch_number=${number}`)).toMatchObject({
      status: 400,
      body: { error: 'batch_number is invalid' },
    })
  }
})

test('steps 3 to 5 and 8 to 10: an export without batches', async () => {
  const { jobs } = server.app.platform
  const names = relationsOf('project').map(({ name }) => name)
  expect(await start()).toMatchObject({ status: 202, body: { message: '202 Accepted' } })
  const { body: before } = await statusOf()
  expect(before.map(({ relation }: { relation: string }) => relation)).toEqual(names)
  for (const one of before) expect(one).toMatchObject({ error: null, batched: false, batches_count: 0 })
  await jobs.drain()
  const { body: after } = await statusOf()
  for (const one of after) {
    expect(one).toMatchObject({ status: 1, error: null, batched: false })
    expect(one).not.toHaveProperty('batches')
  }

  const file = await download(people.maintainer, place, 'labels')
  expect(file.status).toBe(200)
  expect(file.headers.get('content-type')).toBe('application/gzip')
  expect(file.headers.get('content-disposition')).toBe('attachment; filename="labels.ndjson.gz"')
  expect(file.headers.get('content-length')).toBe(String(file.bytes.length))
  const labels = await linesOf(people.maintainer, place, 'labels')
  expect(labels.map(({ title, color }) => [title, color])).toEqual(['a', 'b', 'c'].map((title) => [title, '#112233']))
  expect(labels.some((line) => 'id' in line)).toBe(false)
  expect(labels[0].priorities).toMatchObject([{ project_id: projectId, priority: 1 }])

  expect((await statusOf('?relation=issues')).body).toMatchObject([{ relation: 'issues', total_objects_count: 1205 }])
  expect(await asked('?relation=issues&batched=true&batch_number=1')).toMatchObject({
    status: 400,
    body: { message: 'Export is not batched' },
  })
  expect((await download(people.maintainer, place, 'labels', '&batched=false&batch_number=7')).status).toBe(200)

  // HEAD and a range.
  const head = await people.maintainer.head(`${exportsOf(place)}/download?relation=labels`)
  expect([head.status, head.headers.get('content-length')]).toEqual([200, String(file.bytes.length)])
  const range = await people.maintainer.open(`${exportsOf(place)}/download?relation=labels`, {
    headers: { Range: 'bytes=2-5' },
  })
  expect(range.status).toBe(206)
  expect(Buffer.from(await range.arrayBuffer())).toEqual(file.bytes.subarray(2, 6))

  // Step 8: git clones the bundle.
  const folder = mkdtempSync(join(tmpdir(), 'fennec-walk-'))
  const bundle = (await entriesOf(people.maintainer, place, 'repository')).get('project.bundle')
  writeFileSync(join(folder, 'project.bundle'), bundle ?? '')
  execFileSync('git', ['clone', '--quiet', '--bare', 'project.bundle', 'clone'], { cwd: folder, stdio: 'ignore' })
  const branches = execFileSync('git', ['branch', '--format=%(refname:short)'], { cwd: join(folder, 'clone') })
  expect(branches.toString().trim().split('\n').sort()).toEqual(['main', 'topic/x'])
  rmSync(folder, { recursive: true })

  // Step 9.
  const uploads = await entriesOf(people.maintainer, place, 'uploads')
  expect([...uploads].map(([path, bytes]) => [`/uploads/${path}`, bytes.toString()])).toEqual([
    [uploaded.url, 'bytes of the file'],
  ])
  expect((await entriesOf(people.maintainer, place, 'design')).size).toBe(0)
  expect([...(await entriesOf(people.maintainer, place, 'lfs_objects')).keys()]).toEqual(['lfs_objects.json'])

  // Step 10.
  const authors = (await linesOf(people.maintainer, place, 'issues')).map(({ author_id }) => author_id)
  const contributors = await linesOf(people.maintainer, place, 'user_contributions')
  expect(contributors.map(({ id }) => id)).toEqual([...new Set(authors)].sort((a, b) => a - b))
  expect(contributors[0]).toEqual({
    ...{ id: people.developer.id, username: people.developer.username },
    ...{ name: expect.any(String), public_email: null },
  })
})

test('steps 6 and 7: an export in batches', async () => {
  const statuses = await exported(server, people.maintainer, place, { batched: true })
  expect(statuses.get('issues')).toMatchObject({
    ...{ batched: true, status: 1, batches_count: 2, total_objects_count: 1205 },
    batches: [
      { status: 1, batch_number: 1, objects_count: 1000, error: null },
      { status: 1, batch_number: 2, objects_count: 205, error: null },
    ],
  })
  expect(statuses.get('boards')).toMatchObject({ batched: true, status: 1, batches_count: 0, batches: [] })
  expect(statuses.get('repository')).toMatchObject({ batched: false, status: 1 })
  const batch = (number: number | string) =>
    linesOf(people.maintainer, place, 'issues', `&batched=true&batch_number=${number}`)
  const [one, two] = [await batch(1), await batch('2')]
  const iids = [...one, ...two].map(({ iid }) => iid)
  expect([one.length, two.length, new Set(iids).size]).toEqual([1000, 205, 1205])
  for (const number of [3, 0, -1, 2 ** 31, '99999999999999999999']) {
    expect(await asked(`?relation=issues&batched=true&batch_number=${number}`)).toMatchObject({
      status: number === '99999999999999999999' ? 400 : 404,
      body: number === '99999999999999999999' ? {} : { message: 'Batch not found' },
    })
  }
  expect(await asked('?relation=issues')).toMatchObject({ status: 400, body: { message: 'Export is batched' } })
  expect((await linesOf(people.maintainer, place, 'self'))[0]).toMatchObject({ visibility_level: 0, archived: false })
})

test('step 11: a group', async () => {
  const group = await server.make.group('exported-group', people.owner)
  await server.make.member({ namespace: group }, people.maintainer, 40)
  const at = `/groups/${group.id}`
  await people.owner.post(`${at}/labels`, { name: 'of the group', color: '#445566' })
  expect((await people.maintainer.post(exportsOf(at))).status).toBe(403)
  expect(await people.outsider.post(exportsOf(at))).toMatchObject({
    status: 404,
    body: { message: '404 Group Not Found' },
  })
  const statuses = await exported(server, people.owner, at)
  expect([...statuses.keys()]).toEqual(relationsOf('group').map(({ name }) => name))
  expect([...statuses.values()].every(({ status }) => status === 1)).toBe(true)
  expect(await linesOf(people.owner, at, 'labels')).toMatchObject([
    { title: 'of the group', type: 'GroupLabel', group_id: group.id },
  ])
  expect(await people.owner.get(`${exportsOf(at)}/download?relation=issues`)).toMatchObject({
    status: 400,
    body: { error: 'relation is not valid' },
  })
})

test('step 12: the setting', async () => {
  const set = (bulk_import_enabled: boolean) => server.root.put('/application/settings', { bulk_import_enabled })
  await set(false)
  const off = { status: 404, body: { message: '404 Not Found' } }
  for (const client of [server.root, people.maintainer, people.developer]) {
    expect(await start({}, client)).toMatchObject(off)
    expect(await statusOf('', client)).toMatchObject(off)
    expect(await asked('?relation=labels', client)).toMatchObject(off)
  }
  expect(await start({}, people.outsider)).toMatchObject({ status: 404, body: { message: '404 Project Not Found' } })
  await set(true)
  expect((await statusOf()).status).toBe(200)
})

test('step 14: files are deleted after a day, records stay', async () => {
  const { database, jobs } = server.app.platform
  await exported(server, people.maintainer, place)
  const own = async () => (await storedKeys(server)).filter((key) => key.includes(`/project/${projectId}/`))
  expect(await own()).toHaveLength(relationsOf('project').length)
  const dayAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString()
  const age = (hours: number) =>
    database.write((tx) =>
      tx
        .updateTable('relation_exports')
        .set({ updated_at: dayAgo(hours) })
        .execute(),
    )
  const watch = async () => {
    await database.write((tx) => jobs.enqueue(tx, 'relation_exports.watch', null))
    await jobs.drain()
  }
  await age(23)
  await watch()
  expect(await own()).toHaveLength(relationsOf('project').length)
  await age(25)
  await watch()
  expect(await storedKeys(server)).toEqual([])
  expect((await statusOf('?relation=labels')).body).toMatchObject([{ status: 1, total_objects_count: 3 }])
  expect(await asked('?relation=labels')).toMatchObject({ status: 404, body: { message: 'Export file not found' } })
})
