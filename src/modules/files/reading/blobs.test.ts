import { createHash, randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { bytesAt, importStream, type Person, type TestServer } from '../../../testing/index.ts'
import type { ProjectRow } from '../../projects/index.ts'
import { elsewhere, startWithReaders } from '../testing.ts'

const sha256 = (content: string | Buffer) => createHash('sha256').update(content).digest('hex')
const large = randomBytes(3 * 1024 * 1024 + 1)

let server: TestServer
let owner: Person
let reporter: Person
let project: ProjectRow
let files: string
let commit: string

beforeAll(async () => {
  const stream = importStream([
    {
      message: 'x',
      files: [
        ['100644', 'README.md', '# Hello\nthere\nworld\n'],
        ['100644', 'large.bin', large],
        ['100644', 'lib/x', 'x'],
      ],
    },
  ])
  ;({ server, owner, reporter, project } = await startWithReaders('blobs', stream))
  files = `/projects/${project.id}/repository/files`
  commit = (await owner.get(`${files}/README.md?ref=main`)).body.commit_id
})
afterAll(() => server.stop())

describe('x.repo_blob', () => {
  const blobs = (rest: string) => `/projects/${project.id}/repository/blobs/${rest}`

  test('returns a blob by its full or short id', async () => {
    const { blob_id: sha } = (await reporter.get(`${files}/README.md?ref=main`)).body
    const expected = {
      size: 20,
      encoding: 'base64',
      content: Buffer.from('# Hello\nthere\nworld\n').toString('base64'),
      sha,
    }
    const answer = await reporter.get(blobs(sha))
    expect([answer.status, answer.body, Object.keys(answer.body)]).toEqual([200, expected, Object.keys(expected)])
    for (const id of [sha.toUpperCase(), sha.slice(0, 7), sha.slice(0, 12)])
      expect((await reporter.get(blobs(id))).body).toEqual(expected)
    const raw = await reporter.get(blobs(`${sha}/raw`))
    expect([raw.body, raw.headers.get('content-type')]).toEqual([
      '# Hello\nthere\nworld\n',
      'text/plain; charset=utf-8',
    ])
    expect(raw.headers.get('x-content-type-options')).toBe('nosniff')
    const etag = raw.headers.get('etag') ?? ''
    expect((await reporter.get(blobs(`${sha}/raw`), { headers: { 'If-None-Match': etag } })).status).toBe(304)
    expect((await reporter.head(blobs(`${sha}/raw`))).headers.get('content-length')).toBe('20')
  })

  test('streams a large blob', async () => {
    const { body } = await reporter.head(`${files}/large.bin?ref=main`).then(({ headers }) => ({ body: headers }))
    const sha = body.get('x-gitlab-blob-id') ?? ''
    const { bytes, headers } = await bytesAt(owner, blobs(sha))
    expect(headers.get('content-length')).toBe(String(bytes.length))
    const parsed = JSON.parse(bytes.toString())
    expect(Object.keys(parsed)).toEqual(['size', 'encoding', 'content', 'sha'])
    expect([parsed.size, parsed.sha, sha256(Buffer.from(parsed.content, 'base64'))]).toEqual([
      large.length,
      sha,
      sha256(large),
    ])
    expect((await bytesAt(owner, blobs(`${sha}/raw`))).bytes.equals(large)).toBe(true)
  })

  test('answers 404 for other ids', async () => {
    const tree = (await reporter.get(`/projects/${project.id}/repository/tree`)).body[0].id
    for (const sha of [elsewhere, commit, tree, tree.slice(0, 8), 'main', 'HEAD', 'abc', '-x', 'main:README.md']) {
      for (const rest of ['', '/raw']) {
        const answer = await reporter.get(blobs(`${encodeURIComponent(sha)}${rest}`))
        expect([sha, answer.status, answer.body]).toEqual([sha, 404, { message: '404 Blob Not Found' }])
      }
    }
  })
})
