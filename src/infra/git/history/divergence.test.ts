import { afterAll, beforeAll, expect, test } from 'vitest'
import { fastImport, missing, openBranchedHistory } from '../history-testing.ts'
import type { Oid } from '../model/names.ts'
import type { Repository } from '../repository.ts'
import { git, openTestGit, openTestRunner, type TestGit } from '../testing.ts'
import { divergencesFrom } from './divergence.ts'

let own: TestGit
let repository: Repository
let first: Oid, second: Oid, third: Oid, side: Oid, unrelated: Oid
beforeAll(async () => {
  ;({ own, repository, first, second, third, side, unrelated } = await openBranchedHistory())
})
afterAll(() => own[Symbol.asyncDispose]())

test('counts what one has and the other has not', async () => {
  const found = await repository.divergencesFrom(third, [first, second, third, side, unrelated])
  expect(Object.fromEntries(found)).toEqual({
    [first]: { ahead: 0, behind: 2 },
    [second]: { ahead: 0, behind: 1 },
    [third]: { ahead: 0, behind: 0 },
    [side]: { ahead: 1, behind: 2 },
    [unrelated]: { ahead: 1, behind: 3 },
  })
  expect(await repository.divergencesFrom(side, [third])).toEqual(new Map([[third, { ahead: 2, behind: 1 }]]))
  expect(await repository.divergencesFrom(third, [])).toEqual(new Map())
  await expect(repository.divergencesFrom(third, [missing])).rejects.toMatchObject({ code: 'object_missing' })
})

test('counts each commit of merged histories once, as git does', async () => {
  await using merged = await openTestGit()
  const made = await merged.newRepository()
  const { directory } = made
  const commit = (mark: number, at: number, ...parents: number[]) => {
    const [from, ...others] = parents.map((parent) => `:${parent}\n`)
    const lines = [from && `from ${from}`, ...others.map((other) => `merge ${other}`)].filter(Boolean).join('')
    return `commit refs/heads/c${mark}\nmark :${mark}\ncommitter A <a@x> ${at} +0000\ndata 1\nm\n${lines}`
  }
  // Some parents are dated after their children.
  const history = [commit(1, 50), commit(2, 20, 1), commit(3, 90, 1), commit(4, 10, 2, 3), commit(5, 30, 3)]
  await fastImport(made, [...history, commit(6, 5, 4, 5), commit(7, 70, 4)].join(''))
  const tipOf = async (mark: number) => (await git(['-C', directory, 'rev-parse', `c${mark}`])) as Oid
  const tips = await Promise.all([1, 2, 3, 4, 5, 6, 7].map(tipOf))
  for (const base of tips) {
    const found = await made.divergencesFrom(base, tips)
    for (const tip of tips) {
      const counted = await git(['-C', directory, 'rev-list', '--count', '--left-right', `${tip}...${base}`])
      const [ahead, behind] = counted.split('\t').map(Number)
      expect(found.get(tip)).toEqual({ ahead, behind })
    }
  }
})

test('costs one process for all tips, and none when cached', async () => {
  await using runner = await openTestRunner()
  const context = runner.contextOf(repository)
  await divergencesFrom(context, third, [side, first])
  expect(runner.started).toEqual(['rev-list'])
  expect(await divergencesFrom(context, third, [first, side])).toEqual(
    new Map([
      [first, { ahead: 0, behind: 2 }],
      [side, { ahead: 1, behind: 2 }],
    ]),
  )
  expect(runner.started).toHaveLength(1)
})

test('does not count histories that parted too long ago', async () => {
  await using runner = await openTestRunner()
  const context = runner.contextOf(repository)
  const ask = (mostCommits: number) => divergencesFrom(context, third, [second, side], { mostCommits })
  expect(await ask(2)).toEqual(
    new Map([
      [second, { ahead: 0, behind: 1 }],
      [side, null],
    ]),
  )
  // What was too far back is not looked for again.
  await ask(4)
  expect(runner.started).toHaveLength(1)
})

test('reads again what was not read in time', async () => {
  await using runner = await openTestRunner()
  const context = runner.contextOf(repository)
  const late = await divergencesFrom(context, third, [side], { signal: AbortSignal.abort() })
  expect(late).toEqual(new Map([[side, null]]))
  expect(await divergencesFrom(context, third, [side])).toEqual(new Map([[side, { ahead: 1, behind: 2 }]]))
})
