import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { until } from '../../../infra/git/testing.ts'
import { git, makeHistory, ssh, sshGit, sshUrl, temporaryDirectory } from '../../../testing/index.ts'
import {
  framed,
  keyOf,
  member,
  notAllowed,
  notFound,
  owner,
  ownKey,
  push,
  pushed,
  reads,
  refusedWith,
  repositoryOf,
  serveForTests,
  server,
} from './testing.ts'

serveForTests()

describe('a user with an SSH key', () => {
  test('is greeted', async () => {
    const welcome = { code: 0, stdout: 'Welcome to GitLab, @owner!\n', stderr: '' }
    expect(await ssh(server, ownKey)).toEqual(welcome)
  })

  test('clones, fetches and pushes, in protocol 2, 1 and 0', async () => {
    const project = await pushed('work')
    await using work = await temporaryDirectory()
    const url = sshUrl(server, 'owner/work')
    for (const version of [0, 1, 2]) {
      const cloned = await sshGit(
        server,
        ownKey,
        work.path,
        '-c',
        `protocol.version=${version}`,
        'clone',
        url,
        `v${version}`,
      )
      expect(cloned).toMatchObject({ code: 0 })
      expect((await git(`${work.path}/v${version}`, 'rev-list', '--count', 'HEAD')).stdout).toBe('3\n')
    }
    expect(await sshGit(server, ownKey, work.path, 'clone', '--depth', '1', url, 'shallow')).toMatchObject({ code: 0 })
    await git(`${work.path}/v0`, 'commit', '--allow-empty', '--message', 'four')
    expect(await push(ownKey, `${work.path}/v0`, 'owner/work', 'main', 'main:other')).toMatchObject({ code: 0 })
    expect(await sshGit(server, ownKey, `${work.path}/v2`, 'pull')).toMatchObject({ code: 0 })
    expect((await git(`${work.path}/v2`, 'log', '-1', '--format=%s')).stdout).toBe('four\n')
    expect((await owner.get(`/projects/${project.id}/repository/branches`)).body).toHaveLength(2)
    const { repository } = await repositoryOf(project)
    expect(await repository.fsck()).toMatchObject({ ok: true })
  })

  test('uses version 2 of the protocol on request', async () => {
    await pushed('versions')
    const ask = (extra: string[]) =>
      ssh(server, ownKey, ["git-upload-pack 'owner/versions'"], { extra, input: '0000' }).then(({ stdout }) => stdout)
    expect(await ask(['-o', 'SetEnv=GIT_PROTOCOL=version=2'])).toMatch(/^000eversion 2\n/)
    expect(await ask([])).toMatch(/^[0-9a-f]{4}[0-9a-f]{40} HEAD\0/)
    expect(await ask(['-o', 'SetEnv=GIT_PROTOCOL=version=2;id'])).toMatch(/^[0-9a-f]{4}[0-9a-f]{40} HEAD\0/)
  })

  test('may use every form of the path of a project', async () => {
    await pushed('named')
    const forms = ["'/owner/named.git'", 'owner/named.git', '"owner/named"', "'/OWNER/Named'"]
    for (const form of forms) {
      for (const command of [`git-upload-pack ${form}`, `git upload-pack ${form}`]) {
        expect(await ssh(server, ownKey, [command], { input: '0000' })).toMatchObject({ code: 0, stderr: '' })
      }
    }
  })

  test('creates a project by a push, with a message', async () => {
    await using work = await temporaryDirectory()
    await makeHistory(work.path, ['one'])
    const { code, stderr } = await push(ownKey, work.path, 'owner/brand-new')
    expect(code).toBe(0)
    expect(stderr).toContain('The private project owner/brand-new was successfully created.')
    expect(stderr).toContain(`git remote add origin ${sshUrl(server, 'owner/brand-new')}`)
    const { body } = await owner.get('/projects/owner%2Fbrand-new')
    expect(body).toMatchObject({ visibility: 'private', ssh_url_to_repo: sshUrl(server, 'owner/brand-new') })
  })

  test('gets a message when the project has moved', async () => {
    const project = await pushed('before')
    await owner.put(`/projects/${project.id}`, { path: 'after' })
    await using work = await temporaryDirectory()
    await sshGit(server, ownKey, work.path, 'clone', sshUrl(server, 'owner/before'), '.')
    await git(work.path, 'commit', '--allow-empty', '--message', 'more')
    const { code, stderr } = await push(ownKey, work.path, 'owner/before')
    expect(code).toBe(0)
    expect(stderr).toContain("Project 'owner/before' was moved to 'owner/after'.")
    expect(stderr).toContain(`git remote set-url origin ${sshUrl(server, 'owner/after')}`)
  })
})

describe('access rights are those of HTTP', () => {
  test('by role', async () => {
    const project = await pushed('roles')
    const reporter = await member(project, 'role-reporter', 20)
    const guest = await member(project, 'role-guest', 10)
    const developer = await member(project, 'role-developer', 30)
    const outsider = await keyOf(await server.user('role-outsider'))
    await using work = await temporaryDirectory()
    await sshGit(server, ownKey, work.path, 'clone', sshUrl(server, 'owner/roles'), '.')
    await git(work.path, 'checkout', '-b', 'topic')
    await git(work.path, 'commit', '--allow-empty', '--message', 'more')
    expect((await reads(reporter, 'owner/roles')).code).toBe(0)
    expect(await reads(guest, 'owner/roles')).toMatchObject(
      refusedWith('You are not allowed to download code from this project.'),
    )
    expect(await reads(outsider, 'owner/roles')).toMatchObject(refusedWith(notFound))
    expect(await reads(outsider, 'owner/missing')).toMatchObject(refusedWith(notFound))
    expect(await push(reporter, work.path, 'owner/roles', 'topic')).toMatchObject(
      refusedWith('You are not allowed to push code to this project.'),
    )
    expect(await push(outsider, work.path, 'owner/roles', 'topic')).toMatchObject(refusedWith(notFound))
    expect(await push(outsider, work.path, 'owner/new-one', 'topic')).toMatchObject(refusedWith(notFound))
    expect(await push(developer, work.path, 'owner/roles', 'topic')).toMatchObject({ code: 0 })
  })

  test('by the state of the project: public, internal, archived, read-only', async () => {
    await pushed('open', 'public')
    await pushed('inner', 'internal')
    const outsider = await keyOf(await server.user('visitor'))
    expect((await reads(outsider, 'owner/open')).code).toBe(0)
    expect((await reads(outsider, 'owner/inner')).code).toBe(0)
    const project = await pushed('asleep')
    await using work = await temporaryDirectory()
    await makeHistory(work.path, ['one'])
    const { row } = await repositoryOf(project)
    const hold = (readOnly: boolean) =>
      server.app.platform.database.write(async (tx) => {
        await tx.updateTable('repositories').set({ read_only: readOnly }).where('id', '=', row.id).execute()
      })
    await hold(true)
    expect(await push(ownKey, work.path, 'owner/asleep', 'main:x')).toMatchObject(
      refusedWith('The repository is temporarily read-only. Please try again later.'),
    )
    expect((await reads(ownKey, 'owner/asleep')).code).toBe(0)
    await hold(false)
    await owner.post(`/projects/${project.id}/archive`)
    expect(await push(ownKey, work.path, 'owner/asleep', 'main:x')).toMatchObject(
      refusedWith("You can't push code to an archived project."),
    )
    expect((await reads(ownKey, 'owner/asleep')).code).toBe(0)
  })

  test('by the rules of refs, with the same messages', async () => {
    await pushed('ruled')
    await using work = await temporaryDirectory()
    await sshGit(server, ownKey, work.path, 'clone', sshUrl(server, 'owner/ruled'), '.')
    const hex = 'a'.repeat(40)
    const answer = await push(ownKey, work.path, 'owner/ruled', `main:refs/heads/${hex}`, 'main:fine')
    expect(answer.code).toBe(1)
    expect(answer.stderr).toContain('GitLab: You cannot create a branch with a 40-character hexadecimal branch name.')
    expect(answer.stderr).toContain('(pre-receive hook declined)')
    expect((await reads(ownKey, 'owner/ruled')).stdout).not.toContain('refs/heads/fine')
    expect((await push(ownKey, work.path, 'owner/ruled', ':main')).stderr).toContain(
      'GitLab: The default branch of a project cannot be deleted.',
    )
  })

  test('by the protocol that is allowed', async () => {
    await pushed('by-http')
    await server.root.put('/application/settings', { enabled_git_access_protocol: 'http' })
    expect(await reads(ownKey, 'owner/by-http')).toMatchObject(refusedWith('Git access over SSH is not allowed'))
    await server.root.put('/application/settings', { enabled_git_access_protocol: 'ssh' })
    expect((await reads(ownKey, 'owner/by-http')).code).toBe(0)
    await server.root.put('/application/settings', { enabled_git_access_protocol: null })
  })
})

describe('other commands', () => {
  test.each([
    'ls',
    'sh -c id',
    'git',
    'git-upload-pack-x a',
    'git log',
    'scp -t /tmp',
    'rsync --server . .',
    "git-upload-pack 'owner/p'; id",
    "git-upload-pack 'owner/p",
    '../git-upload-pack a',
    'GIT-UPLOAD-PACK a',
    '__proto__ a',
    'constructor a',
  ])('%s is refused', async (command) => {
    const answer = await ssh(server, ownKey, [command])
    const isSplit = command.includes(';')
    expect(answer.code).toBe(1)
    expect([notAllowed, ...(isSplit ? [notFound] : [])].map(framed)).toContain(answer.stderr)
  })

  test.each([
    '',
    '/',
    "''",
    '..',
    '../../etc/passwd',
    '/etc',
    '~root',
    '-x',
    '--help',
    '%2e%2e',
    'nobody/x\u00e9',
    '*',
  ])('the path %j is not found', async (path) => {
    for (const command of ['git-upload-pack', 'git-receive-pack']) {
      expect(await ssh(server, ownKey, [`${command} ${path}`])).toEqual({
        code: 1,
        stdout: '',
        stderr: framed(notFound),
      })
    }
  })
})

describe('a push', () => {
  // It starts a dozen processes one after another, which is slow on a loaded machine.
  test('whose client is killed leaves no quarantine, intent or ref', { timeout: 180_000 }, async () => {
    const project = await pushed('killed')
    await using work = await temporaryDirectory()
    await sshGit(server, ownKey, work.path, 'clone', sshUrl(server, 'owner/killed'), '.')
    await writeFile(`${work.path}/large`, randomBytes(4 * 1024 * 1024))
    await git(work.path, 'add', '.')
    await git(work.path, 'commit', '--message', 'much')
    const { path } = ownKey
    const { port = 0, host = '' } = server.app.ssh ?? {}
    // The client's own receive-pack conversation, cut off in the middle of the pack.
    const pack = await packOf(work.path)
    const options = [
      '-F',
      '/dev/null',
      '-i',
      path,
      '-p',
      String(port),
      '-o',
      'StrictHostKeyChecking=no',
      '-o',
      'UserKnownHostsFile=/dev/null',
    ]
    const client = spawn('ssh', [...options, `git@${host}`, "git-receive-pack 'owner/killed'"])
    await once(client.stdout, 'data')
    client.stdin.on('error', () => {})
    client.stdin.write(pack.subarray(0, pack.length / 2))
    // Git has created its quarantine, so it is in the middle of the pack.
    const { repository } = await repositoryOf(project)
    const objects = () => readdir(join(repository.directory, 'objects'))
    await until(async () => (await objects()).some((name) => name.includes('incoming')), 60_000)
    client.kill('SIGKILL')
    await until(async () => !(await objects()).some((name) => name.includes('incoming')), 60_000)
    const intents = () => server.app.platform.database.read.selectFrom('ref_intents').selectAll().execute()
    expect((await reads(ownKey, 'owner/killed')).code).toBe(0)
    expect(await intents()).toEqual([])
    expect(await repository.fsck()).toMatchObject({ ok: true })
    expect(await push(ownKey, work.path, 'owner/killed')).toMatchObject({ code: 0 })
    expect(await intents()).toEqual([])
  })

  /** What a client sends that moves `main` to the newest commit. */
  async function packOf(work: string): Promise<Buffer> {
    const [old, latest] = (await git(work, 'rev-parse', 'HEAD~1', 'HEAD')).stdout.trim().split('\n')
    const request = `${old} ${latest} refs/heads/main\0report-status`
    const head = `${(request.length + 4).toString(16).padStart(4, '0')}${request}0000`
    const packer = spawn('git', ['-C', work, 'pack-objects', '--stdout', '--revs', '-q'])
    packer.stdin.end(`${latest}\n^${old}\n`)
    return Buffer.concat([Buffer.from(head), ...(await packer.stdout.toArray())])
  }

  test('and fifty fetches at once are served', async () => {
    await pushed('busy')
    const answers = await Promise.all(Array.from({ length: 50 }, () => reads(ownKey, 'owner/busy')))
    expect(answers.filter(({ code }) => code === 0)).toHaveLength(50)
    expect(new Set(answers.map(({ stdout }) => stdout)).size).toBe(1)
  })
})
