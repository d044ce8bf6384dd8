import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ManualClock } from '../../../infra/clock/index.ts'
import { bytesAt, type Person, queriesOf, type TestServer } from '../../../testing/index.ts'
import type { ProjectRow } from '../../projects/index.ts'
import { elsewhere } from '../testing.ts'
import { binary, large, startWithFiles } from './testing.ts'

const sha256 = (content: string | Buffer) => createHash('sha256').update(content).digest('hex')

let server: TestServer
let owner: Person
let reporter: Person
let project: ProjectRow
let base: string
/** Commits of `main`, newest first. */
let commits: string[]
let at: (path: string, rest?: string) => string
let clock: ManualClock

beforeAll(async () => {
  ;({ server, owner, reporter, project, base, commits, at, clock } = await startWithFiles())
})
afterAll(() => server.stop())

const fileHeaders = (headers: Headers) =>
  Object.fromEntries([...headers].filter(([name]) => name.startsWith('x-gitlab-') && name !== 'x-gitlab-meta'))

describe('x.files_get', () => {
  test('returns a file with its content and its headers', async () => {
    const content = '# Hello\nthere\nworld\n'
    const answer = await reporter.get(at('README.md'))
    expect(answer.status).toBe(200)
    expect(Object.keys(answer.body)).toEqual([
      'file_name',
      'file_path',
      'size',
      'encoding',
      'content_sha256',
      'ref',
      'blob_id',
      'commit_id',
      'last_commit_id',
      'execute_filemode',
      'content',
    ])
    expect(answer.body).toEqual({
      file_name: 'README.md',
      file_path: 'README.md',
      size: content.length,
      encoding: 'base64',
      content_sha256: sha256(content),
      ref: 'main',
      blob_id: expect.stringMatching(/^[0-9a-f]{40}$/),
      commit_id: commits[0],
      last_commit_id: commits[0],
      execute_filemode: false,
      content: Buffer.from(content).toString('base64'),
    })
    expect(fileHeaders(answer.headers)).toEqual({
      'x-gitlab-blob-id': answer.body.blob_id,
      'x-gitlab-commit-id': commits[0],
      'x-gitlab-content-sha256': sha256(content),
      'x-gitlab-encoding': 'base64',
      'x-gitlab-execute-filemode': 'false',
      'x-gitlab-file-name': 'README.md',
      'x-gitlab-file-path': 'README.md',
      'x-gitlab-last-commit-id': commits[0],
      'x-gitlab-ref': 'main',
      'x-gitlab-size': '20',
    })
    const etag = answer.headers.get('etag') ?? ''
    expect((await reporter.get(at('README.md'), { headers: { 'If-None-Match': etag } })).status).toBe(304)
  })

  test('returns the executable mode and the last commit of a file', async () => {
    expect((await reporter.get(at('bin/run.sh'))).body).toMatchObject({
      file_name: 'run.sh',
      file_path: 'bin/run.sh',
      execute_filemode: true,
      commit_id: commits[0],
      last_commit_id: commits[1],
    })
  })

  test('accepts every kind of revision, tags before branches', async () => {
    const oid = commits[1] ?? ''
    const sizes: [string, number][] = [
      ['main', 20],
      ['HEAD', 20],
      ['v1', 14],
      ['refs/tags/v1', 14],
      ['refs/heads/main', 20],
      ['twin', 14],
      ['refs/heads/twin', 20],
      [oid, 14],
      [oid.toUpperCase(), 14],
      [oid.slice(0, 7), 14],
      ['feature/x', 7],
    ]
    for (const [ref, size] of sizes) {
      const { body } = await reporter.get(at('README.md', `?ref=${encodeURIComponent(ref)}`))
      expect([ref, body.size, body.ref]).toEqual([ref, size, ref])
    }
  })

  test('returns all kinds of names and contents', async () => {
    const cases: [string, Buffer][] = [
      ['lib/a b/ü"\'.txt', Buffer.from('ü\n')],
      ['lib/li\nne', Buffer.from('newline\n')],
      ['picture.png', binary],
      ['empty', Buffer.alloc(0)],
      ['with.git/dot', Buffer.from('dot\n')],
      ['link', Buffer.from('../../../etc/passwd')],
      ['loop', Buffer.from('loop')],
    ]
    for (const [path, content] of cases) {
      const { status, body } = await reporter.get(at(path))
      expect([path, status, body.file_path]).toEqual([path, 200, path])
      expect(Buffer.from(body.content, 'base64')).toEqual(content)
      expect(body.content_sha256).toBe(sha256(content))
    }
    const { headers } = await reporter.get(at('lib/li\nne'))
    expect(headers.get('x-gitlab-file-name')).toBe('li%0ane')
    const odd = (await reporter.get(at('lib/a b/ü"\'.txt'))).headers.get('x-gitlab-file-name') ?? ''
    expect(Buffer.from(odd, 'latin1').toString()).toBe('ü"\'.txt')
  })

  test('requires a ref', async () => {
    for (const query of ['', '?ref=']) {
      const answer = await reporter.get(at('README.md', query))
      expect([answer.status, answer.body.error]).toEqual([
        400,
        query === '' ? 'ref is missing, ref is empty' : 'ref is empty',
      ])
    }
    expect((await reporter.get(at('README.md', ''))).body).toEqual({
      message: '400 (Bad request) "ref" not given',
      error: 'ref is missing, ref is empty',
    })
    expect((await reporter.get(at('README.md', '?ref[]=main'))).body.error).toBe('ref is invalid')
  })

  test('answers 404 for missing files and commits', async () => {
    for (const ref of [
      'nope',
      '-x',
      '--all',
      'main~1',
      'main:README.md',
      'HEAD^',
      'a..b',
      elsewhere,
      'x'.repeat(5_000),
    ]) {
      const answer = await reporter.get(at('README.md', `?ref=${encodeURIComponent(ref)}`))
      expect([ref, answer.status, answer.body]).toEqual([ref, 404, { message: '404 Commit Not Found' }])
    }
    const blob = (await reporter.get(at('README.md'))).body.blob_id
    expect((await reporter.get(at('README.md', `?ref=${blob}`))).body).toEqual({ message: '404 Commit Not Found' })
    const missing = [
      'nope',
      'lib',
      'lib/',
      'README.md/',
      'README.md/x',
      'lib//li',
      './README.md',
      'lib/./x',
      '.git/config',
      'module',
      'module/x',
      'link/x',
      'readme.md',
      'lib/\ufffd\ufffd',
      ' README.md',
      ':README.md',
      ':(glob)*',
      '*',
      '-',
      'a/'.repeat(2_000),
      'x'.repeat(4_096),
      `${'deep/'.repeat(800)}x`,
    ]
    for (const path of missing) {
      const answer = await reporter.get(at(path))
      expect([path, answer.status, answer.body]).toEqual([path, 404, { message: '404 File Not Found' }])
    }
  })

  test('refuses paths outside the repository', async () => {
    for (const path of [
      '../x',
      '../..',
      'a/../b',
      'a/..',
      '../../etc/passwd',
      '/etc/passwd',
      '..\\x',
      'a\\..\\b',
      '//x',
    ]) {
      const answer = await reporter.get(at(path))
      expect([path, answer.status, answer.body]).toEqual([
        path,
        400,
        {
          message: { file_path: ['should be a valid file path'] },
          error: 'file_path should be a valid file path',
        },
      ])
    }
    expect((await reporter.get(at('../x', ''))).body.error).toBe(
      'file_path should be a valid file path, ref is missing, ref is empty',
    )
    for (const path of ['a%00b', '%ff%fe', '%', '%zz'])
      expect([path, (await reporter.get(`${base}/${path}?ref=main`)).status]).toEqual([path, 400])
    // An escaped slash is a part of the name, and an escaped escape is not decoded twice.
    expect((await reporter.get(`${base}/bin%2Frun.sh?ref=main`)).status).toBe(200)
    expect((await reporter.get(`${base}/bin%252Frun.sh?ref=main`)).body).toEqual({ message: '404 File Not Found' })
    expect((await reporter.get(`${base}/bin/run.sh?ref=main`)).body.error).toBe('404 Not Found')
  })

  test('streams large files, with a rate limit', async () => {
    const asked = async () => bytesAt(reporter, at('large.bin'))
    const { status, headers, bytes } = await asked()
    expect(status).toBe(200)
    expect(headers.get('content-type')).toBe('application/json')
    expect(headers.get('content-length')).toBe(String(bytes.length))
    const body = JSON.parse(bytes.toString())
    expect(body).toMatchObject({ file_name: 'large.bin', size: large.length, content_sha256: sha256(large) })
    expect(Object.keys(body).at(-1)).toBe('content')
    expect(sha256(Buffer.from(body.content, 'base64'))).toBe(sha256(large))
    const known = await bytesAt(reporter, at('large.bin'), { 'If-None-Match': headers.get('etag') ?? '' })
    expect([known.status, known.bytes.length]).toEqual([304, 0])
    for (let count = 0; count < 3; count += 1) expect((await asked()).status).toBe(200)
    const refused = await reporter.get(at('large.bin'))
    expect(refused).toMatchObject({
      status: 429,
      body: { message: { error: 'This endpoint has been requested too many times. Try again later.' } },
    })
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    // Others, other files and the bytes themselves are not concerned.
    expect((await bytesAt(owner, at('large.bin'))).status).toBe(200)
    expect((await reporter.get(at('README.md'))).status).toBe(200)
    expect((await bytesAt(reporter, at('large.bin', '/raw'))).status).toBe(200)
    clock.advance(61_000)
    expect((await asked()).status).toBe(200)
  })
})

describe('x.files_head', () => {
  test('returns the headers without a body, and the errors', async () => {
    const answer = await reporter.head(at('README.md'))
    expect([answer.status, answer.body]).toEqual([200, ''])
    expect(fileHeaders(answer.headers)).toEqual(fileHeaders((await reporter.get(at('README.md'))).headers))
    expect((await reporter.head(at('README.md', ''))).status).toBe(400)
    expect((await reporter.head(at('nope'))).status).toBe(404)
    expect((await reporter.head(at('large.bin'))).headers.get('x-gitlab-size')).toBe(String(large.length))
  })
})

describe('x.files_raw', () => {
  test('returns the bytes with headers that prevent execution in a browser', async () => {
    const types: [string, string, Buffer][] = [
      ['README.md', 'text/plain; charset=utf-8', Buffer.from('# Hello\nthere\nworld\n')],
      ['page.html', 'text/plain; charset=utf-8', Buffer.from('<script>alert(1)</script>')],
      ['picture.png', 'application/octet-stream', binary],
      ['empty', 'text/plain; charset=utf-8', Buffer.alloc(0)],
      ['large.bin', 'application/octet-stream', large],
    ]
    for (const [path, type, content] of types) {
      const { status, headers, bytes } = await bytesAt(reporter, at(path, '/raw'))
      expect([path, status, headers.get('content-type')]).toEqual([path, 200, type])
      expect(bytes.equals(content)).toBe(true)
      expect(headers.get('content-length')).toBe(String(content.length))
      expect(headers.get('content-disposition')).toBe(`inline; filename="${path}"`)
      expect(headers.get('cache-control')).toBe('no-store')
      expect(headers.get('x-content-type-options')).toBe('nosniff')
      expect(headers.get('content-security-policy')).toBe("default-src 'none'; sandbox")
      expect(headers.get('x-gitlab-content-sha256')).toBe(sha256(content))
    }
  })

  test('encodes the file name in Content-Disposition', async () => {
    const quoted = (await reporter.get(at('lib/a b/ü"\'.txt', '/raw'))).headers.get('content-disposition')
    expect(quoted).toBe(`inline; filename="__'.txt"; filename*=UTF-8''%C3%BC%22%27.txt`)
    const split = (await reporter.get(at('lib/li\nne', '/raw'))).headers.get('content-disposition')
    expect(split).toBe(`inline; filename="li_ne"; filename*=UTF-8''li%0Ane`)
  })

  test('defaults to the default branch', async () => {
    for (const query of ['', '?ref=']) {
      const answer = await reporter.get(at('README.md', `/raw${query}`))
      expect([answer.body, answer.headers.get('x-gitlab-ref')]).toEqual(['# Hello\nthere\nworld\n', 'HEAD'])
    }
    expect((await reporter.get(at('README.md', '/raw?ref=v1'))).body).toBe('# Hello\nworld\n')
    expect((await reporter.get(at('README.md', '/raw?ref=nope'))).body).toEqual({ message: '404 Commit Not Found' })
    expect((await reporter.get(at('lib', '/raw'))).body).toEqual({ message: '404 File Not Found' })
    expect((await reporter.get(at('module', '/raw'))).body).toEqual({ message: '404 File Not Found' })
    expect((await reporter.get(at('../x', '/raw'))).body.error).toBe('file_path should be a valid file path')
    expect((await reporter.get(at('README.md', '/raw?lfs=maybe'))).body.error).toBe('lfs is invalid')
    expect((await reporter.get(at('README.md', '/raw?lfs=true'))).body).toBe('# Hello\nthere\nworld\n')
  })

  test('answers HEAD with the length', async () => {
    for (const [path, length] of [
      ['README.md', 20],
      ['large.bin', large.length],
    ] as const) {
      const answer = await reporter.head(at(path, '/raw'))
      expect([answer.status, answer.headers.get('content-length'), answer.body]).toEqual([200, String(length), ''])
    }
  })
})

describe('access', () => {
  test('a token with read_repository reads files and nothing else of the API', async () => {
    const token = server.as(await server.make.token(reporter, ['read_repository']))
    const { blob_id: sha } = (await reporter.get(at('README.md'))).body
    for (const path of [at('README.md'), at('README.md', '/raw'), at('README.md', '/blame?ref=main')])
      expect((await token.get(path)).status).toBe(200)
    expect((await token.get(`/projects/${project.id}/repository/blobs/${sha}/raw`)).status).toBe(200)
    for (const path of ['tree', `blobs/${sha}`])
      expect((await token.get(`/projects/${project.id}/repository/${path}`)).body.error).toBe('insufficient_scope')
  })

  test('is refused for a disabled, empty or missing repository', async () => {
    const empty = await server.make.project('empty', owner)
    const path = `/projects/${empty.id}/repository`
    expect((await owner.get(`${path}/files/a?ref=main`)).body).toEqual({ message: '404 Commit Not Found' })
    expect((await owner.get(`${path}/files/a/raw`)).body).toEqual({ message: '404 Commit Not Found' })
    const settings = JSON.stringify({ repository_access_level: 'disabled' })
    await server.app.platform.database.write((tx) =>
      tx.updateTable('projects').set({ settings }).where('id', '=', empty.id).execute(),
    )
    expect((await owner.get(`${path}/files/a?ref=main`)).body).toEqual({ message: '404 Repository Not Found' })
  })
})

test('makes the same number of queries for a file and for its blame', async () => {
  const one = await queriesOf(server, () => reporter.get(at('README.md')))
  const blamed = await queriesOf(server, () => reporter.get(at('README.md', '/blame?ref=main')))
  expect(blamed).toBe(one)
})
