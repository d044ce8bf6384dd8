import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { temporaryDirectory } from '../../../testing/index.ts'
import { GitClient } from '../../clients/git.ts'
import { contextFor, startFake } from '../../testing.ts'
import { placeOf } from '../context.ts'
import { branchesOf } from './request-branches.ts'

const place = placeOf('projects', 'g/p', 1, 2)
const git = new GitClient({
  ...{ PATH: process.env.PATH ?? '', GIT_AUTHOR_NAME: 'a', GIT_AUTHOR_EMAIL: 'a@example.com' },
  ...{ GIT_COMMITTER_NAME: 'a', GIT_COMMITTER_EMAIL: 'a@example.com' },
})
const unknown = 'f'.repeat(40)

let folder: Awaited<ReturnType<typeof temporaryDirectory>>
/** Commits, each the child of the one before. */
const commits: string[] = []
const run = (...parameters: string[]) => git.require({ folder: folder.path, parameters })
beforeAll(async () => {
  folder = await temporaryDirectory()
  await run('init', '--quiet', '--bare')
  const tree = (await text(git.stream({ folder: folder.path, parameters: ['mktree'] }))).trim()
  for (const message of ['one', 'two', 'three', 'four']) {
    const parent = commits.at(-1)
    const parents = parent === undefined ? [] : ['-p', parent]
    commits.push((await run('commit-tree', tree, '-m', message, ...parents)).trim())
  }
  await run('update-ref', 'refs/heads/main', commits[3] ?? '')
})
afterAll(() => folder[Symbol.asyncDispose]())

/** @param versions as the source lists them, the newest first */
async function branchesFor(request: object, versions: unknown = []) {
  await using fake = await startFake(() => ({ body: versions }))
  const context = contextFor({ source: fake.url, target: fake.url })
  const copy = { folder: folder.path, target: { url: '', authorization: '' } }
  const common = {
    source_branch: 'work',
    target_branch: 'main',
    source_project_id: 1,
    target_project_id: 1,
    state: 'opened',
  }
  return await branchesOf({ context, place, copy }, { ...common, ...request }, 12)
}

test('versions are in the order in which they were pushed; those whose commits are lost are left out', async () => {
  const [first, second, third, fourth] = commits
  const found = await branchesFor({ diff_refs: { head_sha: fourth, start_sha: first, base_sha: first } }, [
    { head_commit_sha: fourth, start_commit_sha: first },
    { head_commit_sha: third, start_commit_sha: second },
    { head_commit_sha: unknown, start_commit_sha: first },
    { head_commit_sha: second, start_commit_sha: first },
    { head_commit_sha: second, start_commit_sha: first },
    { head_commit_sha: '--help', start_commit_sha: first },
  ])
  expect(found).toEqual({
    ...{ sourceBranch: 'work', targetBranch: 'main', isLost: false },
    versions: [
      { head: second, base: first },
      { head: third, base: second },
      { head: fourth, base: first },
    ],
  })
})

test('the branch of a fork gets a name of its own, and stays while the merge request is open', async () => {
  const request = {
    source_branch: 'main',
    source_project_id: 9,
    diff_refs: { head_sha: commits[2], base_sha: commits[0] },
  }
  expect((await branchesFor(request)).sourceBranch).toBe('from-fork/12/main')
  expect((await run('rev-parse', 'refs/heads/from-fork/12/main')).trim()).toBe(commits[2])
  await run('update-ref', '-d', 'refs/heads/from-fork/12/main')
  expect((await branchesFor({ ...request, state: 'closed' })).sourceBranch).toBe('from-fork/12/main')
  expect(await run('for-each-ref', '--format=%(refname)')).toBe('refs/heads/main\n')
})

test('without its commits, it has none', async () => {
  const lost = { isLost: true, versions: [{ head: commits[3], base: commits[3] }] }
  expect(await branchesFor({ sha: unknown, diff_refs: null })).toMatchObject(lost)
  expect(await branchesFor({ sha: 5, diff_refs: { head_sha: 'HEAD', start_sha: '-x' } })).toMatchObject(lost)
  expect(await branchesFor({ target_branch: 'gone' })).toMatchObject(lost)
})

test.each([{ source_branch: 'a\0b' }, { target_branch: 'a\0b' }, { source_branch: '' }, { target_branch: 5 }])(
  'names that are none are refused: %j',
  async (names) => {
    const forked = { source_project_id: 9, diff_refs: { head_sha: commits[2], base_sha: commits[0] } }
    const lostTarget = 'target_branch' in names ? { diff_refs: null } : {}
    await expect(branchesFor({ ...forked, ...names, ...lostTarget })).rejects.toThrow(/NUL|sends no/)
  },
)
