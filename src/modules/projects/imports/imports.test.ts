import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { FetchOptions } from '../../../infra/git/index.ts'
import { openSealer } from '../../../infra/secrets/index.ts'
import type { Platform } from '../../../platform/index.ts'
import {
  git,
  makeHistory,
  type Person,
  startTestServer,
  type TestServer,
  temporaryDirectory,
} from '../../../testing/index.ts'
import { importLater, runImport } from './imports.ts'

let server: TestServer
let alice: Person

beforeAll(async () => {
  server = await startTestServer()
  alice = await server.user('alice')
})
afterAll(() => server.stop())

const allowLocal = (allow: boolean) =>
  server.root.put('/application/settings', { allow_local_requests_from_web_hooks_and_services: allow })

const addressOf = (path: string, login = `alice:${alice.token}@`) =>
  `${server.url.replace('http://', `http://${login}`)}/${path}.git`

async function imported(name: string, import_url: string) {
  const made = await alice.post('/projects', { name, import_url })
  await server.app.platform.jobs.drain()
  return { made, project: (await alice.get(`/projects/${made.body.id}`)).body }
}

describe('an import', () => {
  test('copies branches and tags, and hides the login', async () => {
    await using folder = await temporaryDirectory()
    await alice.post('/projects', { name: 'source' })
    await makeHistory(folder.path, ['one', 'two'])
    await git(folder.path, 'tag', 'v1')
    await git(folder.path, 'push', addressOf('alice/source'), 'main', 'main:refs/heads/other', 'v1')
    await allowLocal(true)
    const { made, project } = await imported('copy', addressOf('alice/source'))
    await allowLocal(false)
    expect(made.status).toBe(201)
    expect(made.body).toMatchObject({ import_status: 'scheduled', import_url: addressOf('alice/source', '') })
    expect(project).toMatchObject({
      import_status: 'finished',
      import_error: null,
      import_type: 'git',
      default_branch: 'main',
      empty_repo: false,
    })
    const stored = await server.app.platform.database.read.selectFrom('projects').selectAll().execute()
    expect(JSON.stringify(stored)).not.toContain(alice.token)
    const branches = await alice.get('/projects/alice%2Fcopy/repository/branches')
    expect(branches.body.map(({ name }: { name: string }) => name)).toEqual(['main', 'other'])
    const refs = await git(folder.path, 'ls-remote', addressOf('alice/copy'))
    expect(refs.stdout).toContain('refs/tags/v1')
    expect(await git(folder.path, 'push', addressOf('alice/copy'), 'main:refs/heads/more')).toMatchObject({ code: 0 })
    expect((await alice.get('/projects?imported=true')).body.map(({ name }: { name: string }) => name)).toEqual([
      'copy',
    ])
  })

  test('leaves out refs that could not be pushed', async () => {
    await using folder = await temporaryDirectory()
    await using foreign = await temporaryDirectory()
    await makeHistory(folder.path, ['one'])
    await git(foreign.path, 'init', '--quiet', '--bare')
    const oid = (await git(folder.path, 'rev-parse', 'HEAD')).stdout.trim()
    const illegal = [`refs/heads/${oid}`, 'refs/heads/-x', 'refs/heads/refs/heads/y', 'refs/tags/-x', 'refs/heads/HEAD']
    await git(folder.path, 'push', foreign.path, 'main', 'main:refs/tags/v1')
    for (const ref of illegal) expect(await git(foreign.path, 'update-ref', ref, oid)).toMatchObject({ code: 0 })
    await git(foreign.path, 'update-server-info')
    const files = createServer((request, response) => {
      readFile(join(foreign.path, new URL(request.url ?? '', 'http://x').pathname)).then(
        (content) => response.end(content),
        () => response.writeHead(404).end(),
      )
    }).listen(0, '127.0.0.1')
    await once(files, 'listening')
    await allowLocal(true)
    const { project } = await imported('cleaned', `http://127.0.0.1:${(files.address() as AddressInfo).port}/`)
    await allowLocal(false)
    files.close()
    expect(project).toMatchObject({ import_status: 'finished', default_branch: 'main' })
    const { database } = server.app.platform
    const rules = database.read.selectFrom('protected_branches').select('name').where('project_id', '=', project.id)
    expect(await rules.execute()).toEqual([{ name: 'main' }])
    const refs = await git(folder.path, 'ls-remote', addressOf('alice/cleaned'))
    const names = refs.stdout.split('\n').map((line) => line.split('\t')[1])
    expect(names.filter(Boolean)).toEqual(['HEAD', 'refs/heads/main', 'refs/tags/v1'])
  })

  test('of an empty repository', async () => {
    await alice.post('/projects', { name: 'hollow' })
    await allowLocal(true)
    const { project } = await imported('hollow copy', addressOf('alice/hollow'))
    await allowLocal(false)
    expect(project).toMatchObject({ import_status: 'finished', default_branch: null, empty_repo: true })
  })

  test('fails without showing the answer of the remote server', async () => {
    await allowLocal(true)
    const { project } = await imported('lost', addressOf('alice/nothing'))
    await allowLocal(false)
    expect(project).toMatchObject({ import_status: 'failed', import_error: 'The repository could not be fetched' })
  })

  test('fetches at most what the setting allows, and leaves nothing of a larger repository', async () => {
    await using folder = await temporaryDirectory()
    await alice.post('/projects', { name: 'heavy' })
    await makeHistory(folder.path, ['one'])
    await writeFile(join(folder.path, 'noise'), randomBytes(3 * 1024 * 1024))
    await git(folder.path, 'add', 'noise')
    await git(folder.path, 'commit', '--quiet', '--message', 'noise')
    await git(folder.path, 'tag', 'v1')
    await git(folder.path, 'push', addressOf('alice/heavy'), 'main', 'v1')
    await allowLocal(true)
    await server.root.put('/application/settings', { max_import_size: 1 })
    const { project: refused } = await imported('too heavy', addressOf('alice/heavy'))
    await server.root.put('/application/settings', { max_import_size: 100 })
    const { project: taken } = await imported('not too heavy', addressOf('alice/heavy'))
    await server.root.put('/application/settings', { max_import_size: 0 })
    await allowLocal(false)
    const import_error = 'The repository is larger than an import may be'
    expect(refused).toMatchObject({ import_status: 'failed', import_error })
    expect((await alice.get(`/projects/${refused.id}/repository/branches`)).body).toEqual([])
    expect(taken).toMatchObject({ import_status: 'finished', import_error: null, default_branch: 'main' })
    const refs = await git(folder.path, 'ls-remote', addressOf('alice/not-too-heavy'))
    expect(refs.stdout).toContain('refs/tags/v1')
    expect((await alice.get(`/projects/${taken.id}/repository/files/noise?ref=v1`)).body.size).toBe(3 * 1024 * 1024)
  })

  test('with an unknown host', async () => {
    const { project } = await imported('unknown', 'https://nothing.invalid/x.git')
    expect(project).toMatchObject({ import_status: 'failed', import_error: 'Host cannot be resolved or invalid' })
  })
})

describe('a refused import address', () => {
  test.each([
    ['ftp://example.com/x', 'Only allowed schemes are http, https, git'],
    ['file:///etc/passwd', 'Only allowed schemes are http, https, git'],
    ['ssh://git@example.com/x', 'Only allowed schemes are http, https, git'],
    ['ext::sh -c true', 'Only allowed schemes are http, https, git'],
    ['no address', 'URI is invalid'],
    ['https://%ff@example.com/x.git', 'URI is invalid'],
    ['https://me:100%@example.com/x.git', 'URI is invalid'],
    ['https://a%C3:%A4b@example.com/x.git', 'URI is invalid'],
    ['http://127.0.0.1/x.git', 'Requests to localhost are not allowed'],
    ['http://localhost:3000/x.git', 'Requests to localhost are not allowed'],
    ['http://[::1]/x.git', 'Requests to localhost are not allowed'],
    ['http://2130706433/x.git', 'Requests to localhost are not allowed'],
    ['https://169.254.169.254/x.git', 'Requests to the link local network are not allowed'],
    ['https://10.1.2.3/x.git', 'Requests to the local network are not allowed'],
    ['git://-oProxyCommand=x/y', 'Host cannot be resolved or invalid'],
  ])('%s', async (import_url, reason) => {
    const { status, body } = await alice.post('/projects', { name: 'refused', import_url })
    expect([status, body]).toEqual([400, { message: { import_url: [`is blocked: ${reason}`] } }])
  })

  test('one that is too long', async () => {
    const { body } = await alice.post('/projects', { name: 'long', import_url: `http://x/${'y'.repeat(2048)}` })
    expect(body.message).toEqual({ import_url: ['is too long (maximum is 2048 characters)'] })
  })
})

describe('the address of an import', () => {
  type Fetched = { url: string; options: FetchOptions }

  /** Runs one import with the given addresses of its host. @returns what git was asked to fetch */
  async function runWith(address: string, addresses: string[], times = 1) {
    const fetched: Fetched[] = []
    const { platform: actual } = server.app
    const sealer = openSealer(randomBytes(32))
    let sealedUrl = ''
    const platform: Platform = {
      ...actual,
      git: Object.assign(Object.create(actual.git), {
        repository(at: Parameters<typeof actual.git.repository>[0]) {
          const fetchFrom = async (url: string, options: FetchOptions) => void fetched.push({ url, options })
          return Object.assign(Object.create(actual.git.repository(at)), { fetchFrom })
        },
      }),
      secrets: { ...actual.secrets, sealer: async () => sealer },
      jobs: Object.assign(Object.create(actual.jobs), {
        async enqueue(_tx: unknown, _kind: string, payload: { sealedUrl: string }) {
          sealedUrl = payload.sealedUrl
          return 1
        },
      }),
    }
    const { id } = await server.make.project(`target-${randomBytes(4).toString('hex')}`, alice)
    await actual.database.write((tx) => importLater(platform, tx, id, address))
    expect(sealedUrl).not.toContain(address)
    const options = { signal: new AbortController().signal, lookup: async () => addresses }
    for (let index = 0; index < times; index += 1) await runImport(platform, { projectId: id, sealedUrl }, options)
    return { fetched, project: (await alice.get(`/projects/${id}`)).body }
  }

  test('is pinned to the checked addresses', async () => {
    const { fetched, project } = await runWith('https://me:secret@example.com/x.git', [
      '93.184.216.34',
      '2606:2800:220:1::1',
    ])
    expect(fetched[0]).toMatchObject({
      url: 'https://me:secret@example.com/x.git',
      options: { config: ['http.curloptResolve=example.com:443:93.184.216.34,[2606:2800:220:1::1]'] },
    })
    expect(project.import_status).toBe('finished')
  })

  test('is a number for the git protocol', async () => {
    const { fetched } = await runWith('git://example.com/x.git', ['93.184.216.34'])
    expect(fetched[0]).toMatchObject({ url: 'git://93.184.216.34/x.git', options: { config: [] } })
  })

  test('is blocked when the name resolves to the local network', async () => {
    const { fetched, project } = await runWith('https://example.com/x.git', ['93.184.216.34', '127.0.0.1'])
    expect(fetched).toEqual([])
    expect(project).toMatchObject({ import_status: 'failed', import_error: 'Requests to localhost are not allowed' })
  })

  test('is not used by a job that runs again after its end', async () => {
    const { fetched } = await runWith('https://example.com/x.git', ['93.184.216.34'], 2)
    expect(fetched).toHaveLength(1)
  })
})
