import { mkdir, writeFile } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Client, git, httpUrl, type Person, type TestServer, temporaryDirectory } from '../../../testing/index.ts'
import type { ProjectRow } from '../../projects/index.ts'
import { startWithWriters } from '../testing.ts'

const first = 'a'.repeat(40)
const second = 'b'.repeat(40)

let server: TestServer
let owner: Person
let developer: Person
let project: ProjectRow

beforeAll(async () => {
  const started = await startWithWriters()
  ;({ server, owner, developer } = started)
  project = await started.makeProject('demo')
  await using folder = await temporaryDirectory()
  await git(folder.path, 'init', '--quiet')
  const settings = '[submodule "lib"]\n\tpath = vendor/lib\n\turl = https://example.org/lib\n'
  await writeFile(`${folder.path}/.gitmodules`, settings)
  await git(folder.path, 'add', '.gitmodules')
  await mkdir(`${folder.path}/vendor/lib`, { recursive: true })
  await git(folder.path, 'update-index', '--add', '--cacheinfo', `160000,${first},vendor/lib`)
  await git(folder.path, 'commit', '--quiet', '-m', 'first')
  const address = httpUrl(server, owner, 'owner/demo')
  expect((await git(folder.path, 'push', '--quiet', address, 'main')).code).toBe(0)
})
afterAll(() => server.stop())

const message = (text: string) => ({ message: text })
const move = (path: string, body: unknown, as: Client = developer) =>
  as.put(`/projects/${project.id}/repository/submodules/${encodeURIComponent(path)}`, body)

describe('x.repo_submodule', () => {
  test('points a submodule at another commit, and returns the new commit', async () => {
    const head = (await owner.get(`/projects/${project.id}/repository/branches/main`)).body.commit.id
    const answer = await move('vendor/lib', { branch: 'main', commit_sha: second.toUpperCase() })
    expect(answer.status).toBe(200)
    expect(answer.body).toMatchObject({
      parent_ids: [head],
      message: `Update submodule vendor/lib with oid ${second}`,
      author_name: 'developer person',
      stats: { additions: 1, deletions: 1, total: 2 },
      status: null,
      project_id: project.id,
    })
    const tree = (await owner.get(`/projects/${project.id}/repository/tree?path=vendor`)).body
    expect(tree).toEqual([{ id: second, name: 'lib', type: 'commit', path: 'vendor/lib', mode: '160000' }])
    const back = await move('vendor/lib', { branch: 'main', commit_sha: first, commit_message: 'Back\n' })
    expect(back.body.message).toBe('Back\n')
  })

  test('refuses other entries, and updates without a change', async () => {
    const refused: [path: string, body: Record<string, unknown>, sentence: string][] = [
      ['.gitmodules', {}, 'Invalid submodule path'],
      ['vendor', {}, 'Invalid submodule path'],
      ['vendor/none', {}, 'Invalid submodule path'],
      ['vendor/lib/below', {}, 'Invalid submodule path'],
      ['vendor/lib', { commit_sha: first }, `The submodule vendor/lib is already at ${first}`],
      ['../lib', {}, 'Path cannot include directory traversal'],
      ['vendor/.git', {}, "Path cannot include '.git'"],
      ['vendor/lib', { branch: 'none' }, 'You can only create or edit files when you are on a branch'],
      ['vendor/lib', { branch: '-x' }, 'Branch name is invalid'],
    ]
    for (const [path, body, sentence] of refused) {
      const answer = await move(path, { branch: 'main', commit_sha: second, ...body })
      expect([path, body, answer.status, answer.body]).toEqual([path, body, 400, message(sentence)])
    }
  })

  test('refuses invalid parameters', async () => {
    expect((await move('vendor/lib', {})).body.error).toBe('branch is missing, commit_sha is missing')
    for (const commit_sha of ['main', 'abc', second.slice(1), `${second}${'c'.repeat(24)}`, '--help', 'g'.repeat(40)])
      expect((await move('vendor/lib', { branch: 'main', commit_sha })).body.error).toBe('commit_sha is invalid')
  })

  test('requires the right to push', async () => {
    const body = { branch: 'main', commit_sha: second }
    await owner.post(`/projects/${project.id}/protected_branches`, { name: 'kept' })
    const answer = await move('vendor/lib', { ...body, branch: 'kept' })
    expect([answer.status, answer.body]).toEqual([
      403,
      message('403 Forbidden - You are not allowed to push into this branch'),
    ])
  })
})
