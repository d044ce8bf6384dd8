/** Archives of groups: export, import, and files that may be anything (contract 25, Archives; step 9 of the acceptance walk). */
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { bytesAt, type Client, type Person, startTestServer, type TestServer } from '../../testing/index.ts'
import { filesOf } from '../project-archives/testing.ts'
import { mostRuns } from '../transfer-archives/index.ts'
import { importGroupJob } from './importing/job.ts'

let server: TestServer
let owner: Person
let maintainer: Person
let group: { id: number }
beforeAll(async () => {
  server = await startTestServer()
  owner = await server.user('owner')
  maintainer = await server.user('maintainer')
  const limits = ['group_export_limit', 'group_import_limit', 'group_download_export_limit'].map((name) => [name, 0])
  await server.root.put('/application/settings', Object.fromEntries(limits))
  group = await made(owner, '/groups', {
    name: 'Archived',
    path: 'archived',
    description: 'Kept',
    visibility: 'public',
  })
  const base = `/groups/${group.id}`
  await owner.post(`${base}/members`, { user_id: maintainer.id, access_level: 40 })
  await made(owner, `${base}/labels`, { name: 'ui', color: '#112233' })
  await made(owner, `${base}/milestones`, { title: 'v1' })
  await made(owner, `${base}/epics`, { title: 'Epic', labels: 'ui' })
  const below = await made(owner, '/groups', {
    name: 'Below',
    path: 'below',
    parent_id: group.id,
    visibility: 'public',
  })
  await made(owner, `/groups/${below.id}/labels`, { name: 'deep', color: '#445566' })
  await made(owner, '/groups', { name: 'Deeper', path: 'deeper', parent_id: below.id })
})
afterAll(() => server.stop())

async function made(client: Client, path: string, body: object) {
  const answer = await client.post(path, body)
  if (answer.status !== 201) throw new Error(`${path}: ${answer.status} ${JSON.stringify(answer.body)}`)
  return answer.body
}

const drain = () => server.app.platform.jobs.drain()
const place = () => `/groups/${group.id}`

async function exported(): Promise<Buffer> {
  expect(await owner.post(`${place()}/export`)).toMatchObject({ status: 202, body: { message: '202 Accepted' } })
  await drain()
  const { status, bytes } = await bytesAt(owner, `${place()}/export/download`)
  expect(status).toBe(200)
  return bytes
}

function upload(client: Client, bytes: Buffer, fields: Record<string, string>, name = 'a.tar.gz') {
  const form = new FormData()
  for (const [key, value] of Object.entries(fields)) form.append(key, value)
  form.append('file', new Blob([new Uint8Array(bytes)]), name)
  return client.post('/groups/import', form)
}

/** An archive of these files. */
function archiveOf(files: Record<string, string>): Buffer {
  const folder = mkdtempSync(join(tmpdir(), 'fennec-group-archive-'))
  try {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true })
      writeFileSync(join(folder, path), text)
    }
    execFileSync('tar', ['-czf', join(folder, '..', 'made.tar.gz'), '-C', folder, '.'])
    return readFileSync(join(folder, '..', 'made.tar.gz'))
  } finally {
    rmSync(folder, { recursive: true })
  }
}

const statusOf = async (path: string) => (await owner.get(`/groups/${encodeURIComponent(path)}/import`)).body
const names = async (path: string, list: string) =>
  (await owner.get(`/groups/${encodeURIComponent(path)}/${list}`)).body.map(
    (one: { name?: string; title?: string }) => one.name ?? one.title,
  )

describe('an export of a group', () => {
  test('is for its Owners, and has a state', async () => {
    for (const path of ['export', 'export/download', 'import']) {
      expect((await maintainer.get(`${place()}/${path}`)).status).toBe(403)
      expect((await server.anonymous.get(`${place()}/${path}`)).status).toBe(401)
    }
    expect((await maintainer.post(`${place()}/export`)).status).toBe(403)
    const identity = { id: group.id, name: 'Archived', path: 'archived', full_path: 'archived' }
    expect((await owner.get(`${place()}/export`)).body).toEqual({
      ...identity,
      created_at: expect.any(String),
      export_status: 'none',
    })
    expect(await owner.get(`${place()}/export/download`)).toMatchObject({
      status: 404,
      body: { message: '404 Not found or has expired' },
    })
    await exported()
    expect((await owner.get(`${place()}/export`)).body).toMatchObject({
      ...identity,
      export_status: 'finished',
      _links: { api_url: `${server.url}/api/v4${place()}/export/download` },
    })
    expect((await owner.get(`${place()}/import`)).body).toMatchObject({
      ...identity,
      import_status: 'none',
      import_error: null,
    })
  })

  test('consists of the group and those below it', async () => {
    const files = filesOf(await exported())
    expect(files.get('VERSION')?.toString()).toBe('0.2.4\n')
    const ids = String(files.get('tree/groups/_all.ndjson')).trim().split('\n').map(Number)
    expect([ids[0], ids.length]).toEqual([group.id, 3])
    const roots = ids.map((id) => JSON.parse(String(files.get(`tree/groups/${id}.json`))))
    expect(roots.map(({ path, parent_id }) => [path, parent_id])).toEqual([
      ['archived', null],
      ['below', group.id],
      ['deeper', ids[1]],
    ])
    const labels = String(files.get(`tree/groups/${group.id}/labels.ndjson`))
    expect(JSON.parse(labels)).toMatchObject({ title: 'ui', color: '#112233' })
    expect(files.has(`tree/groups/${group.id}/members.ndjson`)).toBe(true)
    expect([...files.values()].map(String).join('')).not.toContain(owner.token)
  })
})

describe('an import of a group', () => {
  test('makes the group at once, and then what was in it', async () => {
    const bytes = await exported()
    const fields = { path: 'imported', name: 'Imported' }
    expect(await upload(owner, bytes, fields)).toMatchObject({ status: 202, body: { message: '202 Accepted' } })
    expect((await owner.get('/groups/imported')).body).toMatchObject({ name: 'Imported', visibility: 'private' })
    await drain()
    expect(await statusOf('imported')).toMatchObject({ import_status: 'finished', import_error: null })
    expect((await owner.get('/groups/imported')).body).toMatchObject({ description: 'Kept', visibility: 'private' })
    for (const [path, list, found] of [
      ['imported', 'labels', ['ui']],
      ['imported', 'milestones', ['v1']],
      ['imported', 'epics', ['Epic']],
      ['imported', 'subgroups', ['Below']],
      ['imported/below', 'labels', expect.arrayContaining(['deep'])],
      ['imported/below', 'subgroups', ['Deeper']],
    ] as const) {
      expect([path, list, await names(path, list)]).toEqual([path, list, found])
    }
    const parent = await made(owner, '/groups', { name: 'Above', path: 'above', visibility: 'internal' })
    expect((await upload(owner, bytes, { path: 'in', name: 'In', parent_id: String(parent.id) })).status).toBe(202)
    await drain()
    expect((await owner.get('/groups/above%2Fin')).body.visibility).toBe('internal')
  })

  test('refuses what it cannot make a group of', async () => {
    const bytes = Buffer.from('x')
    const fields = { path: 'p', name: 'P' }
    expect((await upload(server.anonymous, bytes, fields)).status).toBe(401)
    expect((await upload(owner, bytes, { name: 'P' })).body.error).toBe('path is missing')
    expect((await owner.post('/groups/import', { path: 'p', name: 'P' })).body.error).toBe('file is missing')
    expect((await owner.post('/groups/import', { ...fields, file: 'x' })).body.error).toBe('file is invalid')
    expect((await upload(owner, bytes, fields, 'a.txt')).status).toBe(422)
    expect(await upload(owner, bytes, { ...fields, parent_id: '999999' })).toMatchObject({
      status: 404,
      body: { message: '404 Group Not Found' },
    })
    expect(
      (await upload(maintainer, bytes, { ...fields, parent_id: String((await server.make.group('closed', owner)).id) }))
        .status,
    ).toBe(404)
    const taken = await upload(owner, bytes, { path: 'archived', name: 'Other' })
    expect([taken.status, taken.body.message]).toEqual([
      400,
      'Failed to save group {:path=>["has already been taken"]}',
    ])
    expect((await upload(owner, bytes, { path: '../x', name: 'Y' })).body.message).toMatch(
      /^Failed to save group \{:path=>/,
    )
    const keys = (await Array.fromAsync(server.app.platform.objects.list())).map(({ key }) => String(key))
    const { read } = server.app.platform.database
    const rows = await read.selectFrom('transfer_imports').select('secret').where('secret', 'is not', null).execute()
    const exports = await read.selectFrom('transfer_exports').select('secret').where('secret', 'is not', null).execute()
    expect(keys.filter((key) => key.startsWith('transfer-archives/')).length).toBe(rows.length + exports.length)
  })

  const version = { VERSION: '0.2.4' }
  test.each([
    ['no-gzip', Buffer.from('no gzip'), 'The archive is not a gzip file, or is damaged'],
    ['no-version', archiveOf({ 'tree/groups/_all.ndjson': '1' }), 'The archive has no file VERSION'],
    ['old', archiveOf({ VERSION: '0.1' }), 'Import version mismatch: Required 0.2.4 but was 0.1'],
    ['no-groups', archiveOf(version), 'The archive has no groups'],
    ['lists', archiveOf({ ...version, 'tree/groups/_all.ndjson': 'x\n-1\n1e9\n' }), 'The archive has no groups'],
  ])('of %s fails with its reason', async (path, bytes, reason) => {
    expect((await upload(owner, bytes, { path, name: path })).status).toBe(202)
    await drain()
    expect(await statusOf(path)).toMatchObject({ import_status: 'failed', import_error: reason })
  })

  test('leaves out lines and groups that are none', async () => {
    const at = '2026-01-02T03:04:05Z'
    const bytes = archiveOf({
      ...version,
      'tree/groups/_all.ndjson': '1\n2\n3\n4\n5\n1\n',
      'tree/groups/1.json': '{"id":1,"name":7}',
      'tree/groups/1/labels.ndjson': `{\n[]\n{"title":"good","color":"#112233","created_at":"${at}"}\n{"title":{}}\n`,
      // Of these the parent is missing, is the group itself, or cannot be made; the last has no file.
      'tree/groups/2.json': '{"parent_id":99,"name":"A","path":"a"}',
      'tree/groups/3.json': '{"parent_id":3,"name":"B","path":"b"}',
      'tree/groups/4.json': '{"parent_id":1,"name":"C","path":"../c"}',
    })
    await upload(owner, bytes, { path: 'odd', name: 'Odd' })
    await drain()
    expect(await statusOf('odd')).toMatchObject({ import_status: 'finished' })
    expect(await names('odd', 'labels')).toEqual(['good'])
    expect(await names('odd', 'subgroups')).toEqual([])
  })

  test('fails when its process has died in every run', async () => {
    const { platform } = server.app
    await upload(owner, archiveOf({ ...version, 'tree/groups/_all.ndjson': '1' }), { path: 'deadly', name: 'Deadly' })
    await drain()
    const { id } = (await owner.get('/groups/deadly')).body
    const { id: importId } = await platform.database.write((tx) =>
      tx
        .updateTable('transfer_imports')
        .set({ state: 'started' })
        .where('namespace_id', '=', id)
        .returning('id')
        .executeTakeFirstOrThrow(),
    )
    const signal = new AbortController().signal
    await importGroupJob.run(platform, { importId }, { jobId: 0, attempt: mostRuns + 1, signal })
    expect(await statusOf('deadly')).toMatchObject({ import_status: 'failed', import_error: 'The import failed' })
  })

  test('ends when its user does not own the group any more', async () => {
    const bytes = archiveOf({ ...version, 'tree/groups/_all.ndjson': '1' })
    const { platform } = server.app
    await upload(owner, bytes, { path: 'lost', name: 'Lost' })
    const { id } = (await server.root.get('/groups/lost')).body
    await platform.database.write((tx) =>
      tx.updateTable('members').set({ access_level: 30 }).where('namespace_id', '=', id).execute(),
    )
    await drain()
    const error = (await server.root.get('/groups/lost/import')).body.import_error
    expect([null, 'The user may not import into the group any more']).toContain(error)
  })
})
