import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Person, queriesOf, type TestServer } from '../../../testing/index.ts'
import { type ProjectWithHistory, projectWith, startWithHistory } from '../reading-testing.ts'

let server: TestServer
let owner: Person
let reporter: Person
/** first, second (by Bob), side (of first), merge of both; tag v1 at second. */
let demo: ProjectWithHistory
let empty: string
let list: (query?: string) => Promise<string[]>

beforeAll(async () => {
  ;({ server, owner, reporter, demo } = await startWithHistory([
    { message: 'first', files: { 'README.md': 'one\n', 'doc/a.txt': 'a\n' } },
    { message: 'second', author: 'Bob [x] <BOB@example.com>', files: { 'README.md': 'one\ntwo\n' } },
    { message: 'side\n\nReviewed-by: A\nReviewed-by: B\n', parents: [1], files: { 'doc/a.txt': 'b\n' } },
    { message: 'merge', parents: [2, 3], files: { 'doc/a.txt': 'b\n' } },
    { ref: 'refs/heads/other', message: 'apart', parents: [1], files: { 'other/x': 'x\n' } },
    { ref: 'refs/tags/v1', message: 'tagged', parents: [2], files: { tagged: '' } },
  ]))
  empty = `/projects/${(await server.make.project('empty', owner)).id}/repository`
  list = async (query = '') => titles(await reporter.get(`${demo.base}/commits${query}`))
})
afterAll(() => server.stop())

const titles = (answer: { body: { title: string }[] }) => answer.body.map(({ title }) => title)
const trailerNames = ['trailers', 'extended_trailers']

describe('x.commits_list', () => {
  test('returns the history of the default branch, newest first, without a total', async () => {
    const answer = await reporter.get(`${demo.base}/commits?per_page=2`)
    expect(answer.status).toBe(200)
    expect(titles(answer)).toEqual(['merge', 'side'])
    const headers = ['x-total', 'x-total-pages', 'x-page', 'x-next-page', 'x-prev-page', 'x-per-page']
    expect(headers.map((name) => answer.headers.get(name))).toEqual([null, null, '1', '2', '', '2'])
    expect(answer.headers.get('link')).toContain('rel="next"')
    expect(answer.headers.get('link')).not.toContain('rel="last"')
    const [, side] = answer.body
    expect(side).toEqual({
      id: demo.oids[2],
      short_id: demo.oids[2]?.slice(0, 8),
      created_at: '2023-11-14T22:16:20.000Z',
      parent_ids: [demo.oids[0]],
      title: 'side',
      message: 'side\n\nReviewed-by: A\nReviewed-by: B\n',
      author_name: 'Ada',
      author_email: 'ada@example.com',
      authored_date: '2023-11-14T22:16:20.000Z',
      committer_name: 'Ada',
      committer_email: 'ada@example.com',
      committed_date: '2023-11-14T22:16:20.000Z',
      trailers: {},
      extended_trailers: {},
      web_url: `${server.url}/owner/demo/-/commit/${demo.oids[2]}`,
    })
    const last = await reporter.get(`${demo.base}/commits?per_page=2&page=2`)
    expect(titles(last)).toEqual(['second', 'first'])
    expect(last.headers.get('x-next-page')).toBe('')
  })

  test('starts at a branch, tag, id, short id, full ref name or HEAD', async () => {
    const [, second = ''] = demo.oids
    expect(await list('?ref_name=other')).toEqual(['apart', 'first'])
    expect(await list('?ref_name=v1')).toEqual(['tagged', 'second', 'first'])
    for (const name of [second, second.slice(0, 7), second.toUpperCase()]) {
      expect(await list(`?ref_name=${name}`)).toEqual(['second', 'first'])
    }
    expect(await list('?ref_name=refs/heads/other')).toEqual(['apart', 'first'])
    for (const name of ['HEAD', '', '%20']) expect(await list(`?ref_name=${name}`)).toHaveLength(4)
  })

  test('accepts two-dot ranges, with HEAD for an empty side', async () => {
    expect(await list('?ref_name=other..main')).toEqual(['merge', 'side', 'second'])
    expect(await list('?ref_name=main..other')).toEqual(['apart'])
    expect(await list('?ref_name=..other')).toEqual(['apart'])
    expect(await list('?ref_name=v1..')).toEqual(['merge', 'side'])
    for (const name of ['other...main', '..', '...', 'nope..main', 'main..nope', 'main..-x', 'a..b..c']) {
      expect(await list(`?ref_name=${name}`)).toEqual([])
    }
  })

  test("is empty for unknown revisions, and does not support git's revision syntax", async () => {
    const grammar = ['main~1', 'main^', '@', '@{1}', ':/first', '^main', 'main:README.md', 'v1^{tree}', 'refs/heads/*']
    const others = ['nope', 'main --all', 'main\n--all', '../main', '\u202e', 'x'.repeat(10_000), '0'.repeat(40), 'abc']
    for (const name of [...grammar, ...others]) {
      expect(await list(`?ref_name=${encodeURIComponent(name)}`)).toEqual([])
    }
    for (const name of ['-x', '--all', '-']) {
      expect(await reporter.get(`${demo.base}/commits?ref_name=${name}`)).toMatchObject({
        status: 400,
        body: { message: 'ref_name is invalid' },
      })
    }
    expect((await reporter.get(`${demo.base}/commits?ref_name=${'x'.repeat(100_000)}`)).status).toBe(414)
    expect(await reporter.get(`${demo.base}/commits?ref_name[]=a`)).toMatchObject({
      status: 400,
      body: { error: 'ref_name is invalid' },
    })
    expect((await reporter.get(`${demo.base}/commits?ref_name=%00`)).status).toBe(400)
  })

  test('filters by path, literally and within the repository', async () => {
    expect(await list('?path=README.md')).toEqual(['second', 'first'])
    for (const path of ['doc', 'doc/', 'doc/a.txt']) expect(await list(`?path=${path}`)).toEqual(['side', 'first'])
    expect(await list('?path=')).toHaveLength(4)
    const hostile = [
      '../demo',
      '/',
      '/doc',
      'doc/../doc',
      '.git',
      '*.md',
      ':(glob)*',
      ':!doc',
      ':/',
      '-x',
      'x'.repeat(5_000),
    ]
    for (const path of hostile) expect(await list(`?path=${encodeURIComponent(path)}`)).toEqual([])
  })

  test('filters by author, literally', async () => {
    expect(await list('?author=bob@')).toEqual(['second'])
    expect(await list('?author=OB%20[X]')).toEqual(['second'])
    expect(await list('?author=ada')).toHaveLength(3)
    for (const author of ['.*', '^Ada', 'Ada$', '(', '-i', 'Ada%0aBob', 'nobody']) {
      expect(await list(`?author=${author}`)).toEqual([])
    }
  })

  test('filters by time, also by extreme times', async () => {
    expect(await list('?since=2023-11-14T22:16:20Z')).toEqual(['merge', 'side'])
    expect(await list('?until=2023-11-14T22:16:20.000Z')).toEqual(['side', 'second', 'first'])
    expect(await list('?since=2023-11-14T22:15:20Z&until=2023-11-14T22:15:20Z')).toEqual(['second'])
    expect(await list('?since=2023-11-14T23:16:20%2B01:00')).toEqual(['merge', 'side'])
    expect(await list('?since=0001-01-01')).toHaveLength(4)
    expect(await list('?until=9999-12-31')).toHaveLength(4)
    expect(await list('?until=0001-01-01')).toEqual([])
    expect(await list('?since=9999-12-31')).toEqual([])
    for (const name of ['since', 'until']) {
      for (const value of ['yesterday', '2023-13-01', '1%20week%20ago', '-1']) {
        expect(await reporter.get(`${demo.base}/commits?${name}=${value}`)).toMatchObject({
          status: 400,
          body: { message: { [name]: ['is invalid'] }, error: `${name} is invalid` },
        })
      }
    }
  })

  test('supports all refs, first parents and topological order', async () => {
    expect((await list('?all=true')).toSorted()).toEqual(['apart', 'first', 'merge', 'second', 'side', 'tagged'])
    expect(await list('?first_parent=true')).toEqual(['merge', 'second', 'first'])
    expect((await list('?order=topo'))[3]).toBe('first')
    expect(await reporter.get(`${demo.base}/commits?order=date`)).toMatchObject({
      status: 400,
      body: { error: 'order does not have a valid value' },
    })
    expect(await reporter.get(`${demo.base}/commits?all=perhaps`)).toMatchObject({
      status: 400,
      body: { error: 'all is invalid' },
    })
  })

  test('includes trailers and line counts on request', async () => {
    const { body } = await reporter.get(`${demo.base}/commits?trailers=true&with_stats=true`)
    const [, side, second, first] = body
    expect(trailerNames.map((name) => side[name])).toEqual([{ 'Reviewed-by': 'B' }, { 'Reviewed-by': ['A', 'B'] }])
    expect(second.stats).toEqual({ additions: 1, deletions: 0, total: 1 })
    expect(side.stats).toEqual({ additions: 1, deletions: 1, total: 2 })
    expect(first.stats).toEqual({ additions: 2, deletions: 0, total: 2 })
  })

  test('ends with an empty page', async () => {
    for (const query of ['page=99', 'page=2147483647', 'page=9007199254740991&per_page=100']) {
      const answer = await reporter.get(`${demo.base}/commits?${query}`)
      expect(answer).toMatchObject({ status: 200, body: [] })
      expect(answer.headers.get('x-next-page')).toBe('')
    }
    expect(await list('?page=-3')).toHaveLength(4)
    expect(await list('?page=0&per_page=-1')).toHaveLength(4)
    expect((await reporter.get(`${demo.base}/commits?page=x`)).body).toMatchObject({ error: 'page is invalid' })
  })

  test('is empty for an empty repository', async () => {
    for (const query of ['', '?all=true', '?ref_name=main', '?with_stats=true']) {
      expect(await owner.get(`${empty}/commits${query}`)).toMatchObject({ status: 200, body: [] })
    }
  })

  test('makes the same number of queries for two commits and for twenty', async () => {
    const { base } = await projectWith(
      server,
      owner,
      'twenty',
      Array.from({ length: 20 }, (_, index) => ({ files: { a: String(index) } })),
    )
    const costOf = (perPage: number) =>
      queriesOf(server, async () => {
        const { body } = await owner.get(`${base}/commits?with_stats=true&per_page=${perPage}`)
        expect(body).toHaveLength(perPage)
      })
    expect(await costOf(20)).toBe(await costOf(2))
  })
})
