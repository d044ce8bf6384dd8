import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { diskPath } from '../../../infra/git/index.ts'
import { hashToken } from '../../../infra/secrets/index.ts'
import { recoverRefs, repositoryOfProject } from '../../../platform/repositories/index.ts'
import {
  git,
  makeHistory,
  type Person,
  startTestServer,
  type TestServer,
  temporaryDirectory,
} from '../../../testing/index.ts'
import type { ProjectRow } from '../../projects/index.ts'

let server: TestServer
let owner: Person
let reporter: Person
let guest: Person
let outsider: Person

beforeAll(async () => {
  server = await startTestServer({ rootPassword: 'a long root password' })
  owner = await server.user('owner')
  reporter = await server.user('reporter')
  guest = await server.user('guest')
  outsider = await server.user('outsider')
})
afterAll(() => server.stop())

const address = (path: string, user?: string, password?: string) =>
  `${user === undefined ? server.url : server.url.replace('://', `://${user}:${password}@`)}/${path}.git`

const as = (person: Person, path: string) => address(path, person.username, person.token)

async function project(path: string, visibility: 'private' | 'internal' | 'public' = 'private'): Promise<ProjectRow> {
  const made = await server.make.project(path, owner, { visibility })
  await server.make.member({ project: made }, reporter, 20)
  await server.make.member({ project: made }, guest, 10)
  return made
}

async function repositoryOf(made: ProjectRow) {
  const { database, git: storage } = server.app.platform
  const row = await repositoryOfProject(database.read, made.id)
  const path = row && diskPath(row.disk_path)
  if (!row || !path) throw new Error('no repository')
  return { row, repository: storage.repository({ storage: row.storage, diskPath: path }) }
}

async function pushed(path: string, visibility: 'private' | 'internal' | 'public' = 'private') {
  const made = await project(path, visibility)
  await using folder = await temporaryDirectory()
  await makeHistory(folder.path, ['one', 'two', 'three'])
  expect(await git(folder.path, 'push', as(owner, `owner/${path}`), 'main')).toMatchObject({ code: 0 })
  return made
}

type Asked = { user?: string; password?: string; service?: string }

/** The answer to the first request of a fetch or push. */
async function ask(path: string, { user, password, service = 'git-upload-pack' }: Asked = {}) {
  const basic =
    user === undefined ? {} : { Authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}` }
  const response = await fetch(`${server.url}/${path}.git/info/refs?service=${service}`, { headers: basic })
  return { status: response.status, headers: response.headers, body: await response.text() }
}

const fetching = (path: string, person?: Person) =>
  ask(path, person && { user: person.username, password: person.token })
const pushing = (path: string, person?: Person) =>
  ask(path, { ...(person && { user: person.username, password: person.token }), service: 'git-receive-pack' })

const notFound = "The project you were looking for could not be found or you don't have permission to view it."

describe('a repository', () => {
  test('is cloned whole, shallow and without blobs, in protocol 2 and 0, and stays sound', async () => {
    const made = await project('whole')
    await using folder = await temporaryDirectory()
    await git(folder.path, 'init', '--quiet', 'work')
    const work = `${folder.path}/work`
    for (let index = 0; index < 30; index += 1) {
      await import('node:fs/promises').then(({ writeFile }) =>
        writeFile(`${work}/file-${index % 5}`, randomBytes(4_096)),
      )
      await git(work, 'add', '.')
      await git(work, 'commit', '--quiet', '--message', `commit ${index}`)
    }
    await git(work, 'tag', '--annotate', '--message', 'first', 'v1')
    expect(await git(work, 'push', as(owner, 'owner/whole'), 'main', 'v1')).toMatchObject({ code: 0 })
    const url = as(reporter, 'owner/whole')
    const clone = (into: string, ...options: string[]) => git(folder.path, ...options, url, into)
    expect(await clone('full', 'clone')).toMatchObject({ code: 0 })
    expect(await clone('old', '-c', 'protocol.version=0', 'clone')).toMatchObject({ code: 0 })
    expect(await clone('shallow', 'clone', '--depth', '1')).toMatchObject({ code: 0 })
    expect(await clone('partial', 'clone', '--filter=blob:none', '--no-checkout')).toMatchObject({ code: 0 })
    const count = async (into: string) =>
      (await git(`${folder.path}/${into}`, 'rev-list', '--count', '--all')).stdout.trim()
    expect([await count('full'), await count('old'), await count('shallow')]).toEqual(['30', '30', '1'])
    const missing = await git(`${folder.path}/partial`, 'rev-list', '--objects', '--all', '--missing=print')
    expect(missing.stdout).toMatch(/^\?[0-9a-f]{40}$/m)
    const { repository } = await repositoryOf(made)
    expect(await repository.fsck()).toMatchObject({ ok: true })
  })

  test('takes many refs at once and shows them in the next request', async () => {
    const made = await pushed('many')
    await using folder = await temporaryDirectory()
    await git(folder.path, 'clone', '--quiet', as(owner, 'owner/many'), '.')
    const refspecs = Array.from({ length: 200 }, (_, index) => `main:refs/heads/b/${index}`)
    expect(await git(folder.path, 'push', '--quiet', 'origin', ...refspecs)).toMatchObject({ code: 0 })
    const listed = await owner.get(`/projects/${made.id}/repository/branches?per_page=1`)
    expect(listed.headers.get('x-total')).toBe('201')
    expect(
      await git(folder.path, 'push', '--quiet', 'origin', ...refspecs.map((one) => `:${one.split(':')[1]}`)),
    ).toMatchObject({ code: 0 })
    expect((await owner.get(`/projects/${made.id}/repository/branches`)).headers.get('x-total')).toBe('1')
  })

  test('makes the first pushed branch its default one', async () => {
    const made = await project('trunk')
    await using folder = await temporaryDirectory()
    await makeHistory(folder.path, ['one'])
    await git(folder.path, 'push', as(owner, 'owner/trunk'), 'main:trunk')
    const branch = await owner.get(`/projects/${made.id}/repository/branches/trunk`)
    expect(branch.body.default).toBe(true)
    const cloned = await git(folder.path, 'clone', as(owner, 'owner/trunk'), 'copy')
    expect(cloned.code).toBe(0)
    expect((await git(`${folder.path}/copy`, 'branch', '--show-current')).stdout.trim()).toBe('trunk')
  })
})

describe('who may fetch and push', () => {
  test('a private project: members, by role', async () => {
    await pushed('closed')
    expect((await fetching('owner/closed', reporter)).status).toBe(200)
    expect(await fetching('owner/closed', guest)).toMatchObject({
      status: 403,
      body: 'You are not allowed to download code from this project.',
    })
    expect(await pushing('owner/closed', guest)).toMatchObject({
      status: 403,
      body: 'You are not allowed to download code from this project.',
    })
    expect(await pushing('owner/closed', reporter)).toMatchObject({
      status: 403,
      body: 'You are not allowed to push code to this project.',
    })
    expect(await fetching('owner/closed', outsider)).toMatchObject({ status: 404, body: notFound })
    expect(await fetching('owner/missing', outsider)).toMatchObject({ status: 404, body: notFound })
    for (const answer of [
      await fetching('owner/closed'),
      await fetching('owner/missing'),
      await pushing('owner/closed'),
    ]) {
      expect(answer.status).toBe(401)
      expect(answer.headers.get('www-authenticate')).toBe('Basic realm="GitLab"')
      expect(answer.body).toMatch(/^HTTP Basic: Access denied\. If a password was provided for Git authentication/)
    }
  })

  test('public and internal projects: whom they are open to', async () => {
    await pushed('open', 'public')
    await pushed('inner', 'internal')
    expect((await fetching('owner/open')).status).toBe(200)
    expect((await pushing('owner/open')).status).toBe(401)
    expect((await fetching('owner/inner')).status).toBe(401)
    expect((await fetching('owner/inner', outsider)).status).toBe(200)
    expect(await pushing('owner/open', outsider)).toMatchObject({
      status: 403,
      body: 'You are not allowed to push code to this project.',
    })
  })

  test('only with right credentials, whatever they are', async () => {
    await pushed('credentials', 'public')
    const refused = (asked: Asked) => ask('owner/credentials', asked).then(({ status }) => status)
    expect(await refused({ user: 'owner', password: 'wrong' })).toBe(401)
    expect(await refused({ user: 'owner', password: '' })).toBe(401)
    expect(await refused({ user: '', password: owner.token })).toBe(401)
    expect(await refused({ user: 'anything', password: owner.token })).toBe(200)
    expect(await refused({ user: 'root', password: 'a long root password' })).toBe(200)
    expect(await refused({ user: 'admin@example.com', password: 'a long root password' })).toBe(200)
    for (const header of ['Basic ???', 'Basic', 'Bearer x', `Basic ${Buffer.from('no colon').toString('base64')}`]) {
      const response = await fetch(address('owner/credentials').concat('/info/refs?service=git-upload-pack'), {
        headers: { Authorization: header },
      })
      expect(response.status).toBe(401)
    }
    const dead = await server.make.token(owner, ['api'], '2020-01-01')
    expect(await refused({ user: 'owner', password: dead })).toBe(401)
  })

  test('by the scopes of the token', async () => {
    await pushed('scoped')
    const asked = async (scopes: string[], service: string) => {
      const token = await server.make.token(owner, scopes)
      const { status, body } = await ask('owner/scoped', { user: 'x', password: token, service })
      return status === 200 ? 200 : body
    }
    expect(await asked(['read_repository'], 'git-upload-pack')).toBe(200)
    expect(await asked(['read_repository'], 'git-receive-pack')).toBe('You are not allowed to upload code.')
    expect(await asked(['write_repository'], 'git-receive-pack')).toBe(200)
    expect(await asked(['write_repository'], 'git-upload-pack')).toBe(200)
    expect(await asked(['read_api'], 'git-upload-pack')).toBe('You are not allowed to download code.')
    expect(await asked(['read_api'], 'git-receive-pack')).toBe('You are not allowed to upload code.')
  })

  test('by a deploy token: its own project, reading only', async () => {
    const made = await pushed('deployed')
    await pushed('other')
    const { database } = server.app.platform
    const insert = (digest: string, expires_at: string | null) => {
      const token = { project_id: made.id, name: 'd', username: 'deployer', digest, scopes: '["read_repository"]' }
      return database.write((tx) =>
        tx
          .insertInto('deploy_tokens')
          .values({ ...token, expires_at, created_at: '2026-01-01T00:00:00.000Z' })
          .execute(),
      )
    }
    await insert(hashToken('gldt-alive'), null)
    await insert(hashToken('gldt-dead'), '2020-01-01T00:00:00.000Z')
    const alive = { user: 'deployer', password: 'gldt-alive' }
    expect((await ask('owner/deployed', alive)).status).toBe(200)
    expect(await ask('owner/deployed', { ...alive, service: 'git-receive-pack' })).toMatchObject({
      status: 403,
      body: 'You are not allowed to upload code.',
    })
    expect(await ask('owner/other', alive)).toMatchObject({ status: 404, body: notFound })
    expect((await ask('owner/deployed', { user: 'somebody', password: 'gldt-alive' })).status).toBe(401)
    expect((await ask('owner/deployed', { user: 'deployer', password: 'gldt-dead' })).status).toBe(401)
    await owner.put(`/projects/${made.id}`, { repository_access_level: 'disabled' })
    const refusedAsAnybody = { status: 403, body: 'You are not allowed to download code from this project.' }
    expect(await ask('owner/deployed', alive)).toMatchObject(refusedAsAnybody)
    await owner.put(`/projects/${made.id}`, { repository_access_level: 'private' })
    expect((await ask('owner/deployed', alive)).status).toBe(200)
  })

  test('not at all once blocked, and not push to what is archived or read-only', async () => {
    const made = await pushed('states')
    const blocked = await server.user('blocked')
    await server.make.member({ project: made }, blocked, 40)
    expect((await pushing('owner/states', blocked)).status).toBe(200)
    const { database } = server.app.platform
    await database.write((tx) =>
      tx.updateTable('users').set({ state: 'blocked' }).where('id', '=', blocked.id).execute(),
    )
    expect((await fetching('owner/states', blocked)).status).toBe(401)
    await database.write((tx) =>
      tx.updateTable('repositories').set({ read_only: true }).where('project_id', '=', made.id).execute(),
    )
    expect(await pushing('owner/states', owner)).toMatchObject({
      status: 403,
      body: 'The repository is temporarily read-only. Please try again later.',
    })
    await database.write((tx) => tx.updateTable('projects').set({ archived: true }).where('id', '=', made.id).execute())
    expect(await pushing('owner/states', owner)).toMatchObject({
      status: 403,
      body: "You can't push code to an archived project.",
    })
    expect((await fetching('owner/states', owner)).status).toBe(200)
  })

  test('without credentials only as often as the throttle allows', async () => {
    await pushed('throttled', 'public')
    const on = {
      throttle_unauthenticated_git_http_enabled: true,
      throttle_unauthenticated_git_http_requests_per_period: 1,
      throttle_unauthenticated_git_http_period_in_seconds: 86_400,
    }
    await server.root.put('/application/settings', on)
    const answers = [
      await fetching('owner/throttled'),
      await fetching('owner/throttled'),
      await fetching('owner/throttled'),
    ]
    const known = await fetching('owner/throttled', outsider)
    await server.root.put('/application/settings', { throttle_unauthenticated_git_http_enabled: false })
    // The window may have turned between the first two.
    expect(answers.at(-1)).toMatchObject({ status: 429, body: '{"message":"Retry later"}' })
    expect(known.status).toBe(200)
    expect((await fetching('owner/throttled')).status).toBe(200)
  })

  test('over HTTP only while that is allowed', async () => {
    await pushed('ssh-only', 'public')
    await server.root.put('/application/settings', { enabled_git_access_protocol: 'ssh' })
    const answer = await fetching('owner/ssh-only')
    await server.root.put('/application/settings', { enabled_git_access_protocol: null })
    expect(answer).toMatchObject({ status: 403, body: 'Git access over HTTP is not allowed' })
    expect((await fetching('owner/ssh-only')).status).toBe(200)
  })
})

describe('the protocol', () => {
  test('is the smart one, and the service is from a list', async () => {
    await pushed('smart', 'public')
    const advertised = await fetching('owner/smart')
    expect(advertised.headers.get('content-type')).toBe('application/x-git-upload-pack-advertisement')
    expect(advertised.headers.get('cache-control')).toContain('no-cache')
    expect(advertised.body).toMatch(/^001e# service=git-upload-pack\n0000/)
    const get = (path: string, init: RequestInit = {}) =>
      fetch(`${server.url}/owner/smart${path}`, { redirect: 'manual', ...init })
    expect((await get('.git/info/refs')).status).toBe(401)
    expect((await get('.git/info/refs?service=git-upload-archive')).status).toBe(401)
    const headers = { Authorization: `Basic ${Buffer.from(`owner:${owner.token}`).toString('base64')}` }
    const other = await get('.git/info/refs?service=git-upload-archive', { headers })
    expect([other.status, await other.text()]).toEqual([403, "The command you're trying to execute is not allowed."])
    expect((await get('.git/info/refs', { method: 'HEAD', headers })).status).toBe(403)
    const moved = await get('/info/refs?service=git-upload-pack')
    expect([moved.status, moved.headers.get('location')]).toEqual([
      301,
      `${server.url}/owner/smart.git/info/refs?service=git-upload-pack`,
    ])
  })

  test('finds no repository by tricks in the path', async () => {
    for (const path of ['..%2f..%2fetc', 'owner%2f..%2fowner/smart', '%00', 'owner/smart%0a', '@hashed/ab', '-x/y']) {
      expect([401, 404]).toContain((await fetch(`${server.url}/${path}.git/info/refs?service=git-upload-pack`)).status)
      expect((await fetching(path, outsider)).status).toBe(404)
    }
    expect((await fetching('%ff')).status).toBe(404)
  })

  test('refuses refs that may not be pushed, and leaves nothing behind', async () => {
    const made = await pushed('strict')
    await using folder = await temporaryDirectory()
    await git(folder.path, 'clone', '--quiet', as(owner, 'owner/strict'), '.')
    for (const ref of ['refs/merge-requests/1/head', 'refs/keep-around/x', 'refs/weird']) {
      const outcome = await git(folder.path, 'push', 'origin', `main:${ref}`)
      expect(outcome.code).not.toBe(0)
    }
    const hex = await git(folder.path, 'push', 'origin', `main:refs/heads/${'a'.repeat(40)}`)
    expect(hex.stderr).toContain('GitLab: You cannot create a branch with a 40-character hexadecimal branch name.')
    const both = await git(folder.path, 'push', 'origin', 'main:refs/heads/good', `main:refs/heads/${'b'.repeat(40)}`)
    expect(both.stderr.match(/pre-receive hook declined/g)).toHaveLength(2)
    const deletion = await git(folder.path, 'push', 'origin', ':main')
    expect(deletion.stderr).toContain('GitLab: The default branch of a project cannot be deleted.')
    const { row, repository } = await repositoryOf(made)
    expect((await repository.refs(row.generation)).branches.map(({ name }) => name)).toEqual(['main'])
  })

  test('follows a project to its new path, and says so', async () => {
    const made = await pushed('before')
    const renamed = await owner.put(`/projects/${made.id}`, { path: 'after' })
    expect(renamed.status).toBe(200)
    await using folder = await temporaryDirectory()
    expect(await git(folder.path, 'clone', as(owner, 'owner/before'), 'copy')).toMatchObject({ code: 0 })
    await git(`${folder.path}/copy`, 'commit', '--quiet', '--allow-empty', '--message', 'more')
    const outcome = await git(`${folder.path}/copy`, 'push')
    expect(outcome.stderr).toContain("Project 'owner/before' was moved to 'owner/after'.")
    expect(outcome.code).toBe(0)
  })

  test('makes a private project of what is pushed to a path that is free', async () => {
    await using folder = await temporaryDirectory()
    await makeHistory(folder.path, ['one'])
    const outcome = await git(folder.path, 'push', as(owner, 'owner/by-push'), 'main')
    expect(outcome.stderr).toContain('The private project owner/by-push was successfully created.')
    expect(outcome.code).toBe(0)
    expect((await owner.get('/projects/owner%2Fby-push')).body).toMatchObject({
      visibility: 'private',
      default_branch: 'main',
    })
    const elsewhere = await git(folder.path, 'push', as(outsider, 'owner/by-outsider'), 'main')
    expect(elsewhere.stderr).toContain('not found')
  })
})

describe('when something breaks', () => {
  test('a client that vanishes in the middle of a push leaves a sound repository and no intent', async () => {
    const made = await pushed('broken')
    const { repository, row } = await repositoryOf(made)
    const port = Number(new URL(server.url).port)
    for (const sent of [0, 10, 120, 4_000]) {
      const socket = connect(port, '127.0.0.1')
      await once(socket, 'connect')
      const basic = Buffer.from(`owner:${owner.token}`).toString('base64')
      socket.write(`POST /owner/broken.git/git-receive-pack HTTP/1.1\r\nHost: x\r\nAuthorization: Basic ${basic}\r\n`)
      socket.write('Content-Type: application/x-git-receive-pack-request\r\nContent-Length: 100000\r\n\r\n')
      const line = `${'0'.repeat(40)} ${'1'.repeat(40)} refs/heads/x\0 report-status`
      const packet = `${(line.length + 4).toString(16).padStart(4, '0')}${line}0000PACK`
      socket.write(Buffer.concat([Buffer.from(packet), randomBytes(4_000)]).subarray(0, sent))
      socket.destroy()
      await once(socket, 'close')
    }
    await expect
      .poll(
        async () => (await server.app.platform.database.read.selectFrom('ref_intents').selectAll().execute()).length,
      )
      .toBe(0)
    expect(await repository.fsck()).toMatchObject({ ok: true })
    expect((await repository.refs(row.generation)).branches.map(({ name }) => name)).toEqual(['main'])
  })

  test('a clone that is killed ends its processes, and the server goes on', async () => {
    await pushed('killed')
    await using folder = await temporaryDirectory()
    const client = spawn('git', ['clone', as(owner, 'owner/killed'), 'copy'], { cwd: folder.path, stdio: 'ignore' })
    client.kill('SIGKILL')
    await once(client, 'exit')
    expect((await fetching('owner/killed', owner)).status).toBe(200)
  })

  test('an intent that a killed process left is settled by what the repository says', async () => {
    const made = await pushed('recovered')
    const { row, repository } = await repositoryOf(made)
    const { database } = server.app.platform
    const main = (await repository.refs(row.generation)).branch('main')
    if (!main) throw new Error('no main')
    const zero = '0'.repeat(40)
    const intend = (ref: string) => {
      const updates = JSON.stringify([{ ref, old: zero, new: main.oid }])
      const intent = { repository_id: row.id, user_id: owner.id, updates, created_at: '2020-01-01T00:00:00.000Z' }
      return database.write((tx) => tx.insertInto('ref_intents').values(intent).execute())
    }
    // One moved its ref before the end came, the other did not.
    await repository.updateRefs([{ ref: 'refs/heads/moved' as never, old: zero as never, new: main.oid }])
    await intend('refs/heads/moved')
    await intend('refs/heads/lost')
    expect(await recoverRefs(server.app.platform)).toBe(2)
    expect(await database.read.selectFrom('ref_intents').selectAll().execute()).toEqual([])
    const listed = await owner.get(`/projects/${made.id}/repository/branches`)
    expect(listed.body.map(({ name }: { name: string }) => name)).toEqual(['main', 'moved'])
  })
})
