import { createHash, randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { bytesAt, type Person, startTestServer, type TestServer } from '../../../testing/index.ts'
import { makeSnippet, makeSnippetPeople, type ShownSnippet, type SnippetPeople } from '../testing.ts'

let server: TestServer
let people: SnippetPeople
let owner: Person
let snippet: ShownSnippet
beforeAll(async () => {
  server = await startTestServer()
  people = await makeSnippetPeople(server)
  owner = people.owner
  snippet = await makeSnippet(
    owner,
    { 'b.txt': 'B', 'a b"ü.html': '<b>A</b>\r\n', 'dir/c': 'C' },
    { visibility: 'public' },
  )
})
afterAll(() => server.stop())

const sha256 = (content: string | Buffer) => createHash('sha256').update(content).digest('hex')
const at = (ref: string, path: string) =>
  `/snippets/${snippet.id}/files/${encodeURIComponent(ref)}/${encodeURIComponent(path)}/raw`

describe('the raw files of a snippet', () => {
  test('are sent unchanged, with safe headers', async () => {
    const { status, headers, body } = await owner.get(`/snippets/${snippet.id}/raw`)
    expect([status, body]).toEqual([200, '<b>A</b>\r\n'])
    const shown = ['content-type', 'content-disposition', 'content-length', 'x-content-type-options'].map((name) =>
      headers.get(name),
    )
    expect(shown).toEqual([
      'text/plain; charset=utf-8',
      `inline; filename="a b__.html"; filename*=UTF-8''a%20b%22%C3%BC.html`,
      '10',
      'nosniff',
    ])
    expect(headers.get('content-security-policy')).toContain('sandbox')
    expect((await owner.get(at('main', 'b.txt'))).headers.get('content-disposition')).toBe(
      `inline; filename="b.txt"; filename*=UTF-8''b.txt`,
    )
    const head = await owner.head(`/snippets/${snippet.id}/raw`)
    expect([head.status, head.headers.get('content-length'), head.body]).toEqual([200, '10', ''])
    const etag = headers.get('etag') ?? ''
    expect((await owner.get(`/snippets/${snippet.id}/raw`, { headers: { 'If-None-Match': etag } })).status).toBe(304)
  })

  test('are sent in any size', async () => {
    const large = randomBytes(3 * 1024 * 1024).toString('base64')
    const { id } = await makeSnippet(owner, { large })
    const { bytes, headers } = await bytesAt(owner, `/snippets/${id}/raw`)
    expect([sha256(bytes), headers.get('content-length')]).toEqual([sha256(large), String(large.length)])
  })

  test('are found at branches and commits', async () => {
    const { id } = snippet
    await owner.put(`/snippets/${id}`, { files: [{ action: 'update', file_path: 'b.txt', content: 'B2' }] })
    expect((await owner.get(at('main', 'b.txt'))).body).toBe('B2')
    expect((await owner.get(at('HEAD', 'b.txt'))).body).toBe('B2')
    expect((await owner.get(at('refs/heads/main', 'dir/c'))).body).toBe('C')
  })

  test('answer 404 and 400 for others', async () => {
    const said = async (path: string) => {
      const { status, body } = await owner.get(path)
      return [status, body.message ?? body.error]
    }
    expect(await said(at('nope', 'b.txt'))).toEqual([404, '404 Reference Not Found'])
    expect(await said(at('abcdef0', 'b.txt'))).toEqual([404, '404 Reference Not Found'])
    for (const path of ['nope', 'dir', 'dir/', '.git/config', './b.txt']) {
      expect(await said(at('main', path))).toEqual([404, '404 File Not Found'])
    }
    for (const path of ['/etc/passwd', '../b.txt', 'dir/../b.txt']) {
      const { status, body } = await owner.get(at('main', path))
      expect([status, body.error]).toEqual([400, 'file_path should be a valid file path'])
    }
    expect(await said(`/snippets/${snippet.id}/files/main/dir/c/raw`)).toEqual([404, '404 Not Found'])
    expect(await said(`/snippets/${snippet.id}/files//b.txt/raw`)).toEqual([404, '404 Not Found'])
    expect((await owner.get(at('main', 'a%00'.replace('%00', '\u0000')))).status).toBe(400)
  })
})

describe('the addresses that a snippet shows', () => {
  const paths = (shown: ShownSnippet): string[] =>
    [shown.raw_url, ...shown.files.map(({ raw_url }: { raw_url: string }) => raw_url)].map(
      (url: string) => `root:${new URL(url).pathname}`,
    )

  test('lead to the files', async () => {
    const shown = (await owner.get(`/snippets/${snippet.id}`)).body
    const contents = await Promise.all(paths(shown).map(async (path) => (await server.anonymous.get(path)).body))
    expect(contents).toEqual(['<b>A</b>\r\n', '<b>A</b>\r\n', 'B2', 'C'])
    expect((await server.anonymous.get(`root:/-/snippets/${snippet.id}/raw/main/dir%2Fc`)).body).toBe('C')
    expect((await server.anonymous.get(`root:/-/snippets/${snippet.id}/raw/nope/b.txt`)).body).toEqual({
      message: '404 Reference Not Found',
    })
  })

  test('refuse with 404', async () => {
    const shown = await makeSnippet(owner, { 'a.txt': 'A' })
    for (const path of paths(shown)) {
      for (const client of [server.anonymous, people.outsider]) {
        const { status, body } = await client.get(path)
        expect([status, body]).toEqual([404, { message: '404 Not Found' }])
      }
      expect((await owner.get(path)).body).toBe('A')
    }
    expect((await owner.get('root:/-/snippets/x/raw')).status).toBe(404)
  })

  test('are below the project of a snippet', async () => {
    const project = await server.make.project('place', owner, { visibility: 'public' })
    const other = await server.make.project('elsewhere', owner, { visibility: 'public' })
    const shown = await makeSnippet(owner, { 'x/y z.txt': 'A' }, { project: project.id, visibility: 'public' })
    expect(shown.files[0].raw_url).toBe(`${server.url}/owner/place/-/snippets/${shown.id}/raw/main/x/y%20z.txt`)
    for (const path of paths(shown)) {
      expect((await server.anonymous.get(path)).body).toBe('A')
      for (const wrong of [path.replace('owner/place/', ''), path.replace('owner/place', other.full_path)]) {
        expect((await owner.get(wrong)).body).toEqual({ message: '404 Not Found' })
      }
    }
    for (const path of ['raw', 'files/main/x%2Fy%20z.txt/raw']) {
      expect((await server.anonymous.get(`/projects/${project.id}/snippets/${shown.id}/${path}`)).body).toBe('A')
    }
    const personal = `root:/owner/place/-/snippets/${snippet.id}/raw`
    expect((await owner.get(personal)).status).toBe(404)
    await owner.put(`/projects/${project.id}`, { visibility: 'private' })
    for (const path of paths(shown)) {
      expect((await server.anonymous.get(path)).body).toEqual({ message: '404 Not Found' })
    }
  })
})
