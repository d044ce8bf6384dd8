import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { missing } from '../history-testing.ts'
import { branchRef, type Oid } from '../model/names.ts'
import type { Repository } from '../repository.ts'
import { commitFiles, git, openTestGit, openTestRunner, type TestGit } from '../testing.ts'
import { commitStats } from './stats.ts'

let own: TestGit
let repository: Repository
let root: Oid, change: Oid, nothing: Oid, side: Oid, merge: Oid, moved: Oid
const lines = Array.from({ length: 40 }, (_, index) => `${index}\n`).join('')
beforeAll(async () => {
  own = await openTestGit()
  repository = await own.newRepository()
  root = await commitFiles(repository, { a: '1\n2\n3\n', 'x\ny "z"': 'q\n', lines })
  change = await commitFiles(repository, { a: '1\n4\n', bin: 'a\0b' })
  nothing = await commitFiles(repository, {}, { message: 'Nothing' })
  side = await commitFiles(repository, { b: '1\n2\n' }, { branch: branchRef('side')!, parent: root })
  const tree = await git(['-C', repository.directory, 'mktree'], { input: '' })
  merge = (await git(['-C', repository.directory, 'commit-tree', '-m', 'm', '-p', nothing, '-p', side, tree])) as Oid
  moved = await commitFiles(repository, { lines: null, 'to/lines': lines }, { parent: nothing })
})
afterAll(() => own[Symbol.asyncDispose]())

describe('added and removed lines', () => {
  test('are counted against the first parent', async () => {
    const found = await repository.stats([root, change, nothing, side, merge, moved])
    expect([...found.entries()].toSorted(([a], [b]) => a.localeCompare(b))).toEqual(
      Object.entries({
        [root]: { additions: 44, deletions: 0 },
        [change]: { additions: 1, deletions: 2 },
        [nothing]: { additions: 0, deletions: 0 },
        [side]: { additions: 2, deletions: 0 },
        [merge]: { additions: 0, deletions: 43 },
        [moved]: { additions: 0, deletions: 0 },
      }).toSorted(([a], [b]) => a.localeCompare(b)),
    )
  })

  test('exclude missing objects and other types', async () => {
    const blob = (await git(['-C', repository.directory, 'rev-parse', `${root}:a`])) as Oid
    expect([...(await repository.stats([missing, change, blob, change])).keys()]).toEqual([change])
    expect(await repository.stats([])).toEqual(new Map())
    expect(await repository.stats([missing])).toEqual(new Map())
  })

  test('cost one process for all commits, and none when cached', async () => {
    await using runner = await openTestRunner()
    const context = runner.contextOf(repository)
    const ask = () => commitStats(context, [root, change, side, nothing])
    const once = await ask()
    expect(runner.started.toSorted()).toEqual(['cat-file', 'diff-tree'])
    expect(await ask()).toEqual(once)
    expect((await commitStats(context, [merge, change])).size).toBe(2)
    expect(runner.started.filter((name) => name === 'diff-tree')).toHaveLength(2)
  })

  test('exclude the content of huge files', async () => {
    const huge = await commitFiles(repository, { huge: '\n'.repeat(2_200_000), small: 's\n' }, { parent: nothing })
    expect((await repository.stats([huge])).get(huge)).toEqual({ additions: 1, deletions: 0 })
  })

  test('are counted for thousands of commits at once', async () => {
    const count = 3_000
    const input = Array.from({ length: count }, (_, index) => {
      const from = index > 0 ? `from :${index}\n` : ''
      return `commit refs/heads/many\nmark :${index + 1}\ncommitter A <a@x> ${index} +0000\ndata 1\nm\n${from}M 100644 inline f\ndata 2\n${index % 10}\n\n`
    })
    await git(['-C', repository.directory, 'fast-import', '--quiet', '--done'], { input: `${input.join('')}done\n` })
    const oids = (await git(['-C', repository.directory, 'rev-list', 'many'])).split('\n') as Oid[]
    const found = await repository.stats(oids)
    expect(found.size).toBe(count)
    expect([...found.values()].reduce((sum, { additions }) => sum + additions, 0)).toBe(count)
  })
})
