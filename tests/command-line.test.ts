import { type ChildProcess, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { copyFile, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { makeFreshDatabase, onPostgres } from '../src/testing/database.ts'
import { clientOf, git, makeHistory, temporaryDirectory } from '../src/testing/index.ts'
import { program, programEnvironment } from './program.ts'

// Each command is a process of its own, and a loaded machine starts them slowly.
vi.setConfig({ testTimeout: 180_000 })

let folder: Awaited<ReturnType<typeof temporaryDirectory>>
let database: Awaited<ReturnType<typeof makeFreshDatabase>>
let running: ChildProcess[] = []

beforeEach(async () => {
  folder = await temporaryDirectory()
  // Without a schema on both engines: commands make it.
  database = await makeFreshDatabase({ isEmpty: true })
})
afterEach(async () => {
  for (const child of running) child.kill('SIGKILL')
  running = []
  await database.remove()
  await folder[Symbol.asyncDispose]()
})

/** What asks nothing of the database that `migrate`, `check` and `backup` on PostgreSQL do not. */
const testOnSqlite = test.skipIf(onPostgres)

const environment = (more: Record<string, string> = {}) => ({
  ...programEnvironment,
  FENNEC_DATA: join(folder.path, 'data'),
  FENNEC_DATABASE_URL: database.url,
  FENNEC_LISTEN: '127.0.0.1:0',
  ...more,
})

/** @param input what the command reads from its standard input */
async function command(parameters: string[], more: Record<string, string> = {}, input = '') {
  const child = spawn(process.execPath, [program, ...parameters], { env: environment(more) })
  running.push(child)
  // Most commands end without reading it.
  child.stdin.on('error', () => {})
  child.stdin.end(input)
  let [stdout, stderr] = ['', '']
  child.stdout.on('data', (chunk) => {
    stdout += chunk
  })
  child.stderr.on('data', (chunk) => {
    stderr += chunk
  })
  const [code] = await once(child, 'close')
  return { code, stdout, stderr }
}

/** Starts a server and waits for its greeting. */
async function serve(parameters: string[] = [], more: Record<string, string> = {}) {
  const child = spawn(process.execPath, [program, ...parameters], {
    env: environment(more),
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  running.push(child)
  let greeting = ''
  child.stdout.setEncoding('utf8')
  while (!greeting.includes('Reference:')) greeting += (await once(child.stdout, 'data'))[0]
  child.stdout.resume()
  const url = /ready at (\S+)/.exec(greeting)?.[1] ?? ''
  const end = async (signal: NodeJS.Signals) => {
    child.kill(signal)
    return (await once(child, 'exit')) as [number | null, NodeJS.Signals | null]
  }
  return { url, greeting, end }
}

describe('demo', () => {
  testOnSqlite('refuses seeds that are no whole numbers, and to keep nothing', async () => {
    for (const seed of ['-1', 'x', '1.5', '4294967296', '99999999999']) {
      const refused = await command(['demo', '--fill-only', `--seed=${seed}`])
      expect(refused).toMatchObject({ code: 1, stdout: '' })
      expect(refused.stderr).toBe(`fennec: --seed must be a whole number up to 4294967295, not '${seed}'\n`)
    }
    const nothing = await command(['demo', '--memory', '--fill-only'])
    expect(nothing.stderr).toBe('fennec: --fill-only and --memory together would keep nothing\n')
  })
})

describe('serve', () => {
  testOnSqlite('creates root once, prints its credentials once, and stops cleanly', async () => {
    const first = await serve()
    const token = /token {5}(\S+)/.exec(first.greeting)?.[1] ?? ''
    expect(first.greeting).toMatch(/password {2}\S{20,}/)
    expect((await clientOf(first.url, token).get('/user')).body).toMatchObject({
      id: 1,
      username: 'root',
      is_admin: true,
    })
    const file = join(folder.path, 'data', 'root-token')
    expect((await readFile(file, 'utf8')).trim()).toBe(token)
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    expect(await first.end('SIGTERM')).toEqual([0, null])
    const second = await serve()
    expect(second.greeting).not.toContain(token)
    expect(second.greeting).not.toContain('password')
    expect((await clientOf(second.url, token).get('/user')).status).toBe(200)
    expect(await second.end('SIGINT')).toEqual([0, null])
  })

  testOnSqlite('sets the given root token and password at every start', async () => {
    const given = { FENNEC_ROOT_TOKEN: 'a-token-of-my-own-choice', FENNEC_ROOT_PASSWORD: 'a password of mine' }
    const first = await serve([], given)
    expect(first.greeting).not.toContain(given.FENNEC_ROOT_TOKEN)
    expect((await clientOf(first.url, given.FENNEC_ROOT_TOKEN).get('/version')).status).toBe(200)
    await first.end('SIGTERM')
    const other = 'another-token-of-my-choice'
    const second = await serve([], { ...given, FENNEC_ROOT_TOKEN: other })
    for (const token of [given.FENNEC_ROOT_TOKEN, other]) {
      expect((await clientOf(second.url, token).get('/version')).status).toBe(200)
    }
  })

  testOnSqlite('stores nothing with --memory', async () => {
    await rm(join(folder.path, 'data'), { recursive: true, force: true })
    const server = await serve(['serve', '--memory'], { FENNEC_ROOT_TOKEN: 'a-token-of-my-own-choice' })
    expect((await clientOf(server.url, 'a-token-of-my-own-choice').get('/version')).status).toBe(200)
    await server.end('SIGTERM')
    await expect(stat(join(folder.path, 'data'))).rejects.toThrow('ENOENT')
  })

  test('reports an invalid setting or port in one line', async () => {
    const wrong = await command(['serve'], { FENNEC_LISTEN: 'nonsense' })
    expect(wrong).toMatchObject({ code: 1, stdout: '' })
    expect(wrong.stderr).toMatch(/^fennec: FENNEC_LISTEN must be host:port, not 'nonsense'\n$/)
    const server = await serve()
    const taken = await command(['serve', '--memory'], { FENNEC_LISTEN: `127.0.0.1:${new URL(server.url).port}` })
    expect(taken.code).toBe(1)
    expect(taken.stderr).toMatch(/^fennec: FENNEC_LISTEN: port \d+ is in use\n$/)
    const listen = `127.0.0.1:${new URL(server.url).port}`
    const several = await command([], { FENNEC_WORKERS: '2', FENNEC_LISTEN: listen, FENNEC_LOG_LEVEL: 'silent' })
    expect(several).toMatchObject({ code: 1, stdout: '' })
    expect(several.stderr).toMatch(
      onPostgres
        ? /^fennec: FENNEC_LISTEN: port \d+ is in use\n$/
        : /^fennec: FENNEC_WORKERS must be 1 with SQLite, which one process serves; several need PostgreSQL\n$/,
    )
  })

  testOnSqlite('refuses a SQLite database that another server uses, until that server has ended', async () => {
    const given = { FENNEC_ROOT_TOKEN: 'a-token-of-my-own-choice' }
    const server = await serve([], given)
    const second = await command([], given)
    const path = database.url.replace('sqlite:', '')
    expect(second).toEqual({ code: 1, stdout: '', stderr: `fennec: another server is using the database ${path}\n` })
    expect((await clientOf(server.url, given.FENNEC_ROOT_TOKEN).get('/user')).status).toBe(200)
    for (const beside of [['check'], ['migrate'], ['token', 'create'], ['registry', 'gc']]) {
      expect(await command(beside, given)).toMatchObject({ code: 0 })
    }
    await server.end('SIGKILL')
    await serve([], given)
  })

  testOnSqlite('refuses an empty database beside existing repositories', async () => {
    const given = { FENNEC_ROOT_TOKEN: 'a-token-of-my-own-choice' }
    const server = await serve([], given)
    const root = clientOf(server.url, given.FENNEC_ROOT_TOKEN)
    expect((await root.post('/projects', { name: 'one', initialize_with_readme: true })).status).toBe(201)
    await server.end('SIGTERM')
    const empty = await makeFreshDatabase()
    try {
      const refused = await command([], { ...given, FENNEC_DATABASE_URL: empty.url })
      expect(refused.code).toBe(1)
      expect(refused.stderr).toMatch(
        /^fennec: the database is empty, but the storage default contains repositories; [^\n]+\n$/,
      )
    } finally {
      await empty.remove()
    }
    const again = clientOf((await serve([], given)).url, given.FENNEC_ROOT_TOKEN)
    expect((await again.get('/projects/root%2Fone')).status).toBe(200)
  })

  testOnSqlite('killed during pushes retains acknowledged pushes and sound repositories', async () => {
    const token = 'a-token-of-my-own-choice'
    const given = { FENNEC_ROOT_TOKEN: token, FENNEC_LOG_LEVEL: 'silent' }
    const work = join(folder.path, 'work')
    await mkdir(work)
    await makeHistory(work, ['one', 'two'])
    const acknowledged: string[] = []
    for (let round = 0; round < 3; round += 1) {
      const server = await serve([], given)
      const root = clientOf(server.url, token)
      if (round === 0) await root.post('/projects', { name: 'demo' })
      const address = `${server.url.replace('://', `://root:${token}@`)}/root/demo.git`
      const pushes = Array.from({ length: 6 }, async (_, index) => {
        const name = `r${round}-${index}`
        const { code, stderr } = await git(work, 'push', '--quiet', address, `main:refs/heads/${name}`)
        if (code !== 0) throw new Error(stderr)
        acknowledged.push(name)
      })
      // The first that comes through is the sign to strike, in the middle of the others.
      await Promise.any(pushes)
      await server.end('SIGKILL')
      await Promise.allSettled(pushes)
    }
    const server = await serve([], given)
    const list = await clientOf(server.url, token).get('/projects/root%2Fdemo/repository/branches?per_page=100')
    const names = list.body.map(({ name }: { name: string }) => name)
    expect(acknowledged.length).toBeGreaterThan(0)
    for (const name of acknowledged) expect(names).toContain(name)
    await server.end('SIGTERM')
    expect(await command(['check'])).toMatchObject({ code: 0, stdout: 'All is well.\n' })
  })
})

describe('the other commands', () => {
  test('migrate, token create, config and check', async () => {
    const dry = await command(['migrate', '--dry-run'])
    expect(dry.stdout).toMatch(
      /^The database lacks .* migrations?\. .*Nothing was changed\.\n0001: all tables of 0\.1\.0 \(/,
    )
    expect(dry.stdout).toContain('\n  create table projects\n')
    expect(await command(['migrate'])).toMatchObject({ code: 0, stdout: 'The database is up to date.\n' })
    expect((await command(['migrate', '--dry-run'])).stdout).toBe('The database is up to date.\n')
    expect((await command(['token', 'create'])).stderr).toBe('fennec: --user: there is no user root\n')
    const server = await serve()
    const made = await command(['token', 'create', '--scopes', 'read_api', '--name', 'ci'])
    expect(made.code).toBe(0)
    expect((await clientOf(server.url, made.stdout.trim()).get('/version')).status).toBe(200)
    expect((await command(['token', 'create', '--scopes', 'nonsense'])).stderr).toContain(
      '--scopes: unknown scope nonsense',
    )
    const printed = await command(['config'], { FENNEC_ROOT_TOKEN: 'a-token-of-my-own-choice' })
    expect(JSON.parse(printed.stdout)).toMatchObject({ rootToken: '[masked]' })
    await server.end('SIGTERM')
    expect(await command(['check'])).toMatchObject({ code: 0, stdout: 'All is well.\n' })
  })

  testOnSqlite(
    'backup beside a server leaves no file when it is killed or the disk is full, and restore brings it elsewhere',
    async () => {
      const server = await serve([], { FENNEC_ROOT_TOKEN: 'a-token-of-my-own-choice' })
      const root = clientOf(server.url, 'a-token-of-my-own-choice')
      await root.post('/projects', { name: 'demo', initialize_with_readme: true })
      const file = join(folder.path, 'demo.fennec')
      const ownFiles = async () => (await readdir(folder.path)).filter((name) => name.includes('demo.fennec'))

      const killed = spawn(process.execPath, [program, 'backup', file], { env: environment(), stdio: 'ignore' })
      running.push(killed)
      await expect.poll(ownFiles, { interval: 1 }).not.toEqual([])
      killed.kill('SIGKILL')
      await once(killed, 'close')
      for (const name of await ownFiles()) expect(name).toMatch(/^\.demo\.fennec\..*\.unfinished/)
      for (const name of await ownFiles()) await rm(join(folder.path, name))

      const limited = spawn('sh', ['-c', `ulimit -f 20; exec "$0" "$1" backup "$2"`, process.execPath, program, file], {
        env: { ...environment(), NODE_DISABLE_COMPILE_CACHE: '1' },
        stdio: ['ignore', 'ignore', 'pipe'],
      })
      running.push(limited)
      const said = await text(limited.stderr)
      expect(said).toMatch(/\nfennec: EFBIG[^\n]*\n$/)
      expect(await ownFiles()).toEqual([])

      const backup = await command(['backup', file])
      expect(backup).toMatchObject({ code: 0, stderr: 'refs\ndatabase\nrepositories\nobjects\n' })
      expect(await command(['backup', file])).toEqual({
        code: 1,
        stdout: '',
        stderr: `fennec: ${file} exists already\n`,
      })
      await server.end('SIGTERM')
      const elsewhere = { FENNEC_DATA: join(folder.path, 'elsewhere'), FENNEC_DATABASE_URL: '' }
      expect(await command(['restore', file], elsewhere)).toMatchObject({ code: 0 })
      expect(await command(['check'], elsewhere)).toMatchObject({ code: 0, stdout: 'All is well.\n' })
    },
  )

  testOnSqlite('user two-factor enable marks the account', async () => {
    const given = { FENNEC_ROOT_TOKEN: 'a-token-of-my-own-choice' }
    const server = await serve([], given)
    const enable = (username: string) => command(['user', 'two-factor', 'enable', username])
    expect(await enable('nobody')).toMatchObject({ code: 1, stderr: 'fennec: there is no user nobody\n' })
    expect(await enable('ROOT')).toMatchObject({ code: 0, stderr: '' })
    const own = await clientOf(server.url, given.FENNEC_ROOT_TOKEN).get('/user')
    expect(own.body.two_factor_enabled).toBe(true)
  })

  testOnSqlite('user password sets a password, and audit prints what administrators did', async () => {
    const given = { FENNEC_ROOT_TOKEN: 'a-token-of-my-own-choice' }
    const server = await serve([], given)
    const root = clientOf(server.url, given.FENNEC_ROOT_TOKEN)
    const account = { email: 'a@example.com', username: 'alice', name: 'Alice', force_random_password: true }
    expect((await root.post('/users', account)).status).toBe(201)
    const password = 'a new password 44'
    const set = (username: string, text: string) => command(['user', 'password', username], {}, text)
    expect(await set('nobody', password)).toMatchObject({ code: 1, stderr: 'fennec: there is no user nobody\n' })
    expect((await set('alice', 'short')).stderr).toBe('fennec: the password is too short (minimum is 8 characters)\n')
    expect(await set('alice', `${password}\n`)).toMatchObject({ code: 0, stderr: '' })
    const grant = { grant_type: 'password', username: 'alice', password }
    expect((await clientOf(server.url).post('root:/oauth/token', grant)).status).toBe(200)
    const { stdout } = await command(['audit', '--act', 'users.create', '--limit', '1'])
    expect(JSON.parse(stdout)).toMatchObject({ by: 'root', act: 'users.create', target: 'user 2' })
    expect((await command(['audit', '--target', 'alice'])).stderr).toContain('--target must be a kind and an id')
  })

  testOnSqlite('registry gc counts what it removes, or would remove', async () => {
    await command(['migrate'])
    const left = join(folder.path, 'data/objects/blobs/sha256/ab')
    await mkdir(left, { recursive: true })
    await writeFile(join(left, 'ab'.repeat(32)), 'left by a process that was killed')
    const nothing = '0 manifests, 0 links and 0 blobs (0 bytes)'
    expect(await command(['registry', 'gc', '--dry-run'])).toMatchObject({
      code: 0,
      stdout: `Would remove ${nothing}, and what only these need.\n`,
    })
    expect((await command(['registry', 'gc'])).stdout).toBe(
      `Removed ${nothing}, and the contents of 1 blobs that have no row.\n`,
    )
    expect((await command(['registry', 'gc'])).stdout).toContain('of 0 blobs')
  })

  testOnSqlite.each([
    [['check'], ['database', 'rows and objects', 'repositories']],
    [
      ['registry', 'gc'],
      ['manifests, links and blobs', 'contents without a row'],
    ],
    [['registry', 'gc', '--dry-run'], []],
    [
      ['backup', 'FILE'],
      ['refs', 'database', 'repositories', 'objects'],
    ],
  ])('%j tells its steps without a terminal, and nothing with --quiet', async (parameters, steps) => {
    await (await serve()).end('SIGTERM')
    const shown = async (name: string, more: string[] = []) => {
      const given = parameters.map((one) => (one === 'FILE' ? join(folder.path, name) : one))
      const { code, stderr } = await command([...given, ...more])
      expect(code).toBe(0)
      return stderr
    }
    expect(await shown('a')).toBe(steps.map((step) => `${step}\n`).join(''))
    expect(await shown('b', ['--quiet'])).toBe('')
    if (parameters[0] !== 'backup') return
    const verify = ['restore', '--verify', join(folder.path, 'a')]
    expect((await command(verify)).stderr).toBe('check of the file\n')
    expect((await command([...verify, '--quiet'])).stderr).toBe('')
  })

  testOnSqlite('check finds missing or damaged refs, LFS objects and repositories', async () => {
    const token = 'a-token-of-my-own-choice'
    const server = await serve([], { FENNEC_ROOT_TOKEN: token })
    const root = clientOf(server.url, token)
    await root.post('/projects', { name: 'demo', initialize_with_readme: true })
    await root.post('/projects/root%2Fdemo/releases', { tag_name: 'v1', ref: 'main' })
    const bytes = Buffer.from('the content of a large file')
    const oid = createHash('sha256').update(bytes).digest('hex')
    const authorization = `Basic ${Buffer.from(`root:${token}`).toString('base64')}`
    const stored = await fetch(`${server.url}/root/demo.git/gitlab-lfs/objects/${oid}/${bytes.length}`, {
      method: 'PUT',
      headers: { Authorization: authorization, 'Content-Type': 'application/octet-stream' },
      body: bytes,
    })
    expect(stored.status).toBe(200)
    await server.end('SIGTERM')
    expect(await command(['check'])).toMatchObject({ code: 0, stdout: 'All is well.\n' })
    const repositories = join(folder.path, 'data', 'repositories')
    const found = await readdir(repositories, { recursive: true })
    const head = found.find((path) => path.endsWith('.git')) ?? ''
    for (const change of [
      ['refs/heads/other', 'refs/heads/main'],
      ['-d', 'refs/heads/main'],
      ['-d', 'refs/tags/v1'],
    ]) {
      expect(await git(join(repositories, head), 'update-ref', ...change)).toMatchObject({ code: 0 })
    }
    await rm(join(folder.path, 'data', 'objects'), { recursive: true })
    const drifted = await command(['check'])
    expect(drifted).toMatchObject({ code: 1 })
    expect(drifted.stdout).toContain('its default branch main does not exist')
    expect(drifted.stdout).toContain('the tag v1 of a release does not exist')
    expect(drifted.stdout).toContain(`LFS object ${oid} is missing`)
    await rm(repositories, { recursive: true })
    const outcome = await command(['check'])
    expect(outcome.code).toBe(1)
    expect(outcome.stdout).toMatch(/^repository \d+ \(default:@hashed\/.*\) is missing on disk$/m)
  })

  testOnSqlite(
    'a project created after an older database was restored starts empty, and check finds the repositories without rows',
    async () => {
      const token = 'a-token-of-my-own-choice'
      const file = join(folder.path, 'data', 'fennec.db')
      const given = { FENNEC_ROOT_TOKEN: token, FENNEC_DATABASE_URL: `sqlite:${file}` }
      const first = await serve([], given)
      await clientOf(first.url, token).get('/version')
      await first.end('SIGTERM')
      await copyFile(file, join(folder.path, 'backup.db'))
      const second = await serve([], given)
      const before = await clientOf(second.url, token).post('/projects', { name: 'lost', initialize_with_readme: true })
      await second.end('SIGTERM')
      await copyFile(join(folder.path, 'backup.db'), file)
      const third = await serve([], given)
      const root = clientOf(third.url, token)
      const after = await root.post('/projects', { name: 'fresh' })
      expect(after.body.id).toBe(before.body.id)
      expect((await root.get(`/projects/${after.body.id}/repository/branches`)).body).toEqual([])
      await third.end('SIGTERM')
      const outcome = await command(['check'], given)
      expect(outcome.code).toBe(1)
      expect(outcome.stdout).toMatch(
        /^the directory default:@hashed\/[/0-9a-f]+\.git holds a repository that no row of the database names$/m,
      )
    },
  )
})
