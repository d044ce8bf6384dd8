import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { connect } from 'node:net'
import { describe, expect, test } from 'vitest'
import { diskPath } from '../../../infra/git/index.ts'
import { recoverRefs, repositoryOfProject } from '../../../platform/repositories/index.ts'
import { git, makeHistory, temporaryDirectory } from '../../../testing/index.ts'
import type { ProjectRow } from '../../projects/index.ts'
import { as, fetching, outsider, owner, project, pushed, reporter, serveForTests, server } from './testing.ts'

serveForTests()

async function repositoryOf(made: ProjectRow) {
  const { database, git: storage } = server.app.platform
  const row = await repositoryOfProject(database.read, made.id)
  const path = row && diskPath(row.disk_path)
  if (!row || !path) throw new Error('no repository')
  return { row, repository: storage.repository({ storage: row.storage, diskPath: path }) }
}

describe('a repository', () => {
  test('is cloned in full, shallow and without blobs, in protocol 2 and 0', async () => {
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

  test('accepts many refs at once and shows them in the next request', async () => {
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

  test('takes few processes for a small push', async () => {
    const made = await pushed('lean')
    const { git: storage, jobs } = server.app.platform
    await using folder = await temporaryDirectory()
    await git(folder.path, 'clone', '--quiet', as(owner, 'owner/lean'), '.')
    const push = async (...parameters: string[]) => {
      await jobs.drain()
      // Starts the process that reads objects, unless it lives.
      await owner.get(`/projects/${made.id}/repository/tree`)
      const before = storage.startedCommands()
      expect(await git(folder.path, 'push', '--quiet', 'origin', ...parameters)).toMatchObject({ code: 0 })
      await jobs.drain()
      return storage.startedCommands() - before
    }
    await git(folder.path, 'commit', '--quiet', '--allow-empty', '--message', 'next')
    // The push and its update of refs; the advertisement needs none. What follows in jobs is counted as well.
    expect(await push('main')).toBe(2)
    expect(await push('main:topic')).toBe(2)
    expect(await push(':topic')).toBe(2)
  })

  test('makes the first pushed branch its default branch', async () => {
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

describe('the protocol', () => {
  test('is the smart one, with known services only', async () => {
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

  test('refuses malformed paths', async () => {
    for (const path of ['..%2f..%2fetc', 'owner%2f..%2fowner/smart', '%00', 'owner/smart%0a', '@hashed/ab', '-x/y']) {
      expect([401, 404]).toContain((await fetch(`${server.url}/${path}.git/info/refs?service=git-upload-pack`)).status)
      expect((await fetching(path, outsider)).status).toBe(404)
    }
    expect((await fetching('%ff')).status).toBe(404)
  })

  test('refuses illegal refs, and stores no objects', async () => {
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

  test('finds a project by its former path, with a message', async () => {
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

  test('creates a private project by a push to a free path', async () => {
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

describe('failures', () => {
  test('a push whose client disconnects leaves a valid repository and no intent', async () => {
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

  test('a killed clone ends its processes', async () => {
    await pushed('killed')
    await using folder = await temporaryDirectory()
    const client = spawn('git', ['clone', as(owner, 'owner/killed'), 'copy'], { cwd: folder.path, stdio: 'ignore' })
    client.kill('SIGKILL')
    await once(client, 'exit')
    expect((await fetching('owner/killed', owner)).status).toBe(200)
  })

  test('an intent of a killed process is settled by the refs of the repository', async () => {
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
    // One moved its ref before the process was killed, the other did not.
    await repository.updateRefs([{ ref: 'refs/heads/moved' as never, old: zero as never, new: main.oid }])
    await intend('refs/heads/moved')
    await intend('refs/heads/lost')
    expect(await recoverRefs(server.app.platform)).toBe(2)
    expect(await database.read.selectFrom('ref_intents').selectAll().execute()).toEqual([])
    const listed = await owner.get(`/projects/${made.id}/repository/branches`)
    expect(listed.body.map(({ name }: { name: string }) => name)).toEqual(['main', 'moved'])
  })
})
