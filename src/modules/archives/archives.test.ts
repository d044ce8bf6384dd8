import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { until } from '../../infra/git/testing.ts'
import {
  bytesAt,
  type Client,
  git,
  httpUrl,
  imported,
  importStream,
  type Person,
  startTestServer,
  type TestServer,
  temporaryDirectory,
} from '../../testing/index.ts'
import type { ProjectRow } from '../projects/index.ts'

let server: TestServer
let owner: Person
let reporter: Person
let guest: Person
let outsider: Person
let project: ProjectRow
let base: string
let head: string

beforeAll(async () => {
  server = await startTestServer()
  owner = await server.user('owner')
  reporter = await server.user('reporter')
  guest = await server.user('guest')
  outsider = await server.user('outsider')
  project = await server.make.project('demo', owner)
  await server.make.member({ project }, reporter, 20)
  await server.make.member({ project }, guest, 10)
  await using folder = await temporaryDirectory()
  const { path } = folder
  await git(path, 'init', '--quiet')
  for (const file of ['README.md', 'a file', ':odd', 'lib/one.rb', 'lib/sub/two.rb', 'docs/x.md']) {
    await git(path, 'update-index', '--add', '--cacheinfo', `100644,${await blob(path, `${file}\n`)},${file}`)
  }
  await git(path, 'commit', '--quiet', '--message', 'first')
  await git(path, 'tag', 'v1')
  await git(path, 'branch', 'feature/x"y')
  head = (await git(path, 'rev-parse', 'HEAD')).stdout.trim()
  const address = httpUrl(server, owner, 'owner/demo')
  expect(await git(path, 'push', '--quiet', address, 'main', 'v1', 'feature/x"y')).toMatchObject({ code: 0 })
  base = `/projects/${project.id}/repository/archive`
})
afterAll(() => server.stop())

async function blob(folder: string, content: string): Promise<string> {
  await writeFile(join(folder, '.content'), content)
  return (await git(folder, 'hash-object', '-w', '.content')).stdout.trim()
}

const download = (path: string, client: Client = reporter, headers?: Record<string, string>) =>
  bytesAt(client, path, headers)

/** The files in a tar, read as the format says. */
function filesOf(tar: Buffer): string[] {
  const names: string[] = []
  for (let offset = 0; offset + 512 <= tar.length && tar[offset] !== 0; ) {
    const text = (from: number, to: number) => tar.toString('utf8', offset + from, offset + to).replace(/\0.*$/s, '')
    const sizeBytes = Number.parseInt(text(124, 136), 8)
    const prefix = text(345, 500)
    if (text(156, 157) === '0') names.push(prefix === '' ? text(0, 100) : `${prefix}/${text(0, 100)}`)
    offset += 512 + Math.ceil(sizeBytes / 512) * 512
  }
  return names
}

function run(program: string, args: string[]): Promise<{ code: number; stdout: string }> {
  return new Promise((resolve) => {
    execFile(program, args, (error, stdout) => resolve({ code: error ? 1 : 0, stdout }))
  })
}

const all = [':odd', 'README.md', 'a file', 'docs/x.md', 'lib/one.rb', 'lib/sub/two.rb']

describe('x.repo_archive', () => {
  test('is a gzipped tar of the default branch, with the same bytes each time', async () => {
    const [one, two] = [await download(base), await download(`${base}?sha=main`)]
    expect(one.status).toBe(200)
    expect(one.bytes.equals(two.bytes)).toBe(true)
    const name = `demo-main-${head}`
    expect(one.headers.get('content-disposition')).toBe(`attachment; filename="${name}.tar.gz"`)
    expect(one.headers.get('content-type')).toBe('application/octet-stream')
    expect(one.headers.get('x-content-type-options')).toBe('nosniff')
    expect(filesOf(gunzipSync(one.bytes)).sort()).toEqual(all.map((file) => `${name}/${file}`).sort())
    const etag = one.headers.get('etag') ?? ''
    const again = await download(base, reporter, { 'If-None-Match': etag })
    expect([again.status, again.bytes.length, again.headers.get('content-type')]).toEqual([304, 0, null])
  })

  test('has another ETag for another path, exclusion, format, prefix or commit', async () => {
    const queries = ['', '?path=lib', '?path=lib/sub', '?exclude_paths=lib', '?exclude_paths=lib,docs', '?format=zip']
    const commits = [`?sha=${head}`, `?sha=${head}&path=lib&exclude_paths=lib/sub`]
    const etagOf = async (query: string) => (await download(base + query)).headers.get('etag')
    const etags = await Promise.all([...queries, ...commits].map(etagOf))
    expect(etags).not.toContain(null)
    expect(new Set(etags).size).toBe(etags.length)
    expect(await etagOf('?path=lib&exclude_paths=docs')).toBe(await etagOf('?exclude_paths=docs&path=lib'))
    expect(await etagOf('?path=lib/')).toBe(await etagOf('?path=lib'))
  })

  test('has another ETag for a path that gives the archive the same name', async () => {
    const content: ['100644', string, string][] = [
      ['100644', 'a/b/one', 'one'],
      ['100644', 'a-b/two', 'two'],
    ]
    const other = await imported(server, owner, 'same-name', importStream([{ message: 'x', files: content }]))
    const at = (path: string) => download(`/projects/${other.id}/repository/archive.tar?path=${path}`, owner)
    const [nested, flat] = [await at('a%2Fb'), await at('a-b')]
    expect(nested.headers.get('content-disposition')).toBe(flat.headers.get('content-disposition'))
    expect(nested.headers.get('etag')).not.toBe(flat.headers.get('etag'))
  })

  test('is sent again when only the path or the exclusions differ from the cached one', async () => {
    const etag = (await download(base)).headers.get('etag') ?? ''
    for (const query of ['?path=lib', '?exclude_paths=lib']) {
      expect((await download(base + query, reporter, { 'If-None-Match': etag })).status).toBe(200)
    }
  })

  const endings: [string, string][] = [
    ...['tar.gz', 'tgz', 'gz'].map((name): [string, string] => [name, 'tar.gz']),
    ...['tar.bz2', 'tbz', 'tbz2', 'tb2', 'bz2'].map((name): [string, string] => [name, 'tar.bz2']),
    ['tar', 'tar'],
    ['zip', 'zip'],
  ]

  test.each(endings)('has the format %s', async (ending, format) => {
    const bySuffix = await download(`${base}.${ending}`)
    expect(bySuffix.headers.get('content-disposition')).toBe(`attachment; filename="demo-main-${head}.${format}"`)
    const byName = await download(`${base}?format=${ending}`)
    expect(byName.bytes.equals(bySuffix.bytes)).toBe(true)
    const magic = { 'tar.gz': '1f8b', 'tar.bz2': '425a68', tar: '7061785f676c6f62616c', zip: '504b0304' }[format] ?? ''
    expect(bySuffix.bytes.toString('hex').slice(0, magic.length)).toBe(magic)
    await using folder = await temporaryDirectory()
    const file = join(folder.path, 'archive')
    await writeFile(file, bySuffix.bytes)
    const listing =
      format === 'zip' ? ['-c', 'import sys,zipfile;print("\\n".join(zipfile.ZipFile(sys.argv[1]).namelist()))'] : []
    const { code, stdout } =
      format === 'zip' ? await run('python3', [...listing, file]) : await run('tar', ['-tf', file])
    expect(code).toBe(0)
    expect(stdout).toContain(`demo-main-${head}/lib/sub/two.rb\n`)
  })

  test('accepts a tag, a commit, and a branch of any name', async () => {
    for (const sha of ['v1', head, head.slice(0, 8), 'HEAD', 'refs/heads/main']) {
      const { status, headers, bytes } = await download(`${base}.tar?sha=${encodeURIComponent(sha)}`)
      const name = `demo-${sha.replaceAll('/', '-')}-${head}`
      expect([sha, status, headers.get('content-disposition')]).toEqual([
        sha,
        200,
        `attachment; filename="${name}.tar"`,
      ])
      expect(filesOf(bytes)).toContain(`${name}/README.md`)
    }
    const quoted = await download(`${base}.tar?sha=${encodeURIComponent('feature/x"y')}`)
    expect(quoted.headers.get('content-disposition')).toBe(
      `attachment; filename="demo-feature-x_y-${head}.tar"; filename*=UTF-8''demo-feature-x%22y-${head}.tar`,
    )
    expect(filesOf(quoted.bytes)).toContain(`demo-feature-x"y-${head}/README.md`)
  })

  test('may be limited to a path', async () => {
    const inside = async (query: string) =>
      filesOf((await download(`${base}.tar?${query}`)).bytes)
        .map((file) => file.replace(/^[^/]+\//, ''))
        .sort()
    expect(await inside('path=lib')).toEqual(['lib/one.rb', 'lib/sub/two.rb'])
    expect(await inside('path=lib/')).toEqual(['lib/one.rb', 'lib/sub/two.rb'])
    expect(await inside('path=:odd')).toEqual([':odd'])
    expect(await inside('exclude_paths=lib,docs/x.md')).toEqual([':odd', 'README.md', 'a file'])
    expect(await inside('exclude_paths=lib/sub/')).toEqual(all.filter((file) => file !== 'lib/sub/two.rb'))
    expect(await inside('exclude_paths=:odd,a file,nope,../x,*')).toEqual(
      all.filter((file) => file !== ':odd' && file !== 'a file'),
    )
    expect(await inside('path=lib&exclude_paths=lib/sub')).toEqual(['lib/one.rb'])
    const { headers } = await download(`${base}.zip?path=lib/sub`)
    expect(headers.get('content-disposition')).toBe(`attachment; filename="demo-main-${head}-lib-sub.zip"`)
  })

  test('answers HEAD without a body', async () => {
    const answer = await reporter.head(`${base}.zip`)
    expect([answer.status, answer.body, answer.headers.get('content-type')]).toEqual([200, '', 'application/zip'])
    expect((await reporter.head(`${base}.zip?sha=nope`)).status).toBe(404)
  })

  test('refuses invalid parameters', async () => {
    for (const sha of [
      'nope',
      '-x',
      '--output=/tmp/x',
      'main~1',
      'main:lib',
      'f'.repeat(40),
      '../..',
      'x'.repeat(5_000),
    ]) {
      const answer = await reporter.get(`${base}?sha=${encodeURIComponent(sha)}`)
      expect([sha, answer.status, answer.body]).toEqual([sha, 404, { message: '404 File Not Found' }])
    }
    for (const path of ['nope', '../x', '/etc', '..', 'lib/../docs', '.git', ':(glob)*', '-x', 'README.md/x', 'LIB']) {
      const answer = await reporter.get(`${base}?path=${encodeURIComponent(path)}`)
      expect([path, answer.status, answer.body]).toEqual([path, 404, { message: '404 File Not Found' }])
    }
    expect(filesOf((await download(`${base}.tar?path=lib&exclude_paths=lib`)).bytes)).toEqual([])
    expect((await reporter.get(`${base}?format=rar`)).body.error).toBe('format does not have a valid value')
    for (const suffix of ['rar', 'ZIP', 'zip.exe', '%2e%2e', 'constructor'])
      expect((await reporter.get(`${base}.${suffix}`)).body).toEqual({
        error: '404 Not Found',
        message: '404 Not Found',
      })
    expect((await reporter.get(`${base}?path=%00`)).body.error).toBe('path is invalid')
    const commas = `${base}?exclude_paths=${Array.from({ length: 101 }, (_, index) => index).join(',')}`
    expect((await reporter.get(commas)).body.error).toBe('exclude_paths is invalid')
    const empty = await server.make.project('empty', owner)
    expect((await owner.get(`/projects/${empty.id}/repository/archive`)).body).toEqual({
      message: '404 File Not Found',
    })
  })

  test('requires a token with an API or repository scope', async () => {
    const token = server.as(await server.make.token(reporter, ['read_repository']))
    expect((await download(`${base}.zip`, token)).status).toBe(200)
    expect((await download(base, server.as(await server.make.token(reporter, ['read_user'])))).status).toBe(403)
  })

  test('may be requested ten times', async () => {
    for (let count = 0; count < 10; count += 1) expect((await download(base)).status).toBe(200)
  })
})

describe('x.repo_snapshot', () => {
  const path = () => `/projects/${project.id}/snapshot`

  test('is a tar of the bare repository that git can read', async () => {
    const { status, headers, bytes } = await download(path(), server.root)
    expect([status, headers.get('content-type'), headers.get('content-disposition')]).toEqual([
      200,
      'application/x-tar',
      'attachment; filename="snapshot.tar"',
    ])
    await using folder = await temporaryDirectory()
    await writeFile(join(folder.path, 'snapshot.tar'), bytes)
    expect((await run('tar', ['-xf', join(folder.path, 'snapshot.tar'), '-C', folder.path])).code).toBe(0)
    expect((await git(folder.path, '--git-dir', '.', 'rev-parse', 'main')).stdout.trim()).toBe(head)
    expect((await git(folder.path, '--git-dir', '.', 'fsck', '--strict')).code).toBe(0)
    expect(filesOf(bytes).some((file) => /hook|lock|tmp_|incoming/.test(file))).toBe(false)
    expect((await server.root.head(path())).status).toBe(200)
  })

  test('requires an administrator', async () => {
    expect((await server.anonymous.get(path())).status).toBe(401)
    for (const client of [owner, outsider])
      expect(await client.get(path())).toMatchObject({ status: 403, body: { message: '403 Forbidden' } })
    expect((await server.root.get('/projects/999999/snapshot')).body).toEqual({ message: '404 Project Not Found' })
    expect((await server.root.get(`${path()}?wiki=perhaps`)).body.error).toBe('wiki is invalid')
  })

  test('answers 404 for a missing wiki', async () => {
    await server.app.platform.database.write((tx) =>
      tx.deleteFrom('repositories').where('project_id', '=', project.id).where('kind', '=', 'wiki').execute(),
    )
    const answer = await server.root.get(`${path()}?wiki=true`)
    expect(answer).toMatchObject({ status: 404, body: { message: '404 Repository Not Found' } })
  })
})

test('packing ends when the client disconnects', async () => {
  const noise = randomBytes(12 * 1024 * 1024)
  const stream = importStream([{ message: 'x', files: [['100644', 'noise', noise]] }])
  const heavy = await imported(server, owner, 'heavy-one', stream)
  const packs = async () => (await run('ps', ['-Ao', 'args'])).stdout.includes('--prefix=heavy-one-main-')
  for (const format of ['tar', 'tar.gz', 'tar.bz2', 'zip']) {
    const response = await owner.open(`/projects/${heavy.id}/repository/archive.${format}`)
    const reader = response.body?.getReader()
    await reader?.read()
    expect(await packs()).toBe(true)
    await reader?.cancel()
    await until(async () => !(await packs()))
  }
})
