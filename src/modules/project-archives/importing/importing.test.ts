import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { tarEnd, tarHeader } from '../../../infra/tar/index.ts'
import {
  type Client,
  makePeople,
  type People,
  projectWithTwoCommits,
  startTestServer,
  type TestServer,
} from '../../../testing/index.ts'
import { mostRuns } from '../../transfer-archives/index.ts'
import { archiveOf, exportedArchive, filesOf, formOf, imported, type Line } from '../testing.ts'
import { importProjectJob } from './job.ts'

let server: TestServer
let people: People
let archive: Buffer
beforeAll(async () => {
  server = await startTestServer()
  people = await makePeople(server)
  const unlimited = { project_export_limit: 0, project_download_export_limit: 0, project_import_limit: 0 }
  await server.root.put('/application/settings', unlimited)
  const { project } = await projectWithTwoCommits(server, { people, path: 'source' })
  const place = `/projects/${project.id}`
  await people.maintainer.post(`${place}/labels`, { name: 'ui', color: '#112233' })
  await people.developer.post(`${place}/issues`, { title: 'An issue', description: 'By the developer', labels: 'ui' })
  archive = await exportedArchive(server, people.maintainer, place)
})
afterAll(() => server.stop())

let count = 0
let path: string
beforeEach(() => {
  count += 1
  path = `copy-${count}`
})

const drain = () => server.app.platform.jobs.drain()
const post = (body: unknown, client: Client = people.owner) => client.post('/projects/import', body)
const send = (fields: Record<string, string>, client?: Client, content: Buffer | string = archive, name?: string) =>
  post(formOf(content, { path, ...fields }, name), client)

/** The archive with other files. */
function changed(change: (files: Map<string, Buffer>) => void): Buffer {
  const files = filesOf(archive)
  change(files)
  return archiveOf(files)
}

const line = (value: unknown) => `${JSON.stringify(value)}\n`
const at = '2026-01-02T03:04:05.678Z'

/** The run of a job after those in which its process has died. */
const runAfterAll = { jobId: 0, attempt: mostRuns + 1, signal: new AbortController().signal }

describe('an import', () => {
  test('is refused for parameters', async () => {
    const refused = async (body: unknown) => {
      const { status, body: answer } = await post(body)
      return [status, answer.error ?? answer.message]
    }
    expect(await refused({})).toEqual([400, 'file is missing, path is missing'])
    expect(await refused({ path, file: 'text' })).toEqual([400, 'file is invalid'])
    expect(await refused(formOf(archive, { path: ' ' }))).toEqual([400, 'path is empty'])
    expect(await refused(formOf(archive, { path, overwrite: 'perhaps' }))).toEqual([400, 'overwrite is invalid'])
    expect(await refused(formOf(archive, { path }, 'a.txt'))).toEqual([
      422,
      { error: 'You need to upload a GitLab project export archive (ending in .gz).' },
    ])
    const named = formOf(archive, { path, 'override_params[visibility]': 'secret' })
    expect(await refused(named)).toEqual([400, 'override_params[visibility] does not have a valid value'])
  })

  test('is refused for a bad or taken name or path', async () => {
    const messageOf = async (fields: Record<string, string>) => {
      const { status, body } = await send(fields)
      return [status, body.message]
    }
    expect(await messageOf({ path: 'source' })).toEqual([400, 'Path has already been taken'])
    expect(await messageOf({ name: 'source' })).toEqual([400, 'Name has already been taken'])
    const [status, message] = await messageOf({ path: '../up' })
    expect([status, String(message)]).toEqual([400, expect.stringMatching(/^Path can /)])
    expect((await messageOf({ path: 'p'.repeat(300) }))[1]).toContain('Path is too long')
  })

  test('is refused in a namespace where the caller may not import', async () => {
    const { body: group } = await people.owner.post('/groups', { name: 'g', path: 'g', visibility: 'public' })
    await people.owner.post(`/groups/${group.id}/members`, { user_id: people.developer.id, access_level: 30 })
    expect(await send({ namespace: 'g' }, people.developer)).toMatchObject({
      status: 400,
      body: { message: 'Namespace is not valid' },
    })
    await people.owner.put('/groups/g', { visibility: 'private' })
    for (const namespace of ['g', String(group.id), 'nowhere', '999999', '💥', '../g']) {
      expect(await send({ namespace }, people.outsider)).toMatchObject({
        status: 404,
        body: { message: '404 Namespace Not Found' },
      })
    }
    expect((await send({ namespace: 'g' }, people.owner)).status).toBe(201)
    await drain()
  })

  test('is for signed-in users, and can be switched off', async () => {
    expect((await send({}, server.anonymous)).status).toBe(401)
    const { import_sources } = (await server.root.get('/application/settings')).body
    await server.root.put('/application/settings', {
      import_sources: import_sources.filter((one: string) => one !== 'gitlab_project'),
    })
    expect(await send({})).toMatchObject({ status: 403, body: { message: '403 Forbidden' } })
    await server.root.put('/application/settings', { import_sources })
  })

  test('is limited in size, and in number', async () => {
    await server.root.put('/application/settings', { max_import_size: 1 })
    expect((await send({}, people.owner, Buffer.alloc(1024 * 1024 + 1))).status).toBe(413)
    await server.root.put('/application/settings', { max_import_size: 0, project_import_limit: 1 })
    expect((await send({}, people.reporter)).status).toBe(201)
    expect((await send({ path: `${path}-b` }, people.reporter)).status).toBe(429)
    await server.root.put('/application/settings', { project_import_limit: 0 })
    await drain()
  })

  test('is scheduled, and finished with one event and no mail, hook or to-do', async () => {
    const { status, body } = await send({ name: 'Named' })
    expect(status).toBe(201)
    expect(body).toMatchObject({
      ...{ path, name: 'Named', import_status: 'scheduled', import_type: 'gitlab_project', failed_relations: [] },
      ...{ correlation_id: expect.any(String), import_error: null, stats: null },
    })
    await drain()
    expect((await people.owner.get(`/projects/${body.id}/import`)).body.import_status).toBe('finished')
    const { body: events } = await people.owner.get(`/projects/${body.id}/events`)
    expect(events.map(({ action_name }: Line) => action_name)).toEqual(['imported'])
    const keys = (await Array.fromAsync(server.app.platform.objects.list())).map(({ key }) => key as string)
    expect(keys.filter((key) => key.startsWith('transfer-archives/'))).toHaveLength(1)
    expect((await people.developer.get('/todos')).body).toEqual([])
  })

  test('shows what was imported, and gives texts of unknown authors to the importer', async () => {
    const state = await imported(server, people.owner, archive, { path })
    const { body: issue } = await people.owner.get(`/projects/${state.id}/issues/1`)
    expect(issue).toMatchObject({
      ...{ imported: true, imported_from: 'gitlab_project', labels: ['ui'] },
      author: { username: 'owner' },
      description: expect.stringMatching(
        /^\*By developer person on \d{4}-\d\d-\d\dT\d\d:\d\d:\d\d \(imported from GitLab\)\*\n\nBy the developer$/,
      ),
    })
  })

  test('finds authors by confirmed address, and by username only for administrators', async () => {
    const { email, id } = (await server.root.get(`/users/${people.developer.id}`)).body
    const withAddress = changed((files) => {
      files.set('tree/project/user_contributions.ndjson', Buffer.from(line({ id, name: 'D', public_email: email })))
    })
    const byAddress = await imported(server, people.owner, withAddress, { path })
    const authorOf = async (projectId: number) =>
      (await server.root.get(`/projects/${projectId}/issues/1`)).body.author.username
    expect(await authorOf(byAddress.id)).toBe('developer')
    const byName = await imported(server, server.root, archive, { path: `${path}-b` })
    expect(await authorOf(byName.id)).toBe('developer')
  })

  test('adds members only for an Owner, and none above the importer', async () => {
    const emails = new Map<number, string>()
    for (const { id } of [people.maintainer, people.developer]) {
      emails.set(id, (await server.root.get(`/users/${id}`)).body.email)
    }
    const withMembers = changed((files) => {
      const member = (id: number, access_level: number) =>
        line({ access_level, created_at: at, user: { id, public_email: emails.get(id) } })
      const lines = member(people.maintainer.id, 50) + member(people.developer.id, 30)
      files.set('tree/project/project_members.ndjson', Buffer.from(lines))
    })
    const levelsIn = async (projectId: number) =>
      (await server.root.get(`/projects/${projectId}/members`)).body
        .map(({ username, access_level }: Line) => `${username} ${access_level}`)
        .sort()
    const own = await imported(server, people.owner, withMembers, { path })
    expect(await levelsIn(own.id)).toEqual(['developer 30', 'maintainer 50', 'owner 50'])
    const { body: group } = await server.root.post('/groups', { name: path, path })
    await server.root.post(`/groups/${group.id}/members`, { user_id: people.reporter.id, access_level: 40 })
    const others = await imported(server, people.reporter, withMembers, { path, namespace: path })
    expect(await levelsIn(others.id)).toEqual([])
  })

  test('sets attributes that the request names in place of those of the archive', async () => {
    const fields = { path, 'override_params[description]': 'Mine', 'override_params[issues_access_level]': 'private' }
    const state = await imported(server, people.owner, archive, fields)
    expect(state).toMatchObject({ import_status: 'finished', failed_relations: [] })
    expect((await people.owner.get(`/projects/${state.id}`)).body).toMatchObject({
      ...{ description: 'Mine', issues_access_level: 'private' },
    })
  })

  test('replaces a project only at the end, and only for its Owner', async () => {
    const { body: group } = await people.owner.post('/groups', { name: path, path })
    await people.owner.post(`/groups/${group.id}/members`, { user_id: people.maintainer.id, access_level: 40 })
    const { body: old } = await people.owner.post('/projects', { path, name: path, namespace_id: group.id })
    const overwrite = { path, namespace: path, overwrite: 'True' }
    expect(await send(overwrite, people.maintainer)).toMatchObject({
      status: 400,
      body: { message: 'Path has already been taken' },
    })
    const broken = await imported(server, people.owner, archiveOf(new Map()), overwrite)
    expect(broken.import_status).toBe('failed')
    expect((await people.owner.get(`/projects/${path}%2F${path}`)).body.id).toBe(old.id)
    const state = await imported(server, people.owner, archive, overwrite)
    expect(state.import_status).toBe('finished')
    expect((await people.owner.get(`/projects/${path}%2F${path}`)).body).toMatchObject({ id: state.id, name: path })
    expect((await people.owner.get(`/projects/${old.id}`)).status).toBe(404)
  })

  test('goes on after bad rows, which its Maintainers see', async () => {
    const bad = changed((files) => {
      const good = { title: 'good', iid: 7, state: 'opened', created_at: at, author_id: 1 }
      const lines = [
        line({ ...good, iid: 5, title: 'one' }),
        'no JSON\n',
        line([1]),
        line({ ...good, iid: 0 }),
        line({ ...good, iid: 6, title: 'x'.repeat(300) }),
        line({ ...good, iid: 5, title: 'twice' }),
        line({ ...good, created_at: 'yesterday' }),
        line({ ...good, notes: 'none' }),
        line({ ...good, label_links: [{ label: { title: 'a,b', created_at: at } }] }),
        line(good),
        `{"a":${'['.repeat(200)}${']'.repeat(200)}}\n`,
        line({ ...good, iid: 8, title: 'emoji 💥 \u0000 \ud800' }),
      ]
      files.set('tree/project/issues.ndjson', Buffer.from(lines.join('')))
      files.set('tree/project/unknown.ndjson', Buffer.from('whatever'))
    })
    const state = await imported(server, people.owner, bad, { path })
    expect(state.import_status).toBe('finished')
    const failures = state.failed_relations.map((one: Line) => [one.relation_name, one.line_number])
    expect(failures).toEqual([2, 3, 4, 5, 6, 7, 8, 9, 11].map((number) => ['issues', number]))
    expect(state.failed_relations[0]).toMatchObject({ exception_class: 'InvalidRow', source: expect.any(String) })
    const { body: issues } = await people.owner.get(`/projects/${state.id}/issues?order_by=created_at&sort=asc`)
    expect(issues.map(({ iid }: Line) => iid).sort()).toEqual([5, 7, 8])
    await people.owner.put(`/projects/${state.id}`, { visibility: 'public' })
    expect((await server.anonymous.get(`/projects/${state.id}/import`)).body).toMatchObject({
      ...{ import_status: 'finished', failed_relations: [], import_error: null },
    })
    // The next iid follows those of the file.
    expect((await people.owner.post(`/projects/${state.id}/issues`, { title: 'new' })).body.iid).toBe(9)
  })

  test('fails when its process has died in every run', async () => {
    const { platform } = server.app
    const { id } = await imported(server, people.owner, archive, { path })
    const { id: importId } = await platform.database.write((tx) =>
      tx
        .updateTable('transfer_imports')
        .set({ state: 'started' })
        .where('project_id', '=', id)
        .returning('id')
        .executeTakeFirstOrThrow(),
    )
    const payload = { importId, former: null, overrides: {}, source: null }
    await importProjectJob.run(platform, payload, runAfterAll)
    const { body: state } = await people.owner.get(`/projects/${id}/import`)
    expect(state).toMatchObject({ import_status: 'failed', import_error: 'The import failed' })
  })

  test('has at most 100 failures', async () => {
    const bad = changed((files) => files.set('tree/project/labels.ndjson', Buffer.from('x\n'.repeat(150))))
    expect((await imported(server, people.owner, bad, { path })).failed_relations).toHaveLength(100)
  })
})

const tarOf = (...parts: Buffer[]) => gzipSync(Buffer.concat([...parts, tarEnd]))
const header = (name: string, type = '0') => {
  const block = tarHeader({ path: name, kind: 'file', sizeBytes: 0, time: 0 })
  block.write(type, 156)
  block.write('/etc/passwd', 157)
  block.fill(' ', 148, 156)
  const sum = block.reduce((total, byte) => total + byte, 0)
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
  return block
}

describe('an archive is refused that', () => {
  const version = (text: string) => archiveOf(new Map([['VERSION', Buffer.from(text)]]))
  test.each<[string, () => Buffer, string]>([
    ['is no gzip file', () => Buffer.from('plain text'), 'The archive is not a gzip file, or is damaged'],
    ['is empty', () => Buffer.alloc(0), 'The archive is not a gzip file, or is damaged'],
    ['is cut', () => archive.subarray(0, archive.length / 2), 'The archive is not a gzip file, or is damaged'],
    ['is no tar file', () => gzipSync(Buffer.alloc(2000, 'x')), 'The archive is damaged'],
    ['has no version', () => archiveOf(new Map()), 'The archive has no file VERSION'],
    ['has another version', () => version('0.1.0\n'), 'Import version mismatch: Required 0.2.4 but was 0.1.0'],
    ['leads out of its root', () => tarOf(header('../x')), 'The archive has a path that leads out of it'],
    ['has absolute paths', () => tarOf(header('/tmp/x')), 'The archive has a path that leads out of it'],
    ['has a link', () => tarOf(header('x', '2')), 'The archive has something else than files and folders'],
    ['has a device', () => tarOf(header('x', '3')), 'The archive has something else than files and folders'],
    ['has a file twice', () => tarOf(header('x'), header('x')), 'The archive has two files of one name'],
    [
      'has a bundle that is none',
      () => changed((files) => files.set('project.bundle', Buffer.from('no bundle'))),
      'The bundle of the repository could not be read',
    ],
  ])('%s', async (_, content, problem) => {
    const state = await imported(server, people.owner, content(), { path })
    expect(state).toMatchObject({ import_status: 'failed', import_error: problem })
    // It stays as it is, for its Maintainers, until it is deleted.
    const place = `/projects/${state.id}`
    await people.owner.post(`${place}/members`, { user_id: people.reporter.id, access_level: 20 })
    expect((await people.owner.post(`${place}/issues`, { title: 'x' })).status).toBe(403)
    expect((await people.outsider.get(place)).status).toBe(404)
    expect((await people.owner.delete(place)).status).toBe(202)
  })

  test('has objects that git refuses', async () => {
    const { execFileSync } = await import('node:child_process')
    const { mkdtempSync, readFileSync, rmSync } = await import('node:fs')
    const { join } = await import('node:path')
    const { tmpdir } = await import('node:os')
    const folder = mkdtempSync(join(tmpdir(), 'fennec-hostile-'))
    const git = (args: string[], input?: string | Buffer) =>
      execFileSync('git', args, { cwd: folder, input }).toString().trim()
    git(['init', '--quiet', '--bare', '.'])
    const blob = git(['hash-object', '-w', '--stdin'], 'x')
    const entry = Buffer.concat([Buffer.from('100644 .git\0'), Buffer.from(blob, 'hex')])
    const tree = git(['hash-object', '-w', '-t', 'tree', '--literally', '--stdin'], entry)
    const person = 'A <a@example.com> 1700000000 +0000'
    const commit = git(
      ['hash-object', '-w', '-t', 'commit', '--stdin'],
      `tree ${tree}\nauthor ${person}\ncommitter ${person}\n\nx\n`,
    )
    git(['update-ref', 'refs/heads/main', commit])
    git(['bundle', 'create', 'a.bundle', '--all'])
    const bundle = readFileSync(join(folder, 'a.bundle'))
    rmSync(folder, { recursive: true })
    const state = await imported(
      server,
      people.owner,
      changed((files) => files.set('project.bundle', bundle)),
      { path },
    )
    expect(state).toMatchObject({ import_error: 'The bundle of the repository could not be read' })
    expect((await people.owner.get(`/projects/${state.id}/repository/branches`)).body).toEqual([])
  })
})
