import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { anonymous } from '../../../api/index.ts'
import type { Ports } from '../../../platform/index.ts'
import type { Person, TestServer } from '../../../testing/index.ts'
import { type ProjectWithHistory, projectWith, startWithHistory } from '../reading-testing.ts'
import { getCommit } from './history.ts'

let server: TestServer
let owner: Person
let reporter: Person
/** first, second, side (of first), merge of both. */
let demo: ProjectWithHistory

beforeAll(async () => {
  ;({ server, owner, reporter, demo } = await startWithHistory([
    {
      message: 'first',
      files: { 'a.txt': 'a\n', 'b b.txt': '1\n2\n3\n4\n5\n', gone: 'g\n', pixel: Buffer.from([0, 1, 2]) },
    },
    {
      message: 'second\n\nCloses: #1\n',
      committer: 'Carl <carl@example.com>',
      files: {
        'a.txt': 'a\nb\n',
        gone: null,
        'b b.txt': null,
        'moved/"c\n.txt': '1\n2\n3\n4\nfive\n',
        pixel: Buffer.from([0, 1, 3]),
        'new.txt': 'n',
        latin: Buffer.from('caf\xe9\n', 'latin1'),
      },
      raw: 'M 160000 0123456789012345678901234567890123456789 module\n',
    },
    { message: 'side', parents: [1], files: { side: 's\n' } },
    { message: 'merge', parents: [2, 3], files: { side: 's\n' } },
    { ref: 'refs/heads/feature/x', message: 'apart', parents: [1] },
    { ref: 'refs/tags/v1', message: 'tagged', parents: [2] },
    { ref: 'refs/heads/v1', message: 'branched', parents: [1] },
  ]))
})
afterAll(() => server.stop())

const commit = (sha: string, rest = '') => `${demo.base}/commits/${encodeURIComponent(sha)}${rest}`
const notFound = { status: 404, body: { message: '404 Commit Not Found' } }

describe('x.commits_get', () => {
  test('returns a commit with all members', async () => {
    const [first, second = ''] = demo.oids
    const answer = await reporter.get(commit(second))
    expect(answer.status).toBe(200)
    expect(answer.body).toEqual({
      id: second,
      short_id: second.slice(0, 8),
      created_at: '2023-11-14T22:15:20.000Z',
      parent_ids: [first],
      title: 'second',
      message: 'second\n\nCloses: #1\n',
      author_name: 'Ada',
      author_email: 'ada@example.com',
      authored_date: '2023-11-14T22:15:20.000Z',
      committer_name: 'Carl',
      committer_email: 'carl@example.com',
      committed_date: '2023-11-14T22:15:20.000Z',
      trailers: { Closes: '#1' },
      extended_trailers: {},
      web_url: `${server.url}/owner/demo/-/commit/${second}`,
      stats: { additions: 5, deletions: 2, total: 7 },
      status: null,
      project_id: demo.project.id,
      last_pipeline: null,
    })
    expect(Object.keys(answer.body).slice(-5)).toEqual(['web_url', 'stats', 'status', 'project_id', 'last_pipeline'])
    expect((await reporter.get(commit(second, '?stats=false'))).body).not.toHaveProperty('stats')
    expect((await reporter.get(commit(second, '?stats=2'))).body).toMatchObject({ error: 'stats is invalid' })
  })

  test('shows the newest pipeline that the port answers with', async () => {
    const { platform: actual } = server.app
    const [first = ''] = demo.oids
    const pipeline = {
      id: 7,
      iid: 1,
      project_id: demo.project.id,
      sha: first,
      ref: 'main',
      status: 'running',
      source: 'push',
      created_at: '2026-01-02T03:04:05.678Z',
      updated_at: '2026-01-02T03:04:05.678Z',
      web_url: 'https://example.com/owner/demo/-/pipelines/7',
    }
    const pipelinesOf: Ports['commits.pipelines'] = async (_platform, project, _actor, oids) =>
      new Map(oids.map((oid) => [oid, { ...pipeline, project_id: project.id }]))
    const platform = { ...actual, ports: { ...actual.ports, 'commits.pipelines': pipelinesOf } }
    const role = { level: 0, projectLevel: null, groupLevel: null, permissions: new Set<never>() }
    expect(await getCommit(platform, { ...demo.project, role }, anonymous, first, {})).toMatchObject({
      status: 'running',
      last_pipeline: pipeline,
    })
  })

  test('resolves short ids, branches, tags and HEAD, tags before branches', async () => {
    const title = async (sha: string) => (await reporter.get(commit(sha))).body.title
    const [, second = ''] = demo.oids
    for (const sha of [second.slice(0, 7), second.slice(0, 39), second.toUpperCase()])
      expect(await title(sha)).toBe('second')
    expect(await title('feature/x')).toBe('apart')
    expect(await title('v1')).toBe('tagged')
    expect(await title('refs/heads/v1')).toBe('branched')
    for (const sha of ['HEAD', 'main']) expect(await title(sha)).toBe('merge')
    await owner.put(`/projects/${demo.project.id}`, { default_branch: 'feature/x' })
    expect(await title('HEAD')).toBe('apart')
    await owner.put(`/projects/${demo.project.id}`, { default_branch: 'main' })
    expect(await title('HEAD')).toBe('merge')
  })

  test('answers 404 for other revisions', async () => {
    const [first = ''] = demo.oids
    const names = [first.slice(0, 6), `${first}0`, '0'.repeat(40), 'f'.repeat(64), 'nope', 'main~1', 'HEAD^', '@', '-x']
    for (const sha of [...names, '../main', '\u202e', `${first}..${first}`, 'main:a.txt', 'x'.repeat(5_000)]) {
      for (const rest of ['', '/diff', '/refs', '/sequence', '/signature', '/merge_requests']) {
        expect(await reporter.get(commit(sha, rest))).toMatchObject(notFound)
      }
    }
    expect((await reporter.get(`${demo.base}/commits/%00`)).status).toBe(400)
    expect((await reporter.get(`${demo.base}/commits/%ff`)).status).toBe(400)
  })
})

describe('x.commits_diff', () => {
  test('returns the diff between a commit and its first parent', async () => {
    const answer = await reporter.get(commit(demo.oids[1] ?? '', '/diff'))
    expect(answer.status).toBe(200)
    expect(answer.headers.get('x-total')).toBe('7')
    const common = {
      collapsed: false,
      too_large: false,
      new_file: false,
      renamed_file: false,
      deleted_file: false,
      generated_file: null,
    }
    const plain = { ...common, a_mode: '100644', b_mode: '100644' }
    const same = (path: string) => ({ new_path: path, old_path: path })
    expect(answer.body).toEqual([
      { ...plain, ...same('a.txt'), diff: '@@ -1 +1,2 @@\n a\n+b\n' },
      { ...plain, ...same('gone'), b_mode: '0', deleted_file: true, diff: '@@ -1 +0,0 @@\n-g\n' },
      { ...plain, ...same('latin'), a_mode: '0', new_file: true, diff: '@@ -0,0 +1 @@\n+caf\ufffd\n' },
      {
        ...common,
        ...same('module'),
        a_mode: '0',
        b_mode: '160000',
        new_file: true,
        diff: expect.stringMatching(/^@@.*\n\+Sub/),
      },
      {
        ...plain,
        renamed_file: true,
        old_path: 'b b.txt',
        new_path: 'moved/"c\n.txt',
        diff: '@@ -2,4 +2,4 @@\n 2\n 3\n 4\n-5\n+five\n',
      },
      {
        ...plain,
        ...same('new.txt'),
        a_mode: '0',
        new_file: true,
        diff: '@@ -0,0 +1 @@\n+n\n\\ No newline at end of file\n',
      },
      { ...plain, ...same('pixel'), diff: '' },
    ])
    expect(Object.keys(answer.body[0])).toEqual([
      ...['diff', 'collapsed', 'too_large', 'new_path', 'old_path', 'a_mode', 'b_mode'],
      ...['new_file', 'renamed_file', 'deleted_file', 'generated_file'],
    ])
  })

  test('adds quoted file names before each patch on request', async () => {
    const { body } = await reporter.get(commit(demo.oids[1] ?? '', '/diff?unidiff=true'))
    const heads = body.map(({ diff }: { diff: string }) => diff.split('@@')[0])
    expect(heads).toEqual([
      '--- a/a.txt\n+++ b/a.txt\n',
      '--- a/gone\n+++ /dev/null\n',
      '--- /dev/null\n+++ b/latin\n',
      '--- /dev/null\n+++ b/module\n',
      '--- a/b b.txt\t\n+++ "b/moved/\\"c\\n.txt"\n',
      '--- /dev/null\n+++ b/new.txt\n',
      '',
    ])
  })

  test('is paginated', async () => {
    const page = async (query: string) => {
      const answer = await reporter.get(commit(demo.oids[1] ?? '', `/diff?${query}`))
      expect(answer.headers.get('x-total')).toBe('7')
      return answer.body.map(({ new_path }: { new_path: string }) => new_path)
    }
    expect(await page('per_page=3')).toEqual(['a.txt', 'gone', 'latin'])
    expect(await page('per_page=3&page=3')).toEqual(['pixel'])
    expect(await page('per_page=3&page=4')).toEqual([])
  })

  test('compares a first commit with the empty tree and a merge with its first parent, and may be empty', async () => {
    const paths = async (sha: string) =>
      (await reporter.get(commit(sha, '/diff'))).body.map(({ new_path }: { new_path: string }) => new_path)
    expect(await paths(demo.oids[0] ?? '')).toEqual(['a.txt', 'b b.txt', 'gone', 'pixel'])
    expect(await paths('main')).toEqual(['side'])
    expect(await paths('feature/x')).toEqual([])
  })

  test('omits a patch that is too large, and shows on its page a patch beyond the limits of the whole diff', async () => {
    const lines = (count: number, seed: number) =>
      Array.from({ length: count }, (_, line) => `${seed} ${line}\n`).join('')
    const many = Array.from({ length: 60 }, (_, file) => [`f${String(file).padStart(2, '0')}`, lines(16_000, file)])
    const large = await projectWith(server, owner, 'large', [
      { files: { base: '' } },
      { files: { ...Object.fromEntries(many), 'f99-large': lines(60_000, 99) } },
    ])
    const page = async (query: string) => (await owner.get(`${large.base}/commits/main/diff?${query}`)).body
    const [last] = await page('per_page=1&page=60')
    expect([last.new_path, last.too_large, last.diff.length > 100_000]).toEqual(['f59', false, true])
    const [tooLarge] = await page('per_page=1&page=61')
    expect(tooLarge).toMatchObject({ new_path: 'f99-large', too_large: true, collapsed: false, diff: '' })
    const whole = await page('per_page=100')
    expect(whole).toHaveLength(61)
    expect(JSON.stringify(whole).length).toBeLessThan(8 * 1024 * 1024)
  })
})

describe('x.commits_refs', () => {
  test('returns branches before tags, each by name, without a total', async () => {
    const [first = ''] = demo.oids
    const answer = await reporter.get(commit(first, '/refs'))
    expect(answer).toMatchObject({
      status: 200,
      body: [
        { type: 'branch', name: 'feature/x' },
        { type: 'branch', name: 'main' },
        { type: 'branch', name: 'v1' },
        { type: 'tag', name: 'v1' },
      ],
    })
    expect(answer.headers.get('x-total')).toBeNull()
    const branches = await reporter.get(commit(first, '/refs?type=branch&per_page=2'))
    expect(branches.body).toHaveLength(2)
    expect(branches.headers.get('x-next-page')).toBe('2')
    expect((await reporter.get(commit(first, '/refs?type=tag'))).body).toEqual([{ type: 'tag', name: 'v1' }])
    expect((await reporter.get(commit(first, '/refs?page=9'))).body).toEqual([])
    expect(await reporter.get(commit(first, '/refs?type=note'))).toMatchObject({
      status: 400,
      body: { message: { type: ['does not have a valid value'] }, error: 'type does not have a valid value' },
    })
  })
})

describe('x.commits_sequence', () => {
  test('counts commits from the first one', async () => {
    expect(await reporter.get(commit(demo.oids[0] ?? '', '/sequence'))).toMatchObject({
      status: 200,
      body: { count: 1 },
    })
    expect((await reporter.get(commit('main', '/sequence'))).body).toEqual({ count: 4 })
    expect((await reporter.get(commit('main', '/sequence?first_parent=true'))).body).toEqual({ count: 3 })
    expect((await reporter.get(commit('main', '/sequence?first_parent=x'))).body).toMatchObject({
      error: 'first_parent is invalid',
    })
  })
})

describe('x.commits_merge_requests', () => {
  test('requires the commit, and is empty without merge requests', async () => {
    const answer = await reporter.get(commit('main', '/merge_requests'))
    expect(answer).toMatchObject({ status: 200, body: [] })
    expect(answer.headers.get('x-total')).toBe('0')
    expect((await reporter.get(commit('main', '/merge_requests?state=merged'))).body).toEqual([])
    expect(await reporter.get(commit('main', '/merge_requests?state=x'))).toMatchObject({
      status: 400,
      body: { error: 'state does not have a valid value' },
    })
  })
})
