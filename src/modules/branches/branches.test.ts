import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  type Client,
  httpUrl,
  makePeople,
  openWorkTree,
  type People,
  projectWithMembers,
  queriesOf,
  startTestServer,
  type TestServer,
} from '../../testing/index.ts'
import type { ProjectRow } from '../projects/index.ts'

let server: TestServer
let people: People
let project: ProjectRow
let base: string

beforeAll(async () => {
  server = await startTestServer()
  people = await makePeople(server)
  project = await pushed('demo')
  base = `/projects/${project.id}/repository/branches`
})
afterAll(() => server.stop())

/** A private project with a member of every role and two pushed commits. */
async function pushed(path: string, refspecs: readonly string[] = ['main']): Promise<ProjectRow> {
  const { project: made } = await projectWithMembers(server, { people, path })
  await using work = await openWorkTree(server, made)
  await work.commit('first')
  await work.commit('second\n\nBody.\n\nReviewed-by: A\nReviewed-by: B\n')
  expect(await work.push(people.owner, ...refspecs)).toMatchObject({ isAccepted: true })
  return made
}

const names = (answer: { body: { name: string }[] }) => answer.body.map(({ name }) => name)
const create = (client: Client, branch: unknown, ref: unknown = 'main') => client.post(base, { branch, ref })

describe('1.11 list', () => {
  test('lists whole branches by name in byte order, with headers', async () => {
    const listed = await pushed('listed', [
      'main',
      'main~1:refs/heads/a',
      'main:refs/heads/B',
      'main~1:refs/heads/feature/x',
    ])
    const answer = await people.reporter.get(`/projects/${listed.id}/repository/branches`)
    expect(answer.status).toBe(200)
    expect(names(answer)).toEqual(['B', 'a', 'feature/x', 'main'])
    expect(answer.headers.get('x-total')).toBe('4')
    const [, merged, , main] = answer.body
    expect(merged).toMatchObject({ name: 'a', merged: true, default: false, can_push: false, protected: false })
    expect(main).toEqual({
      name: 'main',
      commit: {
        id: expect.stringMatching(/^[0-9a-f]{40}$/),
        short_id: main.commit.id.slice(0, 8),
        created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.000Z$/),
        parent_ids: [merged.commit.id],
        title: 'second',
        message: 'second\n\nBody.\n\nReviewed-by: A\nReviewed-by: B\n',
        author_name: 'Tester',
        author_email: 'tester@example.com',
        authored_date: expect.any(String),
        committer_name: 'Tester',
        committer_email: 'tester@example.com',
        committed_date: expect.any(String),
        trailers: { 'Reviewed-by': 'B' },
        extended_trailers: {},
        web_url: `${server.url}/owner/listed/-/commit/${main.commit.id}`,
      },
      merged: false,
      protected: true,
      developers_can_push: false,
      developers_can_merge: false,
      can_push: false,
      default: true,
      web_url: `${server.url}/owner/listed/-/tree/main`,
    })
    expect(answer.body[2].web_url).toBe(`${server.url}/owner/listed/-/tree/feature/x`)
  })

  test('counts on request what a branch and the default branch do not share', async () => {
    const counted = await pushed('counted', ['main', 'main~1:refs/heads/old'])
    const list = `/projects/${counted.id}/repository/branches`
    const file = { branch: 'ahead', start_branch: 'old', content: 'x', commit_message: 'm' }
    await people.owner.post(`/projects/${counted.id}/repository/files/new`, file)
    const { body } = await people.reporter.get(`${list}?diverging_commit_counts=true`)
    const counts = body.map((branch: Record<string, unknown>) => [branch.name, branch.diverging_commit_counts])
    expect(counts).toEqual([
      ['ahead', { ahead: 1, behind: 1 }],
      ['main', { ahead: 0, behind: 0 }],
      ['old', { ahead: 0, behind: 1 }],
    ])
    expect((await people.reporter.get(list)).body[0]).not.toHaveProperty('diverging_commit_counts')
  })

  test('searches with anchors and wildcards in any case, and by pattern', async () => {
    const searched = await pushed(
      'searched',
      ['main', 'main:feature/a', 'main:feature/ab', 'main:Fix$1', 'main:xfeature'].map(asBranch),
    )
    const list = async (query: string) =>
      names(await people.reporter.get(`/projects/${searched.id}/repository/branches?${query}`))
    expect(await list('search=FEAT')).toEqual(['feature/a', 'feature/ab', 'xfeature'])
    expect(await list('search=%5EFEAT')).toEqual(['feature/a', 'feature/ab'])
    expect(await list('search=/a$')).toEqual(['feature/a'])
    expect(await list('search=%5Efeature/a$')).toEqual(['feature/a'])
    expect(await list('search=f*b$')).toEqual(['feature/ab'])
    expect(await list('search=%5Ef*a')).toEqual(['feature/a', 'feature/ab'])
    expect(await list('search=x$1')).toEqual(['Fix$1'])
    for (const all of ['search=', 'search=%5E', 'search=$', 'search=%20', 'search=*'])
      expect(await list(all)).toHaveLength(5)
    expect(await list(`regex=${encodeURIComponent('^(main|feature/.*)$')}`)).toEqual([
      'feature/a',
      'feature/ab',
      'main',
    ])
    expect(await list('regex=FEATURE')).toEqual([])
    expect(await list('regex=feature&search=b$')).toEqual(['feature/ab'])
  })

  test('refuses invalid patterns, and takes linear time for hostile ones', async () => {
    for (const regex of ['(', '(?=a)', '(?<!a)b', '[z-a]', '*']) {
      expect(await people.reporter.get(`${base}?regex=${encodeURIComponent(regex)}`)).toMatchObject({
        status: 400,
        body: { message: { regex: ['is an invalid regexp'] }, error: 'regex is an invalid regexp' },
      })
    }
    const hostile = await people.reporter.get(`${base}?regex=${encodeURIComponent('(a*)*b'.repeat(200))}`)
    expect([200, 400]).toContain(hostile.status)
    expect(await people.reporter.get(`${base}?sort=nope`)).toMatchObject({
      status: 400,
      body: { error: 'sort does not have a valid value' },
    })
    expect((await people.reporter.get(`${base}?search[]=a`)).status).toBe(400)
    expect((await people.reporter.get(`${base}?search=${'*a'.repeat(500)}`)).status).toBe(200)
  })

  test('paginates by number and by name, also after a deleted branch', async () => {
    const many = await pushed('many', [
      'main',
      ...Array.from({ length: 24 }, (_, index) => `main:refs/heads/b${10 + index}`),
    ])
    const path = `/projects/${many.id}/repository/branches`
    const second = await people.reporter.get(`${path}?per_page=10&page=2&private_token=${people.reporter.token}`)
    expect(names(second)).toEqual(Array.from({ length: 10 }, (_, index) => `b${20 + index}`))
    expect(second.headers.get('x-page')).toBe('2')
    expect(second.headers.get('x-total')).toBe('25')
    const link = second.headers.get('link') ?? ''
    expect([...link.matchAll(/rel="(\w+)"/g)].map((match) => match[1])).toEqual(['prev', 'next', 'first', 'last'])
    expect(link).not.toContain(people.reporter.token)
    const past = await people.reporter.get(`${path}?page=99`)
    expect(past).toMatchObject({ status: 200, body: [] })
    const first = await people.reporter.get(`${path}?pagination=keyset&per_page=20`)
    expect(first.headers.get('x-total')).toBeNull()
    const next = /<([^>]+)>; rel="next"/.exec(first.headers.get('link') ?? '')?.[1] ?? ''
    await people.owner.delete(`${path}/b29`)
    const rest = await people.reporter.get(next.replace(`${server.url}/api/v4`, ''))
    expect([...names(first), ...names(rest)]).toHaveLength(25)
    expect(rest.headers.get('link')).toBeNull()
  })

  test('sorts by the date of the head', async () => {
    const dated = await pushed('dated', ['main', 'main~1:refs/heads/z'])
    const list = async (sort: string) =>
      names(await people.reporter.get(`/projects/${dated.id}/repository/branches?sort=${sort}`))
    expect((await list('updated_desc')).sort()).toEqual(['main', 'z'])
    expect(await list('name')).toEqual(['main', 'z'])
  })

  test('takes a constant number of queries', async () => {
    const count = (path: string) => queriesOf(server, () => people.reporter.get(path))
    const one = await pushed('one')
    const twenty = await pushed('twenty', [
      'main',
      ...Array.from({ length: 19 }, (_, index) => `main:refs/heads/b${index}`),
    ])
    const [few, many] = [
      await count(`/projects/${one.id}/repository/branches`),
      await count(`/projects/${twenty.id}/repository/branches`),
    ]
    expect(many).toBe(few)
  })

  test('is empty for an empty repository', async () => {
    const empty = await server.make.project('empty', people.owner)
    const answer = await people.owner.get(`/projects/${empty.id}/repository/branches`)
    expect(answer).toMatchObject({ status: 200, body: [] })
    expect(answer.headers.get('x-total')).toBe('0')
  })
})

function asBranch(refspec: string): string {
  const [from, to] = refspec.split(':')
  return to ? `${from}:refs/heads/${to}` : refspec
}

describe('access', () => {
  test('is read-only in an archived project, and answers 404 for a disabled repository', async () => {
    const closed = await pushed('closed')
    const { database } = server.app.platform
    const path = `/projects/${closed.id}/repository/branches`
    await database.write((tx) =>
      tx.updateTable('projects').set({ archived: true }).where('id', '=', closed.id).execute(),
    )
    expect((await people.developer.post(path, { branch: 'x', ref: 'main' })).status).toBe(403)
    expect((await people.developer.delete(`${path}/main`)).status).toBe(403)
    expect((await people.reporter.get(path)).status).toBe(200)
    const settings = JSON.stringify({ repository_access_level: 'disabled' })
    await database.write((tx) => tx.updateTable('projects').set({ settings }).where('id', '=', closed.id).execute())
    expect(await people.reporter.get(path)).toMatchObject({
      status: 404,
      body: { message: '404 Repository Not Found' },
    })
  })
})

describe('1.12 get', () => {
  test('finds a branch by its exact, encoded name', async () => {
    await create(people.developer, 'feature/ü')
    const path = `${base}/${encodeURIComponent('feature/ü')}`
    expect(await people.developer.get(path)).toMatchObject({ status: 200, body: { name: 'feature/ü', can_push: true } })
    expect((await people.developer.head(path)).status).toBe(204)
    expect((await people.developer.head(`${base}/nope`)).status).toBe(404)
    expect((await people.developer.get(`${base}/feature/ü`)).body).toEqual({
      error: '404 Not Found',
      message: '404 Not Found',
    })
    expect(await people.developer.get(`${base}/MAIN`)).toMatchObject({
      status: 404,
      body: { message: '404 Branch Not Found' },
    })
  })

  test('refuses a name that no branch can have', async () => {
    for (const name of ['a..b', '-x', 'a b', 'x.lock', '@{', 'a//b', 'HEAD', 'refs/heads/x', '\u007f']) {
      expect(await people.developer.get(`${base}/${encodeURIComponent(name)}`)).toMatchObject({
        status: 400,
        body: { message: 'The branch refname is invalid' },
      })
    }
    const head = (await people.developer.get(`${base}/main`)).body.commit.id
    expect((await people.developer.get(`${base}/${head}`)).status).toBe(404)
  })
})

describe('1.13 create', () => {
  test('starts from a branch, a full ref or a commit', async () => {
    const head = (await people.developer.get(`${base}/main`)).body.commit
    for (const [name, ref] of [
      ['from-branch', 'main'],
      ['from-ref', 'refs/heads/main'],
      ['from-oid', head.id],
      ['from-short', head.id.slice(0, 7)],
      ['from-parent', head.parent_ids[0]],
    ]) {
      expect(await create(people.developer, name, ref)).toMatchObject({
        status: 201,
        body: { name, merged: name === 'from-parent' },
      })
    }
  })

  test('reports missing, blank and invalid parameters', async () => {
    expect(await people.developer.post(base, { ref: 'main' })).toMatchObject({
      status: 400,
      body: { message: '400 (Bad request) "branch" not given', error: 'branch is missing' },
    })
    expect((await people.developer.post(base, {})).body.error).toBe('branch is missing, ref is missing')
    expect((await create(people.developer, ' ')).body).toEqual({
      message: { branch: ['is empty'] },
      error: 'branch is empty',
    })
    for (const wrong of [{ a: 1 }, ['x'], 'a\u0000b'])
      expect((await create(people.developer, wrong)).body.error).toBe('branch is invalid')
  })

  test('refuses invalid names and existing branches', async () => {
    const refused = async (branch: string, ref = 'main') => (await create(people.developer, branch, ref)).body
    for (const name of [
      'a..b',
      '-x',
      '--upload-pack=x',
      'HEAD',
      '@',
      'a/',
      '/a',
      'a.lock',
      'refs/heads/a',
      'a\nb',
      'x'.repeat(1_100),
      `${'y'.repeat(300)}/z`,
    ]) {
      expect(await refused(name)).toEqual({ message: 'Branch name is invalid' })
    }
    expect(await refused('main')).toEqual({ message: 'Branch already exists' })
    for (const ref of [
      'nope',
      '-x',
      'main~1',
      'main^',
      'a..b',
      '@{-1}',
      ':README',
      'HEAD^{tree}',
      'f'.repeat(40),
      '../x',
    ]) {
      expect(await refused('new', ref)).toEqual({ message: `Invalid reference name: ${ref}` })
    }
    expect(await refused('main/sub')).toEqual({ message: "Branch name conflicts with existing branch 'main'" })
    expect(await refused('a'.repeat(40))).toEqual({
      message: 'You cannot create a branch with a 40-character hexadecimal branch name.',
    })
    expect(await refused('0'.repeat(64))).toEqual({
      message: 'You cannot create a branch with a 64-character hexadecimal branch name.',
    })
  })

  test('creates one branch for concurrent requests', async () => {
    const answers = await Promise.all(Array.from({ length: 8 }, () => create(people.developer, 'contended')))
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 400, 400, 400, 400, 400, 400, 400])
    for (const { status, body } of answers)
      if (status === 400) expect(body).toEqual({ message: 'Branch already exists' })
  })

  test('creates a first commit on the default branch of an empty repository', async () => {
    const empty = await server.make.project('fresh', people.owner)
    const made = await people.owner.post(`/projects/${empty.id}/repository/branches`, { branch: 'work', ref: 'main' })
    expect(made).toMatchObject({
      status: 201,
      body: { commit: { message: 'Add README.md', author_name: 'owner person' } },
    })
    const list = await people.owner.get(`/projects/${empty.id}/repository/branches`)
    expect(list.body.map((branch: { name: string; default: boolean }) => [branch.name, branch.default])).toEqual([
      ['main', true],
      ['work', false],
    ])
  })

  test('is refused while the repository is read-only', async () => {
    const moving = await pushed('moving')
    const { database } = server.app.platform
    await database.write((tx) =>
      tx.updateTable('repositories').set({ read_only: true }).where('project_id', '=', moving.id).execute(),
    )
    const answer = await people.developer.post(`/projects/${moving.id}/repository/branches`, {
      branch: 'x',
      ref: 'main',
    })
    expect(answer).toMatchObject({
      status: 400,
      body: { message: 'The repository is temporarily read-only. Please try again later.' },
    })
  })
})

describe('1.14 delete', () => {
  test('deletes a branch, but never the default branch', async () => {
    await create(people.developer, 'gone')
    const answer = await people.developer.delete(`${base}/gone`)
    expect(answer).toMatchObject({ status: 204, body: '' })
    expect(answer.headers.get('content-type')).toBeNull()
    expect(await people.developer.delete(`${base}/gone`)).toMatchObject({
      status: 404,
      body: { message: '404 Branch Not Found' },
    })
    expect(await people.developer.delete(`${base}/main`)).toMatchObject({
      status: 400,
      body: { message: 'The default branch of a project cannot be deleted.' },
    })
  })

  test('honours If-Unmodified-Since', async () => {
    await create(people.developer, 'kept')
    const headers = { 'If-Unmodified-Since': 'Wed, 01 Jan 2020 00:00:00 GMT' }
    expect(await people.developer.delete(`${base}/kept`, { headers })).toMatchObject({
      status: 412,
      body: { message: '412 Precondition Failed' },
    })
    expect((await people.developer.get(`${base}/kept`)).status).toBe(200)
    expect(
      (await people.developer.delete(`${base}/kept`, { headers: { 'If-Unmodified-Since': 'nonsense' } })).status,
    ).toBe(204)
  })
})

describe('1.15 delete merged branches', () => {
  test('deletes merged branches only', async () => {
    const merged = await pushed('merged', ['main', 'main~1:refs/heads/old', 'main:refs/heads/same'])
    const path = `/projects/${merged.id}/repository`
    await using work = await openWorkTree(server, merged)
    await work.run('pull', '--quiet', httpUrl(server, people.owner, merged.full_path), 'main')
    await work.commit('ahead')
    expect(await work.push(people.owner, 'HEAD:refs/heads/ahead')).toMatchObject({ isAccepted: true })
    expect((await people.reporter.delete(`${path}/merged_branches`)).status).toBe(403)
    const answer = await people.developer.delete(`${path}/merged_branches`)
    expect(answer).toMatchObject({ status: 202, body: { message: '202 Accepted' } })
    await server.app.platform.jobs.drain()
    expect(names(await people.developer.get(`${path}/branches`))).toEqual(['ahead', 'main', 'same'])
    expect((await people.developer.delete(`${path}/merged_branches`)).status).toBe(202)
  })
})
