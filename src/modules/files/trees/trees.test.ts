import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  type Answer,
  bytesAt,
  type ImportedFile,
  imported,
  importStream,
  type Person,
  queriesOf,
  type TestServer,
} from '../../../testing/index.ts'
import { elsewhere, startWithReaders } from '../testing.ts'

type Entry = { id: string; name: string; type: string; path: string; mode: string }

const same = 'the same content\n'

let server: TestServer
let owner: Person
let reporter: Person
let base: string

beforeAll(async () => {
  const files: ImportedFile[] = [
    ['100644', 'Z', 'Z\n'],
    ['100644', 'a.txt', same],
    ['100644', 'b.txt', same],
    ['100644', 'c.txt', same],
    ['100755', 'run', '#!/bin/sh\n'],
    ['120000', 'link', 'a.txt'],
    ['160000', 'module', elsewhere],
    ['160000', 'foo/inner', elsewhere],
    ['100644', 'foo/one', 'one\n'],
    ['100644', 'foo/sub/two', 'two\n'],
    ['100644', 'foo-bar/three', 'three\n'],
    ['100644', 'foo.d/four', same],
    ['100644', '"\\377\\376"', 'not UTF-8\n'],
    ['100644', '"new\\nline"', 'n\n'],
    ['100644', '"\\360\\237\\220\\213"', 'whale\n'],
    ['100644', '"\\357\\277\\274"', 'below the whale\n'],
  ]
  const stream = importStream([{ message: 'x', files }])
  const started = await startWithReaders('trees', stream, { refs: ['main:refs/tags/v1'] })
  ;({ server, owner, reporter } = started)
  base = `/projects/${started.project.id}/repository/tree`
})
afterAll(() => server.stop())

const paths = ({ body }: Answer) => body.map(({ path }: Entry) => path)
/** The path of the next page, below the API. */
const nextOf = ({ headers }: Answer) =>
  /<[^>]+\/api\/v4([^>]+)>; rel="next"/.exec(headers.get('link') ?? '')?.[1] ?? null

/** Follows the links from page to page. */
async function walked(path: string): Promise<string[]> {
  const found: string[] = []
  for (let next: string | null = path; next !== null; ) {
    const answer: Answer = await reporter.get(next)
    expect(answer.status).toBe(200)
    found.push(...paths(answer))
    expect(found.length).toBeLessThan(100)
    next = nextOf(answer)
  }
  return found
}

const root = ['foo', 'foo-bar', 'foo.d', 'Z', 'a.txt', 'b.txt', 'c.txt', 'link', 'new\nline', 'run']
const odd = ['\ufffc', '🐋', '\ufffd\ufffd']

describe('x.repo_tree', () => {
  test('lists directories, files and submodules, each by the bytes of their names', async () => {
    const answer = await reporter.get(base)
    expect(answer.status).toBe(200)
    expect(paths(answer)).toEqual([...root, ...odd, 'module'])
    const entryOf = (path: string) => answer.body.find((entry: Entry) => entry.path === path)
    expect(Object.keys(answer.body[0])).toEqual(['id', 'name', 'type', 'path', 'mode'])
    expect(entryOf('foo')).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{40}$/),
      name: 'foo',
      type: 'tree',
      path: 'foo',
      mode: '040000',
    })
    expect(entryOf('run')).toMatchObject({ type: 'blob', mode: '100755' })
    expect(entryOf('link')).toMatchObject({ type: 'blob', mode: '120000' })
    expect(entryOf('module')).toEqual({
      id: elsewhere,
      name: 'module',
      type: 'commit',
      path: 'module',
      mode: '160000',
    })
    expect([answer.headers.get('x-total'), answer.headers.get('x-total-pages')]).toEqual(['14', '1'])
  })

  test('lists one directory at any revision', async () => {
    for (const path of ['foo', 'foo/', 'foo//']) {
      const { body } = await reporter.get(`${base}?path=${path}&ref=v1`)
      expect(body.map(({ name, path }: Entry) => [name, path])).toEqual([
        ['sub', 'foo/sub'],
        ['one', 'foo/one'],
        ['inner', 'foo/inner'],
      ])
    }
    expect(paths(await reporter.get(`${base}?path=foo%2Fsub`))).toEqual(['foo/sub/two'])
    for (const query of ['?path=', '?path=/', '?ref=', '?ref=HEAD', '?ref=refs/heads/main'])
      expect(paths(await reporter.get(base + query))).toHaveLength(14)
  })

  test('lists everything below recursively, each kind depth first', async () => {
    const expected = [
      ...['foo-bar', 'foo.d', 'foo', 'foo/sub'],
      ...['Z', 'a.txt', 'b.txt', 'c.txt', 'foo-bar/three', 'foo.d/four', 'foo/one', 'foo/sub/two', 'link'],
      ...['new\nline', 'run', ...odd],
      ...['foo/inner', 'module'],
    ]
    const answer = await reporter.get(`${base}?recursive=true&per_page=100`)
    expect(paths(answer)).toEqual(expected)
    expect(answer.headers.get('x-total')).toBe('20')
    expect(paths(await reporter.get(`${base}?recursive=1&path=foo`))).toEqual([
      'foo/sub',
      'foo/one',
      'foo/sub/two',
      'foo/inner',
    ])
    const all = await bytesAt(reporter, `${base}?recursive=true&pagination=none`)
    expect(JSON.parse(all.bytes.toString())).toEqual(answer.body)
    expect([all.headers.get('content-type'), all.headers.get('x-total'), all.headers.get('link')]).toEqual([
      'application/json',
      null,
      null,
    ])
    const etag = all.headers.get('etag') ?? ''
    const again = await bytesAt(reporter, `${base}?recursive=true&pagination=none`, {
      'If-None-Match': etag,
    })
    expect([again.status, again.bytes.length]).toEqual([304, 0])
  })

  test('has the last commit of each entry on request', async () => {
    const { body } = await reporter.get(`${base}?last_commits=true&per_page=4`)
    const titles = body.map((entry: Entry & { last_commit: { title: string } }) => [
      entry.name,
      entry.last_commit.title,
    ])
    expect(titles).toEqual([
      ['foo', 'x'],
      ['foo-bar', 'x'],
      ['foo.d', 'x'],
      ['Z', 'x'],
    ])
    const recursive = await reporter.get(`${base}?last_commits=true&recursive=true`)
    expect(Object.keys(recursive.body[0])).toEqual(['id', 'name', 'type', 'path', 'mode'])
  })

  test('is paginated by offset', async () => {
    const second = await reporter.get(`${base}?per_page=5&page=2`)
    expect(paths(second)).toEqual([...root, ...odd, 'module'].slice(5, 10))
    expect(second.headers.get('x-next-page')).toBe('3')
    expect(await walked(`${base}?per_page=3`)).toEqual([...root, ...odd, 'module'])
    const past = await reporter.get(`${base}?page=99`)
    expect([past.status, past.body]).toEqual([200, []])
    expect((await reporter.get(`${base}?page=-5`)).headers.get('x-page')).toBe('1')
    expect((await reporter.get(`${base}?page=x`)).body.error).toBe('page is invalid')
  })

  test('is paginated by keyset, also for equal contents', async () => {
    const first = await reporter.get(`${base}?pagination=keyset&per_page=5`)
    expect(first.headers.get('x-total')).toBeNull()
    expect(new URL(`http://x${nextOf(first)}`).searchParams.get('page_token')).toBe(first.body[4].id)
    for (const perPage of [1, 2, 5, 14, 100]) {
      expect(await walked(`${base}?pagination=keyset&per_page=${perPage}`)).toEqual([...root, ...odd, 'module'])
      const deep = await walked(`${base}?pagination=keyset&recursive=true&per_page=${perPage}`)
      expect(deep).toEqual(paths(await reporter.get(`${base}?recursive=true&per_page=100`)))
    }
    const token = first.body[4].id
    const bad = [
      'nope',
      'f'.repeat(39),
      `${token}-`,
      `${token}-${'0'.repeat(16)}`,
      token.slice(0, 39),
      'x'.repeat(5_000),
    ]
    for (const one of bad) {
      const answer = await reporter.get(`${base}?pagination=keyset&page_token=${one}`)
      expect([one, answer.status, answer.body]).toEqual([
        one,
        400,
        { message: '400 Bad request - Invalid page token', error: 'Invalid page token' },
      ])
    }
  })

  test('refuses invalid parameters', async () => {
    const none = await reporter.get(`${base}?pagination=none`)
    expect([none.status, none.body.error]).toEqual([400, 'pagination cannot be "none" unless "recursive" is true'])
    expect((await reporter.get(`${base}?pagination=odd`)).body.error).toBe('pagination does not have a valid value')
    expect((await reporter.get(`${base}?recursive=perhaps`)).body.error).toBe('recursive is invalid')
    for (const ref of ['nope', '-x', 'main~1', 'main:foo', elsewhere]) {
      const answer = await reporter.get(`${base}?ref=${encodeURIComponent(ref)}`)
      expect([ref, answer.status, answer.body]).toEqual([ref, 404, { message: '404 Tree Not Found' }])
    }
    const gone = [
      'nope',
      'a.txt',
      'link',
      'module',
      '..',
      '../x',
      'foo/../foo',
      '.git',
      '/foo',
      'foo//sub',
      ':(glob)*',
      '.',
    ]
    for (const path of [...gone, '\ufffd\ufffd', 'x'.repeat(5_000), 'd/'.repeat(2_500)]) {
      const answer = await reporter.get(`${base}?path=${encodeURIComponent(path)}`)
      expect([path, answer.status, answer.body]).toEqual([
        path,
        404,
        { message: '404 invalid revision or path Not Found' },
      ])
    }
    expect((await reporter.get(`${base}?path=%00`)).body.error).toBe('path is invalid')
  })

  test('answers 404 for an empty repository', async () => {
    const empty = await server.make.project('empty', owner)
    expect(await owner.get(`/projects/${empty.id}/repository/tree`)).toMatchObject({
      status: 404,
      body: { message: '404 Tree Not Found' },
    })
  })

  test('requires read access to the code', async () => {
    const open = await imported(
      server,
      owner,
      'open',
      importStream([{ message: 'x', files: [['100644', 'a', 'a']] }]),
      { visibility: 'public' },
    )
    expect((await server.anonymous.get(`/projects/${open.id}/repository/tree`)).body).toHaveLength(1)
  })

  test('makes the same number of queries for one entry and for many', async () => {
    const count = (path: string) => queriesOf(server, () => reporter.get(path))
    expect(await count(`${base}?per_page=1`)).toBe(await count(`${base}?recursive=true&per_page=100`))
  })
})

describe('trees above the cache limit', () => {
  /** More entries than the cache holds, in directories of different names. */
  const many: ImportedFile[] = Array.from({ length: 12_000 }, (_, index) => [
    '100644',
    `d${index % 40}/${'n'.repeat(60)}${index}`,
    // Every hundredth is alike.
    index % 100 === 0 ? same : `${index}\n`,
  ])

  test('are listed in the same order', async () => {
    const made = await imported(server, owner, 'many', importStream([{ message: 'x', files: many }]))
    await server.make.member({ project: made }, reporter, 20)
    const path = `/projects/${made.id}/repository/tree?recursive=true`
    const all = JSON.parse((await bytesAt(reporter, `${path}&pagination=none`)).bytes.toString())
    expect(all).toHaveLength(12_040)
    expect(all.slice(0, 40).every(({ type }: Entry) => type === 'tree')).toBe(true)
    expect(new Set(all.map((entry: Entry) => entry.path)).size).toBe(12_040)
    const page = await reporter.get(`${path}&per_page=100&page=3`)
    expect(page.body).toEqual(all.slice(200, 300))
    // Totals above 10,000 are not shown.
    expect([page.headers.get('x-total'), page.headers.get('x-next-page')]).toEqual([null, '4'])
    const last = await reporter.get(`${path}&per_page=100&page=121`)
    expect([last.body, last.headers.get('x-next-page')]).toEqual([all.slice(12_000), ''])
    expect((await reporter.get(`${path}&page=99999`)).body).toEqual([])
    const keyed = await reporter.get(`${path}&pagination=keyset&per_page=60`)
    expect(keyed.body).toEqual(all.slice(0, 60))
    const next = await reporter.get(nextOf(keyed) ?? '')
    expect(next.body).toEqual(all.slice(60, 120))
    const token = all.find(({ id }: Entry, index: number) => index > 40 && all[index + 1]?.id !== id).id
    const from = all.findIndex(({ id }: Entry) => id === token) + 1
    const after = await reporter.get(`${path}&pagination=keyset&per_page=5&page_token=${token}`)
    expect(after.body).toEqual(all.slice(from, from + 5))
    expect((await reporter.get(`${path}&pagination=keyset&page_token=nope`)).status).toBe(400)
  })
})
