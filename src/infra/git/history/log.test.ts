import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { fastImport, missing, openBranchedHistory } from '../history-testing.ts'
import { newDiskPath, type Oid, type TreePath, tagRef, treePath, ZERO_SHA1 } from '../model/names.ts'
import type { Repository } from '../repository.ts'
import { ada, admitting, commitFiles, git, openTestRunner, type TestGit } from '../testing.ts'
import { contributors, countCommits, lastCommitOf, log, mergeBase } from './log.ts'

let own: TestGit
let repository: Repository
let first: Oid, second: Oid, third: Oid, side: Oid, unrelated: Oid
beforeAll(async () => {
  ;({ own, repository, first, second, third, side, unrelated } = await openBranchedHistory())
})
afterAll(() => own[Symbol.asyncDispose]())

const path = (text: string) => treePath(text) as TreePath

/** Commits on one branch: each with its author, its time in seconds and what it does. */
async function imported(
  target: Repository,
  commits: readonly { author?: string; at?: number; changes?: string; merge?: string }[],
  branch = 'made',
): Promise<Oid[]> {
  const lines = commits.map(({ author = 'A <a@x>', at = 1, changes = '', merge = '' }, index) => {
    const from = index > 0 ? `from :${index}\n` : ''
    const people = `author ${author} ${at} +0000\ncommitter C <c@x> ${at} +0000\n`
    return `commit refs/heads/${branch}\nmark :${index + 1}\n${people}data 1\nm\n${from}${merge}${changes}\n`
  })
  await fastImport(target, lines.join(''))
  return (await git(['-C', target.directory, 'rev-list', '--reverse', '--topo-order', branch])).split('\n') as Oid[]
}

describe('the log', () => {
  test('lists the history newest first, in pages', async () => {
    expect(await repository.log({ tips: [third] })).toEqual([third, second, first])
    expect(await repository.log({ tips: [third], limit: 2 })).toEqual([third, second])
    expect(await repository.log({ tips: [third], limit: 2, skip: 2 })).toEqual([first])
    expect(await repository.log({ tips: [third], skip: 3 })).toEqual([])
    expect(await repository.log({ tips: [third], limit: 0 })).toEqual([])
    expect(await repository.log({ tips: [third], limit: 1e21 })).toHaveLength(3)
    expect(await repository.log({ tips: [third], skip: 2 ** 32 })).toEqual([])
  })

  test('excludes commits that are reachable from others', async () => {
    expect(await repository.log({ tips: [third], excluded: [side] })).toEqual([third, second])
    expect(await repository.log({ tips: [third, side], excluded: [first], order: 'topo' })).toHaveLength(3)
    expect(await repository.log({ tips: [first], excluded: [third] })).toEqual([])
  })

  test('starts from every branch and tag without tips, uncached', async () => {
    const other = await own.newRepository()
    expect(await other.log({ tips: [] })).toEqual([])
    const one = await commitFiles(other, { a: '1' })
    expect(await other.log({ tips: [] })).toEqual([one])
    const hidden = await admitting(other).createCommit({
      parent: null,
      author: ada,
      committer: ada,
      message: 'h',
      changes: [],
    })
    await other.updateRefs([{ ref: 'refs/merge-requests/1/head' as never, old: ZERO_SHA1, new: hidden }])
    expect(await other.log({ tips: [] })).toEqual([one])
    await other.updateRefs([{ ref: tagRef('v1')!, old: ZERO_SHA1, new: hidden }])
    expect(new Set(await other.log({ tips: [] }))).toEqual(new Set([one, hidden]))
    expect(await other.countCommits({ tips: [] })).toBe(2)
    expect(await other.log({ tips: [], excluded: [one] })).toEqual([hidden])
  })

  test('of a path lists the commits that changed it', async () => {
    expect(await repository.log({ tips: [third], path: path('d/x') })).toEqual([second, first])
    expect(await repository.log({ tips: [third], path: path('d') })).toEqual([second, first])
    expect(await repository.log({ tips: [third], path: path('nowhere') })).toEqual([])
  })

  test.each([':(glob)*', ':(exclude)x', ':!x', ':/x', '*', '[a]', '--all', '-x', '\\a', '"a"', 'a\nb', ' ', ':(top)a'])(
    'the path %j is literal',
    async (name) => {
      const other = await own.newRepository()
      const one = await commitFiles(other, { [name]: '1' })
      const two = await commitFiles(other, { a: '2' })
      expect(await other.log({ tips: [two], path: path(name) })).toEqual([one])
      expect(await other.lastCommitOf(two, path(name))).toBe(one)
      expect(await other.countCommits({ tips: [two], path: path(name) })).toBe(1)
    },
  )

  test('of an author matches parts of name and e-mail, case-insensitively', async () => {
    const authors = ['Ada L. <ada@x.org>', 'a.c (x) <abc@y>', 'axc <z@y>', 'P*a+b? <[p]@q>', '\xff\xfe <bytes@x>']
    const made = await imported(
      repository,
      authors.map((author) => ({ author })),
    )
    const find = async (author: string) =>
      (await repository.log({ tips: [made.at(-1)!], author })).map((oid) => made.indexOf(oid)).sort()
    expect(await find('ADA')).toEqual([0])
    expect(await find('X.ORG')).toEqual([0])
    expect(await find('a.c')).toEqual([1])
    expect(await find('(x)')).toEqual([1])
    expect(await find('[P]')).toEqual([3])
    expect(await find('a+b?')).toEqual([3])
    expect(await find('.*')).toEqual([])
    expect(await find('^A')).toEqual([])
    expect(await find('a\\|b')).toEqual([])
    expect(await find('bytes@')).toEqual([4])
    for (const none of ['nobody\nAda', 'Ada\0', '\n', '--all']) expect(await find(none)).toEqual([])
    expect(await find('')).toEqual([0, 1, 2, 3, 4])
  })

  test('between two times includes both', async () => {
    const at = Date.UTC(2024, 0, 1) / 1_000
    const made = await imported(repository, [{ at }, { at: at + 1 }, { at: at + 2 }, { at: at + 3 }])
    const between = (since?: string, until?: string) => repository.log({ tips: [made[3]!], since, until })
    const all = made.toReversed()
    expect(await between('2024-01-01T00:00:01Z')).toEqual(all.slice(0, 3))
    expect(await between('2024-01-01T00:00:01.500Z')).toEqual(all.slice(0, 2))
    expect(await between(undefined, '2024-01-01T00:00:01.999Z')).toEqual(all.slice(2))
    expect(await between('2024-01-01T02:00:01+02:00', '2024-01-01T00:00:02Z')).toEqual([made[2], made[1]])
    expect(await between('1960-01-01T00:00:00Z', '2999-01-01T00:00:00Z')).toEqual(all)
    expect(await between(undefined, '1960-01-01T00:00:00Z')).toEqual([])
    const [late] = (await imported(repository, [{ at: Date.UTC(2050, 0, 1) / 1_000 }])) as [Oid]
    expect(
      await repository.log({ tips: [late], since: '2049-12-31T23:59:59Z', until: '2050-01-01T00:00:00Z' }),
    ).toEqual([late])
    expect(await repository.log({ tips: [late], since: '2050-01-01T00:00:01Z' })).toEqual([])
    expect(await repository.log({ tips: [late], until: '2049-12-31T23:59:59Z' })).toEqual([])
    for (const wrong of ['yesterday', '', '--all', '2024-13-01T00:00:00Z']) {
      await expect(between(wrong)).rejects.toMatchObject({ code: 'invalid_input' })
    }
  })

  test('supports first-parent and topological order', async () => {
    const merge = `merge ${side}\n`
    await imported(repository, [{ at: 2 }, { at: 3, merge }])
    const parse = async (name: string) => (await git(['-C', repository.directory, 'rev-parse', name])) as Oid
    const [one, two] = [await parse('made^1'), await parse('made')]
    expect(await repository.log({ tips: [two], firstParent: true })).toEqual([two, one])
    expect(await repository.countCommits({ tips: [two], firstParent: true })).toBe(2)
    expect(await repository.countCommits({ tips: [two] })).toBe(4)
    expect((await repository.log({ tips: [two], order: 'topo' }))[0]).toBe(two)
  })

  test('accepts more tips than fit into an argument list', async () => {
    const tips = Array.from({ length: 60_000 }, (_, index) => [third, side, first][index % 3]!)
    expect(new Set(await repository.log({ tips }))).toEqual(new Set([third, second, side, first]))
  })

  test('fails for missing objects and other types', async () => {
    const blob = (await repository.entryAt(first, path('a')))!.oid
    for (const oid of [missing, ZERO_SHA1]) {
      await expect(repository.log({ tips: [oid] })).rejects.toMatchObject({ code: 'object_missing' })
      await expect(repository.log({ tips: [first], excluded: [oid] })).rejects.toMatchObject({ code: 'object_missing' })
      await expect(repository.countCommits({ tips: [oid] })).rejects.toMatchObject({ code: 'object_missing' })
      await expect(repository.lastCommitOf(oid, path('a'))).rejects.toMatchObject({ code: 'object_missing' })
    }
    expect(await repository.log({ tips: [blob] })).toEqual([])
  })
})

describe('cached results', () => {
  test('depend on ids, not on branches', async () => {
    await using runner = await openTestRunner()
    const context = runner.contextOf(repository)
    const ask = async () => [
      await log(context, { tips: [third], path: path('d'), limit: 1 }),
      await lastCommitOf(context, third, path('a')),
      await lastCommitOf(context, third, path('nowhere')),
      await countCommits(context, { tips: [third], path: path('d') }),
      await mergeBase(context, [third, side]),
      await mergeBase(context, [third, unrelated]),
      await contributors(context, third),
    ]
    const once = await ask()
    expect(runner.started).toHaveLength(7)
    expect(await ask()).toEqual(once)
    expect(runner.started).toHaveLength(7)
    expect(once.slice(0, 6)).toEqual([[second], third, null, 2, first, null])
    await log(context, { tips: [] })
    await log(context, { tips: [] })
    await countCommits(context, { tips: [] })
    await countCommits(context, { tips: [] })
    expect(runner.started).toHaveLength(11)
  })

  test('differ with every part of the query', async () => {
    const tips = [third]
    const answers = [
      await repository.log({ tips, path: path('a') }),
      await repository.log({ tips, path: path('a'), limit: 1 }),
      await repository.log({ tips, path: path('a'), skip: 1 }),
      await repository.log({ tips, path: path('a'), excluded: [second] }),
      await repository.log({ tips, path: path('d'), author: 'nobody' }),
      await repository.log({ tips, until: '2001-01-01T00:00:00Z' }),
    ]
    expect(answers.map(({ length }) => length)).toEqual([3, 1, 2, 1, 0, 0])
  })

  test('are dropped when the repository is removed', async () => {
    const other = await own.newRepository()
    const one = await commitFiles(other, { a: '1' })
    expect(await other.log({ tips: [one] })).toEqual([one])
    await other.remove()
    await other.init({ defaultBranch: 'refs/heads/main' as never })
    await expect(other.log({ tips: [one] })).rejects.toMatchObject({ code: 'object_missing' })
  })
})

describe('the merge base', () => {
  test('is the best common ancestor', async () => {
    expect(await repository.mergeBase([third, side])).toBe(first)
    expect(await repository.mergeBase([third, second])).toBe(second)
    expect(await repository.mergeBase([third])).toBe(third)
    expect(await repository.mergeBase([third, unrelated])).toBeNull()
    expect(await repository.mergeBase([])).toBeNull()
  })

  test('of three commits is common to all of them', async () => {
    expect(await repository.mergeBase([third, second, side])).toBe(first)
    expect(await repository.mergeBase([third, second, side, unrelated])).toBeNull()
    expect(await repository.mergeBase([third, third, second])).toBe(second)
  })

  test('fails for missing commits', async () => {
    await expect(repository.mergeBase([third, missing])).rejects.toMatchObject({ code: 'object_missing' })
    const blob = (await repository.entryAt(first, path('a')))!.oid
    await expect(repository.mergeBase([third, blob])).rejects.toMatchObject({ code: 'object_missing' })
  })
})

test('supports SHA-256 repositories', async () => {
  const other = own.git.repository({ storage: 'default', diskPath: newDiskPath() })
  await other.init({ defaultBranch: 'refs/heads/main' as never, objectFormat: 'sha256' })
  const person = { author: ada, committer: ada }
  const make = (parent: Oid | null, content: string) =>
    admitting(other).createCommit({
      parent,
      ...person,
      message: 'm',
      changes: [{ path: path('a'), content: Buffer.from(content) }],
    })
  const one = await make(null, '1')
  const two = await make(one, '2')
  const three = await make(one, '3')
  expect(await other.log({ tips: [two], path: path('a') })).toEqual([two, one])
  expect(await other.lastCommitOf(two, path('a'))).toBe(two)
  expect(await other.mergeBase([two, three])).toBe(one)
  expect(await other.countCommits({ tips: [two], excluded: [one] })).toBe(1)
  expect(await other.contributors(two)).toHaveLength(1)
})

test('a repository that does not exist is reported as missing', async () => {
  const absent = own.git.repository({ storage: 'default', diskPath: newDiskPath() })
  const asked = [
    () => absent.log({ tips: [third] }),
    () => absent.countCommits({ tips: [third] }),
    () => absent.lastCommitOf(third, path('a')),
    () => absent.mergeBase([third, side]),
    () => absent.refsContaining(third, []),
    () => absent.contributors(third),
  ]
  for (const ask of asked) await expect(ask()).rejects.toMatchObject({ code: 'repository_missing' })
})

test('a command is ended at its time limit', async () => {
  await using hasty = await openTestRunner({ commandTimeoutMs: 1 })
  const ask = () => log(hasty.contextOf(repository), { tips: Array.from({ length: 50_000 }, () => third) })
  await expect(ask()).rejects.toMatchObject({ code: 'timeout' })
})
