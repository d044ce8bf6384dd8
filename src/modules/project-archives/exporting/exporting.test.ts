import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { manualClock } from '../../../infra/clock/index.ts'
import {
  bytesAt,
  type Client,
  makePeople,
  type People,
  projectWithTwoCommits,
  startReceiver,
  startTestServer,
  type TestServer,
} from '../../../testing/index.ts'
import { exportedArchive, filesOf, linesIn } from '../testing.ts'

const clock = manualClock({ start: '2026-03-04T05:06:07.890Z' })
const hourMs = 3_600_000

let server: TestServer
let people: People
let place: string
beforeAll(async () => {
  server = await startTestServer({ clock })
  people = await makePeople(server)
  const { project } = await projectWithTwoCommits(server, { people, path: 'exported' })
  place = `/projects/${project.id}`
  await server.root.put('/application/settings', { project_export_limit: 0, project_download_export_limit: 0 })
})
afterAll(() => server.stop())

const drain = () => server.app.platform.jobs.drain()
const start = (body: unknown = {}, client: Client = people.maintainer) => client.post(`${place}/export`, body)
const stateOf = async () => (await people.maintainer.get(`${place}/export`)).body
const download = (client: Client = people.maintainer) => bytesAt(client, `${place}/export/download`)

async function storedKeys(): Promise<string[]> {
  const keys = (await Array.fromAsync(server.app.platform.objects.list())).map(({ key }) => key as string)
  return keys.filter((key) => key.startsWith('transfer-archives/'))
}

/** No archive is left for the next test. */
afterEach(async () => {
  clock.advance(25 * hourMs)
  await drain()
})

describe('an export of a project', () => {
  test('is for its Maintainers', async () => {
    const refused = { status: 403, body: { message: '403 Forbidden' } }
    for (const path of ['export', 'export/download']) {
      expect(await people.developer.get(`${place}/${path}`)).toMatchObject(refused)
      expect(await people.outsider.get(`${place}/${path}`)).toMatchObject({
        status: 404,
        body: { message: '404 Project Not Found' },
      })
      expect((await server.anonymous.get(`${place}/${path}`)).status).toBe(401)
    }
    expect(await start({}, people.developer)).toMatchObject(refused)
  })

  test('does not exist for anyone while it is switched off', async () => {
    await server.root.put('/application/settings', { project_export_enabled: false })
    for (const client of [people.maintainer, people.developer, server.root]) {
      const absent = { status: 404, body: { message: '404 Not Found' } }
      expect(await start({}, client)).toMatchObject(absent)
      expect(await client.get(`${place}/export`)).toMatchObject(absent)
    }
    await server.root.put('/application/settings', { project_export_enabled: true })
  })

  test('goes from none to finished', async () => {
    const { body: project } = await people.maintainer.get(place)
    expect(await stateOf()).toEqual({
      id: project.id,
      description: project.description,
      name: project.name,
      name_with_namespace: project.name_with_namespace,
      path: project.path,
      path_with_namespace: project.path_with_namespace,
      created_at: project.created_at,
      export_status: 'none',
    })
    expect((await download()).status).toBe(404)
    expect(await start()).toMatchObject({ status: 202, body: { message: '202 Accepted' } })
    await drain()
    expect(await stateOf()).toMatchObject({
      export_status: 'finished',
      _links: {
        api_url: `${server.url}/api/v4${place}/export/download`,
        web_url: `${project.web_url}/download_export`,
      },
    })
  })

  test('has one job at a time, and a state for each step of it', async () => {
    const { read, write } = server.app.platform.database
    const set = (changes: { ticket: string | null; is_started: boolean }) =>
      write((tx) => tx.updateTable('transfer_exports').set(changes).execute())
    await exportedArchive(server, people.maintainer, place)
    await set({ ticket: 'of another process', is_started: true })
    expect((await stateOf()).export_status).toBe('regeneration_in_progress')
    const jobs = () => read.selectFrom('jobs').select('id').where('kind', '=', 'transfer_archives.export').execute()
    const before = (await jobs()).length
    expect((await start()).status).toBe(202)
    expect(await jobs()).toHaveLength(before)
    clock.advance(25 * hourMs)
    expect((await stateOf()).export_status).toBe('started')
    await set({ ticket: 'of another process', is_started: false })
    expect((await stateOf()).export_status).toBe('queued')
    await set({ ticket: null, is_started: false })
    expect((await stateOf()).export_status).toBe('none')
  })

  test('keeps its former archive until another one takes its place', async () => {
    await exportedArchive(server, people.maintainer, place)
    const [former] = await storedKeys()
    await start()
    expect((await download()).status).toBe(200)
    await drain()
    expect(await stateOf()).toMatchObject({ export_status: 'finished', _links: expect.anything() })
    const keys = await storedKeys()
    expect(keys).toHaveLength(1)
    expect(keys).not.toContain(former)
  })

  test('expires after a day', async () => {
    await exportedArchive(server, people.maintainer, place)
    clock.advance(24 * hourMs + 1)
    expect((await stateOf()).export_status).toBe('none')
    expect(await people.maintainer.get(`${place}/export/download`)).toMatchObject({
      status: 404,
      body: { message: '404 Not found or has expired' },
    })
    await drain()
    expect(await storedKeys()).toEqual([])
  })

  test('is downloaded whole or in parts, under a name with its time and path', async () => {
    const whole = await exportedArchive(server, people.maintainer, place)
    const url = `${server.url}/api/v4${place}/export/download`
    const headers = { 'PRIVATE-TOKEN': people.maintainer.token }
    const head = await fetch(url, { method: 'HEAD', headers })
    expect(head.headers.get('content-type')).toBe('application/gzip')
    expect(head.headers.get('content-length')).toBe(String(whole.length))
    const name = /^attachment; filename="\d{4}-\d\d-\d\d_\d\d-\d\d-\d{3}_[^/"]*_export\.tar\.gz"$/
    expect(head.headers.get('content-disposition')).toMatch(name)
    const part = await fetch(url, { headers: { ...headers, Range: 'bytes=10-19' } })
    expect(part.status).toBe(206)
    expect(Buffer.from(await part.arrayBuffer())).toEqual(whole.subarray(10, 20))
    expect((await fetch(url, { headers: { ...headers, Range: `bytes=${whole.length}-` } })).status).toBe(416)
  })

  test('consists of the lines of its relations, bundles and files', async () => {
    const { maintainer } = people
    await maintainer.post(`${place}/labels`, { name: 'ui', color: '#112233' })
    await maintainer.post(`${place}/issues`, { title: 'An issue', labels: 'ui' })
    await maintainer.post(`${place}/wikis`, { title: 'home', content: 'welcome' })
    await maintainer.post(`${place}/snippets`, {
      ...{ title: 'S', visibility: 'private' },
      files: [{ file_path: 'a.txt', content: 'A' }],
    })
    const form = new FormData()
    form.append('file', new Blob(['bytes of the file']), 'a b.txt')
    const { body: upload } = await maintainer.post(`${place}/uploads`, form)
    const files = filesOf(await exportedArchive(server, maintainer, place))
    expect(files.get('VERSION')?.toString()).toBe('0.2.4\n')
    expect(linesIn(files, 'labels')).toMatchObject([{ title: 'ui', color: '#112233' }])
    const [issue] = linesIn(files, 'issues')
    expect(issue).toMatchObject({ title: 'An issue', iid: 1, label_links: [{ label: { title: 'ui' } }] })
    expect(linesIn(files, 'project_members').map(({ access_level }) => access_level)).toContain(40)
    const known = linesIn(files, 'user_contributions').map(({ id }) => id)
    expect(known).toContain(issue.author_id)
    expect(files.get(`uploads/${upload.url.split('/').slice(-2).join('/')}`)?.toString()).toBe('bytes of the file')
    const folder = mkdtempSync(join(tmpdir(), 'fennec-bundles-'))
    for (const [path, bytes] of files) {
      if (!path.endsWith('.bundle')) continue
      writeFileSync(join(folder, 'a.bundle'), bytes)
      execFileSync('git', ['bundle', 'list-heads', join(folder, 'a.bundle')], { stdio: 'ignore' })
    }
    rmSync(folder, { recursive: true })
    const bundles = [...files.keys()].filter((path) => path.endsWith('.bundle')).sort()
    expect(bundles).toEqual([
      'project.bundle',
      'project.wiki.bundle',
      expect.stringMatching(/^snippets\/[0-9a-f]{64}\.bundle$/),
    ])
    const all = [...files.values()].map((bytes) => bytes.toString('latin1')).join('')
    expect(all).not.toContain(people.maintainer.token)
  })

  test('has another description where the request names one', async () => {
    await start({ description: 'Of the archive' })
    await drain()
    const project = JSON.parse(String(filesOf((await download()).bytes).get('tree/project.json')))
    expect(project.description).toBe('Of the archive')
  })

  test('is sent to an address instead of being stored', async () => {
    await using receiver = await startReceiver()
    const upload = { url: `${receiver.url}/take?secret=x`, http_method: 'POST' }
    expect(await start({ upload })).toMatchObject({
      status: 400,
      body: { message: { url: ['is blocked: Requests to localhost are not allowed'] } },
    })
    await server.root.put('/application/settings', { allow_local_requests_from_web_hooks_and_services: true })
    expect((await start({ upload })).status).toBe(202)
    const { read } = server.app.platform.database
    const stored = JSON.stringify(await read.selectFrom('transfer_exports').selectAll().execute())
    expect(stored).not.toContain('secret=x')
    await drain()
    expect(receiver.received).toHaveLength(1)
    expect(receiver.received[0]).toMatchObject({ method: 'POST', url: '/take?secret=x' })
    expect((await stateOf()).export_status).toBe('none')
    expect(await storedKeys()).toEqual([])
    await server.root.put('/application/settings', { allow_local_requests_from_web_hooks_and_services: false })
  })

  test.each([
    [{}, 'is blocked: URI is invalid'],
    [{ url: 'ftp://example.com/a' }, 'is blocked: Only allowed schemes are http, https'],
    [{ url: 'http://10.0.0.1/a' }, 'is blocked: Requests to the local network are not allowed'],
    [{ url: 'https://[::1]/a' }, 'is blocked: Requests to localhost are not allowed'],
  ])('refuses the address of %j', async (upload, sentence) => {
    expect(await start({ upload })).toMatchObject({ status: 400, body: { message: { url: [sentence] } } })
  })

  test('refuses other methods and types', async () => {
    expect(await start({ upload: { url: 'https://example.com', http_method: 'DELETE' } })).toMatchObject({
      status: 400,
      body: { error: 'upload[http_method] does not have a valid value' },
    })
    expect((await start({ upload: 'x' })).body.error).toBe('upload is invalid')
    expect((await start({ description: ['x'] })).body.error).toBe('description is invalid')
    expect((await stateOf()).export_status).toBe('none')
  })

  test('may be asked for, and downloaded, so often in a minute', async () => {
    await server.root.put('/application/settings', { project_export_limit: 2, project_download_export_limit: 1 })
    const statuses = [await start(), await start(), await start()].map(({ status }) => status)
    expect(statuses).toEqual([202, 202, 429])
    await drain()
    expect([(await download()).status, (await download()).status]).toEqual([200, 429])
    await server.root.put('/application/settings', { project_export_limit: 0, project_download_export_limit: 0 })
  })

  test('is removed with its project', async () => {
    await using own = await projectWithTwoCommits(server, { people, path: 'removed' })
    await exportedArchive(server, people.maintainer, `/projects/${own.project.id}`)
    expect(await storedKeys()).toHaveLength(1)
    await server.root.put('/application/settings', { deletion_adjourned_period: 0 })
    expect((await people.owner.delete(`/projects/${own.project.id}`)).status).toBe(202)
    await drain()
    expect(await storedKeys()).toEqual([])
  })
})
