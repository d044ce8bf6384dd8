import { writeFile } from 'node:fs/promises'
import { beforeAll, describe, expect, test } from 'vitest'
import { type Client, git, httpUrl, temporaryDirectory } from '../../../testing/index.ts'
import type { ProjectRow } from '../../projects/index.ts'
import {
  type Action,
  commitsOf,
  create,
  filesAt,
  makeProject,
  message,
  place,
  serveWritingForTests,
} from '../writing-testing.ts'

serveWritingForTests()

const update = (file_path: string, content: string): Action => ({ action: 'update', file_path, content })

async function commit(of: ProjectRow, branch: string, actions: readonly Action[], body: Record<string, unknown> = {}) {
  const answer = await place.developer.post(commitsOf(of), { branch, commit_message: 'change', actions, ...body })
  expect(answer.status).toBe(201)
  return answer.body.id as string
}

/** Requests that a commit be picked or reverted. */
const ask = (
  of: ProjectRow,
  sha: string,
  what: 'cherry_pick' | 'revert',
  body: unknown,
  as: Client = place.developer,
) => as.post(`${commitsOf(of)}/${encodeURIComponent(sha)}/${what}`, body)

const lines = (...changed: [index: number, text: string][]) => {
  const all = Array.from({ length: 20 }, (_, index) => `line ${index}`)
  for (const [index, text] of changed) all[index] = text
  return `${all.join('\n')}\n`
}

/** A project whose `main` and `feature` diverge after the first commit, with a commit on `feature` that can be picked. */
async function parted(path: string) {
  const project = await makeProject(place, path, { text: lines(), other: 'other\n' })
  const message = 'Fix the end\n\nBody.\n'
  const sha = await commit(project, 'feature', [update('text', lines([18, 'fixed']))], {
    start_branch: 'main',
    commit_message: message,
    author_name: 'Ada',
    author_email: 'ada@example.org',
  })
  await commit(project, 'main', [update('text', lines([1, 'main']))])
  return { project, sha }
}

const conflicted = (what: string, done: string, code: string) => ({
  message:
    `Sorry, we cannot ${what} this commit automatically. This commit may already have been ${done}, or a more recent ` +
    'commit may have updated some of its content.',
  error_code: code,
})

describe('x.commits_cherry_pick', () => {
  test('applies the change, keeps the author, and names the origin', async () => {
    const { project, sha } = await parted('picked')
    const head = (await place.owner.get(`/projects/${project.id}/repository/branches/main`)).body.commit.id
    const answer = await ask(project, sha, 'cherry_pick', { branch: 'main' })
    expect(answer.status).toBe(201)
    expect(answer.body).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{40}$/),
      short_id: answer.body.id.slice(0, 8),
      created_at: expect.any(String),
      parent_ids: [head],
      title: 'Fix the end',
      message: `Fix the end\n\nBody.\n\n\n(cherry picked from commit ${sha})`,
      author_name: 'Ada',
      author_email: 'ada@example.org',
      authored_date: (await place.owner.get(`${commitsOf(project)}/${sha}`)).body.authored_date,
      committer_name: 'developer person',
      committer_email: 'developer@example.com',
      committed_date: expect.any(String),
      trailers: {},
      extended_trailers: {},
      web_url: `${place.server.url}/owner/picked/-/commit/${answer.body.id}`,
    })
    expect((await filesAt(place, project)).text).toBe(lines([1, 'main'], [18, 'fixed']))
    const again = await ask(project, sha, 'cherry_pick', { branch: 'main' })
    expect([again.status, again.body]).toEqual([400, conflicted('cherry-pick', 'cherry-picked', 'empty')])
  })

  test('writes nothing in a dry run', async () => {
    const { project, sha } = await parted('dry')
    const before = (await place.owner.get(commitsOf(project))).body
    const tried = await ask(project, sha, 'cherry_pick', { branch: 'main', dry_run: true })
    expect([tried.status, tried.body]).toEqual([200, { dry_run: 'success' }])
    await commit(project, 'main', [update('text', lines([18, 'otherwise']))])
    const failed = await ask(project, sha, 'cherry_pick', { branch: 'main', dry_run: 'true' })
    expect([failed.status, failed.body]).toEqual([
      400,
      { ...conflicted('cherry-pick', 'cherry-picked', 'conflict'), dry_run: 'error' },
    ])
    const really = await ask(project, sha, 'cherry_pick', { branch: 'main' })
    expect([really.status, really.body]).toEqual([400, conflicted('cherry-pick', 'cherry-picked', 'conflict')])
    expect((await place.owner.get(commitsOf(project))).body.slice(1)).toEqual(before)
  })

  test('accepts a message, a short id, a tag and a branch', async () => {
    const { project, sha } = await parted('named')
    const custom = await ask(project, sha.slice(0, 8), 'cherry_pick', { branch: 'main', message: 'My words' })
    expect(custom.body).toMatchObject({ message: 'My words' })
    await commit(project, 'feature', [create('from-branch')])
    expect((await ask(project, 'feature', 'cherry_pick', { branch: 'main' })).status).toBe(201)
    expect(Object.keys(await filesAt(place, project)).sort()).toEqual(['from-branch', 'other', 'text'])
  })

  test('picks a merge relative to its first parent, and a first commit as a whole', async () => {
    const project = await makeProject(place, 'merges')
    await using folder = await temporaryDirectory()
    const run = async (...parameters: string[]) => expect((await git(folder.path, ...parameters)).code).toBe(0)
    await run('init', '--quiet')
    await run('commit', '--quiet', '--allow-empty', '-m', 'base')
    await run('switch', '--quiet', '-c', 'side')
    await run('commit', '--quiet', '--allow-empty', '-m', 'side')
    await writeFile(`${folder.path}/from-side`, 'side\n')
    await run('add', '.')
    await run('commit', '--quiet', '-m', 'file')
    await run('switch', '--quiet', 'main')
    await run('branch', 'target')
    await run('commit', '--quiet', '--allow-empty', '-m', 'more')
    await run('merge', '--quiet', '--no-ff', '-m', 'Merge side', 'side')
    await run('tag', 'merged')
    await run('switch', '--quiet', '--orphan', 'root')
    await writeFile(`${folder.path}/from-root`, 'root\n')
    await run('add', '.')
    await run('commit', '--quiet', '-m', 'Root')
    const address = httpUrl(place.server, place.owner, 'owner/merges')
    await run('push', '--quiet', address, 'main', 'target', 'root', 'merged')
    expect((await ask(project, 'merged', 'cherry_pick', { branch: 'target' })).body.title).toBe('Merge side')
    expect((await ask(project, 'root', 'cherry_pick', { branch: 'target' })).body.title).toBe('Root')
    expect(await filesAt(place, project, 'target')).toEqual({ 'from-side': 'side\n', 'from-root': 'root\n' })
    const back = await ask(project, 'merged', 'revert', { branch: 'main' })
    expect(back.body.title).toBe('Revert "Merge side"')
    expect(await filesAt(place, project, 'main')).toEqual({})
    expect((await ask(project, 'root', 'revert', { branch: 'root' })).status).toBe(201)
    expect(await filesAt(place, project, 'root')).toEqual({})
  })
})

describe('x.commits_revert', () => {
  test('reverts the change, with the caller as author', async () => {
    const project = await makeProject(place, 'reverted', { a: 'a\n' })
    const sha = await commit(project, 'main', [create('b'), update('a', 'A\n')], {
      commit_message: 'Add "b"\n\nMore.\n',
    })
    await commit(project, 'main', [create('c')])
    const answer = await ask(project, sha, 'revert', { branch: 'main', message: 'ignored' })
    expect(answer.status).toBe(201)
    expect(answer.body).toMatchObject({
      message: `Revert "Add "b""\n\nThis reverts commit ${sha}`,
      author_name: 'developer person',
      committer_name: 'developer person',
    })
    expect(await filesAt(place, project)).toEqual({ a: 'a\n', c: 'c\n' })
    const again = await ask(project, sha, 'revert', { branch: 'main' })
    expect([again.status, again.body]).toEqual([400, conflicted('revert', 'reverted', 'empty')])
    await commit(project, 'main', [update('a', 'else\n')])
    const conflict = await ask(project, sha, 'revert', { branch: 'main', dry_run: true })
    expect(conflict.body).toEqual({ ...conflicted('revert', 'reverted', 'conflict'), dry_run: 'error' })
  })
})

describe.each(['cherry_pick', 'revert'] as const)('%s', (what) => {
  let project: ProjectRow
  let sha: string
  beforeAll(async () => {
    ;({ project, sha } = await parted(`refused-${what.replace('_', '-')}`))
  })

  test('requires its parameters', async () => {
    const answers = [await ask(project, sha, what, {}), await ask(project, sha, what, { branch: ' ' })]
    expect(answers.map(({ status, body }) => [status, body.error])).toEqual([
      [400, 'branch is missing, branch is empty'],
      [400, 'branch is empty'],
    ])
    const odd = await ask(project, sha, what, { branch: 'main', dry_run: 'perhaps' })
    expect(odd.body.error).toBe('dry_run is invalid')
  })

  test('answers 404 for unknown commits and branches', async () => {
    for (const revision of ['f'.repeat(40), 'none', 'main~1', '--all', 'feature^{tree}', ':/Fix', 'x'.repeat(5_000)]) {
      const answer = await ask(project, revision, what, { branch: 'main' })
      expect([revision, answer.status, answer.body]).toEqual([revision, 404, message('404 Commit Not Found')])
    }
    for (const branch of ['none', '-x', 'a..b', sha, 'refs/heads/main', 'HEAD']) {
      const answer = await ask(project, sha, what, { branch })
      expect([branch, answer.status, answer.body]).toEqual([branch, 404, message('404 Branch Not Found')])
    }
  })

  test('requires the right to push to the branch', async () => {
    await place.owner.post(`/projects/${project.id}/protected_branches`, { name: 'feature' })
    const answer = await ask(project, 'none', what, { branch: 'feature' })
    expect([answer.status, answer.body]).toEqual([
      403,
      message('403 Forbidden - You are not allowed to push into this branch'),
    ])
  })
})
