import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Client, Person, TestServer } from '../../../testing/index.ts'
import type { ProjectRow } from '../../projects/index.ts'
import { startWithWriters } from '../testing.ts'

let server: TestServer
let owner: Person
let developer: Person
let makeProject: (path: string) => Promise<ProjectRow>
let project: ProjectRow

beforeAll(async () => {
  ;({ server, owner, developer, makeProject } = await startWithWriters())
  project = await makeProject('demo')
  await put('README.md', { content: 'hello\n' }, 'post')
})
afterAll(() => server.stop())

const fileUrl = (path: string, of = project) => `/projects/${of.id}/repository/files/${encodeURIComponent(path)}`
const commitsUrl = (of = project) => `/projects/${of.id}/repository/commits`
const message = (text: string) => ({ message: text })

/** Writes a file on `main`. */
function put(
  path: string,
  body: Record<string, unknown>,
  method: 'post' | 'put' | 'delete' = 'put',
  { of = project, as = developer }: { of?: ProjectRow; as?: Client } = {},
) {
  const whole = { branch: 'main', commit_message: `${method} ${path}`, ...body }
  return method === 'delete' ? as.delete(fileUrl(path, of), { body: whole }) : as[method](fileUrl(path, of), whole)
}

async function contentOf(path: string, { of = project, ref = 'main' } = {}) {
  const { status, body } = await owner.get(`${fileUrl(path, of)}/raw?ref=${encodeURIComponent(ref)}`)
  return status === 200 ? (body as string) : status
}

describe('x.files_create', () => {
  test('creates a file in one commit', async () => {
    const path = 'docs/ünïcode & more/a+b.txt'
    const answer = await put(path, { content: 'x\r\ny', author_name: 'Ada', author_email: 'ada@example.org' }, 'post')
    expect([answer.status, answer.body]).toEqual([201, { file_path: path, branch: 'main' }])
    expect(await contentOf(path)).toBe('x\r\ny')
    const [commit] = (await owner.get(commitsUrl())).body
    expect(commit).toMatchObject({
      message: `post ${path}`,
      author_name: 'Ada',
      author_email: 'ada@example.org',
      committer_name: 'developer person',
      committer_email: 'developer@example.com',
    })
    const again = await put(path, { content: '' }, 'post')
    expect([again.status, again.body]).toEqual([400, message('A file with this name already exists')])
  })

  test('creates the first branch of an empty repository, which becomes the default branch', async () => {
    const empty = await makeProject('empty')
    expect((await put('README.md', { branch: 'trunk', content: '# Hi\n' }, 'post', { of: empty })).status).toBe(201)
    const found = (await owner.get(`/projects/${empty.id}`)).body
    expect([found.default_branch, found.empty_repo]).toEqual(['trunk', false])
  })

  test("protects the first branch, depending on the instance's settings", async () => {
    await server.root.put('/application/settings', { default_branch_protection: 2 })
    const guarded = await makeProject('guarded')
    const as = { of: guarded, as: owner }
    expect((await put('README.md', { content: 'x' }, 'post', as)).status).toBe(201)
    const rules = (await owner.get(`/projects/${guarded.id}/protected_branches`)).body
    expect(rules.map(({ name }: { name: string }) => name)).toEqual(['main'])
    const refused = await put('x', { content: 'x' }, 'post', { of: guarded })
    expect([refused.status, refused.body]).toEqual([400, message('You are not allowed to push into this branch')])
    expect((await put('x', { content: 'x' }, 'post', as)).status).toBe(201)
    await server.root.put('/application/settings', { default_branch_protection: 0 })
  })

  test('accepts base64 content, and a mode', async () => {
    const bytes = Buffer.from([0, 1, 254, 255])
    const content = bytes.toString('base64')
    expect((await put('bin/run', { content, encoding: 'base64', execute_filemode: true }, 'post')).status).toBe(201)
    const { body } = await owner.get(`${fileUrl('bin/run')}?ref=main`)
    expect([body.content, body.size, body.execute_filemode]).toEqual([content, 4, true])
    const bad = await put('x', { content: '***', encoding: 'base64' }, 'post')
    expect([bad.status, bad.body]).toEqual([400, { message: { content: ['is invalid'] }, error: 'content is invalid' }])
  })

  test('starts a new branch from another one', async () => {
    expect((await put('new.txt', { branch: 'topic', start_branch: 'main', content: 'x' }, 'post')).status).toBe(201)
    expect(await contentOf('new.txt', { ref: 'topic' })).toBe('x')
    expect(await contentOf('new.txt')).toBe(404)
    const taken = await put('other.txt', { branch: 'topic', start_branch: 'main', content: 'x' }, 'post')
    expect(taken.body).toEqual(
      message("A branch called 'topic' already exists. Switch to that branch in order to make changes"),
    )
  })

  test('works with parallel requests', async () => {
    const answers = await Promise.all(
      Array.from({ length: 6 }, (_, index) => put(`same-${index % 2}`, { content: `${index}` }, 'post')),
    )
    const refused = answers.filter(({ status }) => status !== 201)
    expect(refused.map(({ body }) => body.message)).toEqual(Array(4).fill('A file with this name already exists'))
  })
})

describe('x.files_update', () => {
  test('changes a file, and keeps its mode by default', async () => {
    await put('tool', { content: 'one', execute_filemode: true }, 'post')
    const answer = await put('tool', { content: 'two' })
    expect([answer.status, answer.body]).toEqual([200, { file_path: 'tool', branch: 'main' }])
    const found = (await owner.get(`${fileUrl('tool')}?ref=main`)).body
    expect([found.execute_filemode, found.size]).toEqual([true, 3])
    await put('tool', { content: '', execute_filemode: false })
    const after = (await owner.get(`${fileUrl('tool')}?ref=main`)).body
    expect([after.execute_filemode, after.size, after.last_commit_id]).toEqual([false, 0, after.commit_id])
  })

  test('is refused when last_commit_id is outdated', async () => {
    await put('shared', { content: 'one' }, 'post')
    const { last_commit_id: first } = (await owner.get(`${fileUrl('shared')}?ref=main`)).body
    await put('unrelated', { content: 'x' }, 'post')
    expect((await put('shared', { content: 'two', last_commit_id: first })).status).toBe(200)
    const stale = message('You are attempting to update a file that has changed since you started editing it.')
    const late = await put('shared', { content: 'three', last_commit_id: first })
    expect([late.status, late.body]).toEqual([400, stale])
    const removal = await put('shared', { last_commit_id: first }, 'delete')
    expect([removal.status, removal.body]).toEqual([400, stale])
    expect(await contentOf('shared')).toBe('two')
    expect((await put('shared', { content: 'four', last_commit_id: '' })).status).toBe(200)
  })

  test('requires an existing file', async () => {
    const missing = message("A file with this name doesn't exist")
    for (const path of ['none', 'docs', 'README.md/below'])
      expect([path, (await put(path, { content: 'x' })).body]).toEqual([path, missing])
  })
})

describe('x.files_delete', () => {
  test('deletes only files', async () => {
    await put('gone/soon', { content: 'x' }, 'post')
    const missing = message("A file with this name doesn't exist")
    expect((await put('gone', {}, 'delete')).body).toEqual(missing)
    const answer = await put('gone/soon', {}, 'delete')
    expect([answer.status, answer.body, answer.headers.get('content-type')]).toEqual([204, '', null])
    expect(await contentOf('gone/soon')).toBe(404)
    const again = await put('gone/soon', {}, 'delete')
    expect([again.status, again.body]).toEqual([400, missing])
  })

  test('accepts parameters in the query', async () => {
    await put('by-query', { content: 'x' }, 'post')
    const query = new URLSearchParams({ branch: 'main', commit_message: 'away with it' })
    expect((await developer.delete(`${fileUrl('by-query')}?${query}`)).status).toBe(204)
    expect((await owner.get(commitsUrl())).body[0].message).toBe('away with it')
  })
})

describe.each(['post', 'put', 'delete'] as const)('%s', (method) => {
  const path = method === 'post' ? 'fresh' : 'README.md'

  test('lists missing parameters in order', async () => {
    const send = (body: unknown) =>
      method === 'delete' ? developer.delete(fileUrl(path), { body }) : developer[method](fileUrl(path), body)
    const required = [
      'branch',
      'branch',
      'commit_message',
      'commit_message',
      ...(method === 'delete' ? [] : ['content']),
    ]
    const words = ['is missing', 'is empty', 'is missing', 'is empty', 'is missing']
    const error = required.map((name, index) => `${name} ${words[index]}`).join(', ')
    expect((await send({})).body.error).toBe(error)
    const blank = { branch: '', commit_message: ' ', content: 'x' }
    expect((await send(blank)).body.error).toBe('branch is empty, commit_message is empty')
    expect((await send({ ...blank, branch: 'main', commit_message: { a: 1 } })).body.error).toBe(
      'commit_message is invalid',
    )
  })

  test('requires the right to push to the branch', async () => {
    const body = { content: 'x' }
    await owner.post(`/projects/${project.id}/protected_branches`, { name: `kept-${method}` })
    const branch = { branch: `kept-${method}`, start_branch: 'main' }
    const refused = await put(path, { ...body, ...branch }, method)
    expect([refused.status, refused.body]).toEqual([400, message('You are not allowed to push into this branch')])
  })

  test('refuses paths outside the tree', async () => {
    const body = { content: 'x' }
    const astray = message('Path cannot include directory traversal')
    for (const odd of ['../x', 'a/../../x', '/etc/passwd', 'a//b', 'a/', 'a/..'])
      expect([odd, (await put(odd, body, method)).body]).toEqual([odd, astray])
    for (const odd of ['.git/config', 'a/.GIT', 'GIT~1'])
      expect([odd, (await put(odd, body, method)).body]).toEqual([odd, message("Path cannot include '.git'")])
    const nul = await developer.request(method.toUpperCase(), `/projects/${project.id}/repository/files/a%00b`, {
      body,
    })
    expect(nul.status).toBe(400)
    const bytes = await developer.request(method.toUpperCase(), `/projects/${project.id}/repository/files/a%ff`, {
      body,
    })
    expect(bytes.status).toBe(400)
  })

  test('refuses invalid branches', async () => {
    const send = async (body: Record<string, unknown>) => (await put(path, { content: 'x', ...body }, method)).body
    for (const branch of ['a b', '-x', 'a..b', 'refs/heads/x', 'x.lock', 'HEAD'])
      expect([branch, await send({ branch, start_branch: 'main' })]).toEqual([
        branch,
        message('Branch name is invalid'),
      ])
    const nowhere = message('You can only create or edit files when you are on a branch')
    expect(await send({ branch: 'absent' })).toEqual(nowhere)
    expect(await send({ branch: 'absent', start_branch: 'none' })).toEqual(nowhere)
  })

  test('is refused while the repository is being moved, and in an archived project', async () => {
    const { database } = server.app.platform
    const moving = await makeProject(`moving-${method}`)
    await put(path, { content: 'x' }, 'post', { of: moving })
    const repositories = (read_only: boolean) =>
      database.write((tx) =>
        tx.updateTable('repositories').set({ read_only }).where('project_id', '=', moving.id).execute(),
      )
    await repositories(true)
    const answer = await put(path, { content: 'y' }, method, { of: moving })
    expect([answer.status, answer.body]).toEqual([
      400,
      message('The repository is temporarily read-only. Please try again later.'),
    ])
    await repositories(false)
    await database.write((tx) =>
      tx.updateTable('projects').set({ archived: true }).where('id', '=', moving.id).execute(),
    )
    expect((await put(path, { content: 'y' }, method, { of: moving })).body).toEqual(message('403 Forbidden'))
  })
})
