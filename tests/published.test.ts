/** The package as its users install it: packed, unpacked, and used without the project around it. */
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openDatabase } from '../src/infra/database/index.ts'
import { migrations } from '../src/migrations/index.ts'
import { temporaryDirectory } from '../src/testing/index.ts'

const root = join(import.meta.dirname, '..')
const run = promisify(execFile)
const folder = await temporaryDirectory()
afterAll(() => folder[Symbol.asyncDispose]())
/** Where the package is installed. */
const user = join(folder.path, 'user')
const installed = join(user, 'node_modules', 'fennec')

/** Packs a copy of the project: packing replaces `package.json` for a moment. */
async function pack(): Promise<string> {
  const copy = join(folder.path, 'project')
  mkdirSync(copy)
  const names = ['bin', 'scripts', 'src', 'package.json', 'package-lock.json', 'tsconfig.json', 'tsconfig.build.json']
  for (const name of [...names, 'README.md', 'CHANGELOG.md', 'LICENSE']) {
    cpSync(join(root, name), join(copy, name), { recursive: true })
  }
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'))
  const before = readFileSync(join(copy, 'package.json'), 'utf8')
  const { stdout } = await run('npm', ['pack', '--json', '--loglevel=error'], { cwd: copy, maxBuffer: 2 ** 26 })
  expect(readFileSync(join(copy, 'package.json'), 'utf8')).toBe(before)
  const name = /fennec-[\w.-]+\.tgz/.exec(stdout)?.[0] ?? ''
  return join(copy, name)
}

/** All files below a folder with their sizes. */
function sizesBelow(path: string): number[] {
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => statSync(join(entry.parentPath, entry.name)).size)
}

/** The packages that npm installs with these, by the lock file of the project. */
function packagesOf(names: readonly string[]): Set<string> {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'))
  const found = new Set<string>()
  const visit = (name: string) => {
    if (found.has(name)) return
    found.add(name)
    const { dependencies, optionalDependencies } = packages[`node_modules/${name}`]
    for (const needed of Object.keys({ ...dependencies, ...optionalDependencies })) visit(needed)
  }
  names.forEach(visit)
  return found
}

let needed: Set<string>
beforeAll(async () => {
  const archive = await pack()
  mkdirSync(installed, { recursive: true })
  await run('tar', ['-xzf', archive, '--strip-components=1', '-C', installed])
  needed = packagesOf(Object.keys(JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8')).dependencies))
  for (const name of needed) {
    const path = join(user, 'node_modules', name)
    mkdirSync(dirname(path), { recursive: true })
    symlinkSync(join(root, 'node_modules', name), path)
  }
  writeFileSync(join(user, 'package.json'), '{ "type": "module" }')
}, 240_000)

describe('the published package', () => {
  test('is small, and needs few others', () => {
    const ofOthers = [...needed].flatMap((name) => sizesBelow(join(root, 'node_modules', name)))
    const bytes = [...sizesBelow(installed), ...ofOthers].reduce((sum, size) => sum + size, 0)
    expect(bytes).toBeLessThan(60 * 1024 * 1024)
    expect(needed.size).toBeLessThan(20)
  })

  test('brings the empty database with which a first start begins, as the migrations make it', async () => {
    const made = join(folder.path, 'made.sqlite')
    await (await openDatabase({ url: `sqlite:${made}`, migrations })).close()
    const contentsOf = (path: string) => {
      const database = new DatabaseSync(path, { readOnly: true })
      const read = (table: string) => database.prepare(`select * from ${table} order by name`).all()
      const contents = [read('sqlite_master'), read('migrations')].map((rows) =>
        rows.map(({ rootpage, ...row }) => ({ ...row })),
      )
      database.close()
      return contents
    }
    expect(contentsOf(join(installed, 'dist', 'migrations', 'empty.sqlite'))).toEqual(contentsOf(made))
  })

  test('brings no tool, no source and no other types than its own', () => {
    const manifest = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'))
    expect(Object.keys(manifest)).not.toEqual(expect.arrayContaining(['devDependencies']))
    expect(manifest.scripts).toBeUndefined()
    const names = readdirSync(installed, { recursive: true }).map(String)
    expect(names.filter((name) => /(?<!\.d)\.tsx?$|\.test\./.test(name))).toEqual([])
    const types = names
      .filter((name) => name.endsWith('.d.ts'))
      .map((name) => readFileSync(join(installed, name), 'utf8'))
    const imported = types.join('\n').match(/from '[^.'][^']*'/g)
    expect(imported).toBeNull()
  })

  test('has types that a strict compiler accepts without other types', async () => {
    writeFileSync(
      join(user, 'uses.ts'),
      `import { type Fennec, manualClock, startFennec } from 'fennec'
const fennec: Fennec = await startFennec({ clock: manualClock({ start: new Date() }), port: 0 })
await using other = await startFennec()
await Promise.all([fennec.reset(), fennec.stop()])
export const url: string = other.url
`,
    )
    const compilerOptions = {
      ...{ strict: true, noEmit: true, skipLibCheck: false, types: [] },
      ...{ module: 'nodenext', target: 'es2022' },
    }
    writeFileSync(join(user, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['uses.ts'] }))
    const compiler = join(root, 'node_modules', 'typescript-6', 'bin', 'tsc')
    await run(process.execPath, [compiler, '--project', user])
  })

  test('starts a server inside of a test', async () => {
    const script = `import { startFennec } from 'fennec'
const fennec = await startFennec({ sshPort: 0 })
const headers = { 'PRIVATE-TOKEN': fennec.rootToken, 'Content-Type': 'application/json' }
const call = async (path, body) => {
  const answer = await fetch(fennec.url + path, { headers, ...(body && { method: 'POST', body: JSON.stringify(body) }) })
  return [answer.status, await answer.text()]
}
await call('/api/v4/projects', { name: 'demo', visibility: 'public' })
const files = { 'a.ts': 'export const a: number = 1', '.gitlab-ci.yml': 'a: {script: b}' }
const actions = Object.entries(files).map(([file_path, content]) => ({ action: 'create', file_path, content }))
await call('/api/v4/projects/1/repository/commits', { branch: 'main', commit_message: 'First', actions })
const paths = ['/api/v4/projects/1/ci/lint', '/api/v4/projects/1/languages', '/-/metrics', '/docs/swagger-ui.css',
  '/root/demo/-/blob/main/a.ts', '/api/v4/projects/1/repository/branches?regex=m.*', '/oauth/discovery/keys', '/users/sign_in']
const answers = {}
for (const path of paths) answers[path] = await call(path)
process.stdout.write(JSON.stringify(answers))
await fennec.stop()
`
    writeFileSync(join(user, 'uses.mjs'), script)
    const { stdout } = await run(process.execPath, ['uses.mjs'], { cwd: user, maxBuffer: 2 ** 26 })
    const answers = JSON.parse(stdout) as Record<string, [number, string]>
    for (const [path, [status]] of Object.entries(answers)) expect({ path, status }).toEqual({ path, status: 200 })
    expect(answers['/api/v4/projects/1/languages']?.[1]).toBe('{"TypeScript":100}')
    expect(JSON.parse(answers['/api/v4/projects/1/ci/lint']?.[1] ?? '')).toMatchObject({ valid: true })
    // Only a grammar, which a thread loads, marks a keyword; only the bundle has a style.
    expect(answers['/root/demo/-/blob/main/a.ts']?.[1]).toMatch(/hljs-keyword/)
    expect(answers['/users/sign_in']?.[1]).toMatch(/\/-\/assets\/\w+\/style\.css/)
  })

  test('serves in the current folder by its command', async () => {
    const env = { ...process.env, FENNEC_LISTEN: '127.0.0.1:0', NODE_OPTIONS: '' }
    // Where a file is in the way, as on a file system that is read-only, what is compiled is not kept.
    writeFileSync(join(installed, '.cache'), '')
    const stdio = ['ignore', 'pipe', 'ignore'] as const
    const server = spawn(process.execPath, [join(installed, 'bin', 'fennec.js')], { cwd: user, env, stdio: [...stdio] })
    const ended = once(server, 'exit')
    let greeting = ''
    server.stdout?.on('data', (bytes) => {
      greeting += bytes
    })
    try {
      await expect.poll(() => greeting).toMatch(/http:\/\/127\.0\.0\.1:\d+/)
      const address = /http:\/\/127\.0\.0\.1:\d+/.exec(greeting)?.[0]
      // It is stopped cleanly as soon as it answers, although its start may not have ended.
      await expect.poll(async () => (await fetch(`${address}/-/readiness`)).status, { interval: 5 }).toBe(200)
    } finally {
      server.kill('SIGTERM')
    }
    expect(await ended).toEqual([0, null])
    expect(readdirSync(join(user, 'data'))).toContain('fennec.db')
  })

  test('says its version', async () => {
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
    const { stdout } = await run(process.execPath, [join(installed, 'bin', 'fennec.js'), '--version'])
    expect(stdout).toBe(`${version}\n`)
  })

  test('says in one line which Node it needs', async () => {
    const old = join(folder.path, 'old.mjs')
    writeFileSync(
      old,
      `Object.defineProperty(process.versions, 'node', { value: '20.1.0' })\nawait import('${join(installed, 'bin', 'fennec.js')}')\n`,
    )
    const failure = await run(process.execPath, [old]).catch((error) => error)
    expect(failure).toMatchObject({ code: 1, stdout: '' })
    expect(failure.stderr).toMatch(/^fennec needs Node 24 or newer; this is v[\d.]+\. See https:\S+\n$/)
  })
})
