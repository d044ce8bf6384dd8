import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Person, queriesOf, type TestServer, temporaryDirectory } from '../../../testing/index.ts'
import {
  type Made,
  makeCommits,
  type ProjectWithHistory,
  projectWith,
  pushTo,
  startWithHistory,
} from '../reading-testing.ts'

let server: TestServer
let owner: Person
let reporter: Person
/** base, main 2, main 3 on `main`; feature 4, feature 5 on `feature` from base; an orphan on `apart`. */
let demo: ProjectWithHistory

const history: Made[] = [
  { message: 'base', files: { a: '1\n', b: '1\n' } },
  { message: 'main 2', files: { a: '2\n' }, author: 'Bob <bob@example.com>' },
  { message: 'main 3', files: { a: '3\n' } },
  { message: 'feature 4', ref: 'refs/heads/feature', parents: [1], files: { b: '2\n' } },
  { message: 'feature 5', ref: 'refs/heads/feature', files: { c: '1\n' } },
  { message: 'apart', ref: 'refs/heads/apart', parents: [], files: { z: '1\n' } },
  { message: 'tagged', ref: 'refs/tags/feature', parents: [2], author: 'Ada <ADA@example.com>' },
]

beforeAll(async () => {
  ;({ server, owner, reporter, demo } = await startWithHistory(history))
})
afterAll(() => server.stop())

const names = (parameters: Record<string, string>) => new URLSearchParams(parameters)
const compare = (parameters: Record<string, string>, base = demo.base) =>
  reporter.get(`${base}/compare?${names(parameters)}`)
const feature = 'refs/heads/feature'
const titles = (commits: { title: string }[]) => commits.map(({ title }) => title)
const paths = (diffs: { new_path: string }[]) => diffs.map(({ new_path }) => new_path)

describe('x.repo_compare', () => {
  test('returns the commits since the last common commit, oldest first', async () => {
    const answer = await compare({ from: 'main', to: feature })
    expect(answer.status).toBe(200)
    const { body } = answer
    expect(titles(body.commits)).toEqual(['feature 4', 'feature 5'])
    expect(body.commit).toEqual(body.commits[1])
    expect(Object.keys(body)).toEqual([
      ...['commit', 'commits', 'diffs', 'compare_timeout', 'compare_same_ref', 'web_url'],
    ])
    expect(paths(body.diffs)).toEqual(['b', 'c'])
    expect(body.diffs[0]).toMatchObject({ diff: '@@ -1 +1 @@\n-1\n+2\n', a_mode: '100644', new_file: false })
    expect(body).toMatchObject({
      compare_timeout: false,
      compare_same_ref: false,
      web_url: `${server.url}/owner/demo/-/compare/${demo.oids[0]}...${demo.oids[4]}`,
    })
    expect((await compare({ from: 'main', to: feature, unidiff: 'true' })).body.diffs[0].diff).toBe(
      '--- a/b\n+++ b/b\n@@ -1 +1 @@\n-1\n+2\n',
    )
  })

  test('compares with the revision itself when straight', async () => {
    const { body } = await compare({ from: 'main', to: feature, straight: 'true' })
    expect(paths(body.diffs)).toEqual(['a', 'b', 'c'])
    expect(titles(body.commits)).toEqual(['feature 4', 'feature 5'])
    expect(body.web_url).toContain(`/compare/${demo.oids[2]}...${demo.oids[4]}`)
  })

  test('resolves tags before branches, ids, and HEAD', async () => {
    expect(titles((await compare({ from: 'main', to: 'feature' })).body.commits)).toEqual(['tagged'])
    const [base = ''] = demo.oids
    expect(titles((await compare({ from: base.slice(0, 8), to: 'HEAD' })).body.commits)).toEqual(['main 2', 'main 3'])
  })

  test('is empty for an ancestor, and for equal revisions', async () => {
    const empty = { commit: null, commits: [], diffs: [], compare_timeout: false }
    expect((await compare({ from: 'main', to: demo.oids[0] ?? '' })).body).toMatchObject(empty)
    expect((await compare({ from: 'main', to: 'HEAD' })).body).toMatchObject({ ...empty, compare_same_ref: true })
  })

  test('shows every file as added without a common commit', async () => {
    const { body } = await compare({ from: 'main', to: 'apart' })
    expect(titles(body.commits)).toEqual(['apart'])
    expect(paths(body.diffs)).toEqual(['z'])
    const straight = await compare({ from: 'main', to: 'apart', straight: 'true' })
    expect(straight.body.diffs).toMatchObject([
      { new_path: 'a', deleted_file: true },
      { old_path: 'b', new_path: 'z', renamed_file: true },
    ])
  })

  test('answers 400 and 404 for missing, invalid and unknown parameters', async () => {
    expect((await compare({})).body).toMatchObject({ error: 'from is missing, to is missing' })
    expect(await compare({ from: 'main' })).toMatchObject({ status: 400, body: { error: 'to is missing' } })
    expect((await compare({ from: 'a', to: 'b', straight: 'x' })).body).toMatchObject({ error: 'straight is invalid' })
    expect((await compare({ from: 'a', to: 'b', from_project_id: 'x' })).body).toMatchObject({
      error: 'from_project_id is invalid',
    })
    const unknown = { status: 404, body: { message: '404 Ref Not Found' } }
    for (const name of ['', 'nope', 'main~1', '-x', '--all', 'main..feature', 'HEAD^{tree}', '../main', '\u202e']) {
      expect(await compare({ from: name, to: 'main' })).toMatchObject(unknown)
      expect(await compare({ from: 'main', to: name })).toMatchObject(unknown)
    }
    const { id } = await server.make.project('empty', owner)
    expect(await owner.get(`/projects/${id}/repository/compare?from=main&to=main`)).toMatchObject(unknown)
  })

  test('cuts long comparisons and sets compare_timeout', async () => {
    const many = Array.from({ length: 1_005 }, (_, index) => [`f${String(index).padStart(4, '0')}`, `${index}\n`])
    const large = await projectWith(server, owner, 'large', [
      { files: { base: '' } },
      ...Array.from({ length: 1_003 }, (_, index) => ({ message: `number ${index}` })),
      { message: 'last', files: Object.fromEntries(many) },
    ])
    const { body } = await owner.get(`${large.base}/compare?from=${large.oids[0]}&to=main`)
    expect(body.commits).toHaveLength(1_000)
    expect([body.commits[0].title, body.commit.title]).toEqual(['number 4', 'last'])
    expect(body.diffs).toHaveLength(1_000)
    expect(body.compare_timeout).toBe(true)
  })

  test('sets compare_timeout for too many patches, not for one that is too large', async () => {
    const lines = (count: number) => Array.from({ length: count }, (_, line) => `line ${line}\n`).join('')
    const many = Array.from({ length: 60 }, (_, file) => [`a${String(file).padStart(2, '0')}`, lines(12_000)])
    const { base, oids } = await projectWith(server, owner, 'patches', [
      { files: { base: '' } },
      { files: { z: lines(60_000) } },
      { files: Object.fromEntries(many) },
    ])
    const from = async (revision = '', to = '') => (await owner.get(`${base}/compare?from=${revision}&to=${to}`)).body
    const one = await from(oids[0], oids[1])
    expect(one).toMatchObject({ compare_timeout: false, diffs: [{ new_path: 'z', too_large: true, diff: '' }] })
    const all = await from(oids[0], oids[2])
    expect(all.compare_timeout).toBe(true)
    expect(all.diffs).toHaveLength(61)
    expect(JSON.stringify(all).length).toBeLessThan(8 * 1024 * 1024)
  })

  test('makes the same number of queries for two commits and for twenty', async () => {
    const { base, oids } = await projectWith(
      server,
      owner,
      'twenty',
      Array.from({ length: 21 }, (_, index) => ({ files: { [`f${index}`]: '' } })),
    )
    const costOf = (count: number) =>
      queriesOf(server, async () => {
        const { body } = await owner.get(`${base}/compare?from=${oids[20 - count]}&to=main`)
        expect([body.commits.length, body.diffs.length]).toEqual([count, count])
      })
    expect(await costOf(20)).toBe(await costOf(2))
  })

  test('limits the total length of messages', async () => {
    const long = 'x'.repeat(900_000)
    const wordy = await projectWith(
      server,
      owner,
      'wordy',
      Array.from({ length: 30 }, (_, index) => ({ message: `${index}\n\n${long}` })),
    )
    const { body } = await owner.get(`${wordy.base}/compare?from=${wordy.oids[0]}&to=main`)
    expect(titles(body.commits)).toEqual(Array.from({ length: 9 }, (_, index) => String(index + 21)))
    expect(body.compare_timeout).toBe(true)
  })
})

describe('x.repo_compare across forks', () => {
  test('reads both repositories without writing to them', async () => {
    const fork = await server.make.project('fork', reporter)
    const { database } = server.app.platform
    await database.write((tx) =>
      tx.updateTable('projects').set({ forked_from_id: demo.project.id }).where('id', '=', fork.id).execute(),
    )
    await using folder = await temporaryDirectory()
    const oids = await makeCommits(folder.path, [
      ...history.slice(0, 2),
      { message: 'forked', files: { fork: '1\n' }, author: 'Eve <eve@example.com>' },
    ])
    await pushTo(server, reporter, fork, folder.path, ['main'])
    const base = `/projects/${fork.id}/repository`
    const { body, status } = await compare({ from: 'main', to: 'main', from_project_id: String(demo.project.id) }, base)
    expect(status).toBe(200)
    expect(titles(body.commits)).toEqual(['forked'])
    expect(paths(body.diffs)).toEqual(['fork'])
    expect(body.web_url).toBe(`${server.url}/reporter/fork/-/compare/${demo.oids[1]}...${oids[2]}`)
    const back = await compare({ from: 'main', to: 'main', from_project_id: String(fork.id) })
    expect(titles(back.body.commits)).toEqual(['main 3'])
    expect((await reporter.get(`${base}/commits/${demo.oids[2]}`)).status).toBe(404)
    expect(await owner.get(`${demo.base}/commits/${oids[2]}`)).toMatchObject({ status: 404 })
    // The owner of the source may not see the fork, and the answer does not reveal it.
    expect(await owner.get(`${demo.base}/compare?from=main&to=main&from_project_id=${fork.id}`)).toMatchObject({
      status: 400,
      body: { message: `Target project id:${fork.id} is not a fork of project id:${demo.project.id}` },
    })
  })

  test('accepts its own project, and no project outside the fork network', async () => {
    const own = await compare({ from: 'main', to: feature, from_project_id: String(demo.project.id) })
    expect(titles(own.body.commits)).toEqual(['feature 4', 'feature 5'])
    const stranger = await server.make.project('stranger', owner, { visibility: 'public' })
    for (const id of [stranger.id, 0, -1, 999_999, Number.MAX_SAFE_INTEGER]) {
      expect(await compare({ from: 'main', to: feature, from_project_id: String(id) })).toMatchObject({
        status: 400,
        body: { message: `Target project id:${id} is not a fork of project id:${demo.project.id}` },
      })
    }
  })
})

describe('x.repo_merge_base', () => {
  const mergeBase = (...refs: string[]) =>
    reporter.get(`${demo.base}/merge_base?${new URLSearchParams(refs.map((ref): [string, string] => ['refs[]', ref]))}`)

  test('returns the last common commit', async () => {
    expect(await mergeBase('main', feature)).toMatchObject({ status: 200, body: { id: demo.oids[0], title: 'base' } })
    expect((await mergeBase('main', 'feature')).body.title).toBe('main 2')
    expect((await mergeBase('main', 'feature', feature)).body.title).toBe('base')
    expect((await mergeBase('main', 'HEAD')).body.title).toBe('main 3')
    expect(Object.keys((await mergeBase('main', feature)).body).at(-1)).toBe('web_url')
  })

  test('requires two refs that exist', async () => {
    const { base } = demo
    expect((await reporter.get(`${base}/merge_base`)).body).toMatchObject({ error: 'refs is missing' })
    for (const query of ['refs[]=main', 'refs=main', 'refs[]=nope']) {
      expect(await reporter.get(`${base}/merge_base?${query}`)).toMatchObject({
        status: 400,
        body: { message: 'Provide at least 2 refs' },
      })
    }
    expect(await mergeBase('main', 'x')).toMatchObject({ status: 400, body: { message: 'Could not find ref: x' } })
    expect((await mergeBase('x', 'main', '-y')).body).toEqual({ message: 'Could not find refs: x, -y' })
    expect(await mergeBase('main', 'apart')).toMatchObject({
      status: 404,
      body: { message: '404 Merge Base Not Found' },
    })
    expect((await reporter.get(`${base}/merge_base?refs[][a]=b&refs[]=main`)).status).toBe(400)
  })
})

describe('x.repo_contributors', () => {
  const people = async (query = '', base = demo.base) => {
    const { body } = await reporter.get(`${base}/contributors${query}`)
    return body.map(({ name, email, commits }: Record<string, string>) => `${name} ${email} ${commits}`)
  }

  test('counts commits by author, in each order', async () => {
    const answer = await reporter.get(`${demo.base}/contributors`)
    expect(answer).toMatchObject({ status: 200 })
    expect(answer.body[0]).toEqual({ name: 'Bob', email: 'bob@example.com', commits: 1, additions: 0, deletions: 0 })
    expect(answer.headers.get('x-total')).toBe('2')
    const [ada, bob] = ['Ada ada@example.com 2', 'Bob bob@example.com 1']
    expect(await people()).toEqual([bob, ada])
    expect(await people('?sort=desc')).toEqual([ada, bob])
    expect(await people('?order_by=name')).toEqual([ada, bob])
    expect(await people('?order_by=email&sort=desc')).toEqual([bob, ada])
    expect(await people('?per_page=1&page=2')).toEqual([ada])
    expect(await people('?ref=feature')).toEqual(['Ada ADA@example.com 1', 'Ada ada@example.com 1', bob])
    expect(await people('?page=9')).toEqual([])
  })

  test('returns names unchanged', async () => {
    const odd = await projectWith(server, reporter, 'odd', [
      { author: ' <nobody@example.com>' },
      { author: 'Tab\there (x) "y" <a b@example.com>' },
      { author: 'Zo\u00eb \u2603 <zoe@example.com>' },
    ])
    expect(await people('?order_by=email', odd.base)).toEqual([
      'Tab\there (x) "y" a b@example.com 1',
      ' nobody@example.com 1',
      'Zo\u00eb \u2603 zoe@example.com 1',
    ])
  })

  test('answers 400 for invalid parameters and 404 for an empty history', async () => {
    const none = { status: 404, body: { message: '404 Not Found' } }
    for (const ref of ['nope', '-x', '--all', 'main..feature']) {
      expect(await reporter.get(`${demo.base}/contributors?ref=${ref}`)).toMatchObject(none)
    }
    const { id } = await server.make.project('nobody', owner)
    expect(await owner.get(`/projects/${id}/repository/contributors`)).toMatchObject(none)
    for (const name of ['order_by', 'sort']) {
      expect(await reporter.get(`${demo.base}/contributors?${name}=x`)).toMatchObject({
        status: 400,
        body: { error: `${name} does not have a valid value` },
      })
    }
  })
})
