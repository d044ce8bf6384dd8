import { afterAll, beforeAll, expect, test } from 'vitest'
import { fastImport, missing } from '../history-testing.ts'
import type { Oid } from '../model/names.ts'
import type { Repository } from '../repository.ts'
import { git, openTestGit, openTestRunner, type TestGit } from '../testing.ts'
import { commitsByWeek } from './weeks.ts'

const week = 604_800
const from = week * 2_800

let own: TestGit
let repository: Repository
let tip: Oid
beforeAll(async () => {
  own = await openTestGit()
  repository = await own.newRepository()
  const times = [from - 1, from, from + week - 1, from + week, from + 3 * week, from + 4 * week]
  const commits = times.map((time) => `commit refs/heads/made\ncommitter A <a@x> ${time} +0200\ndata 1\nm\n`)
  await fastImport(repository, commits.join(''))
  tip = (await git(['-C', repository.directory, 'rev-parse', 'made'])) as Oid
})
afterAll(() => own[Symbol.asyncDispose]())

test('commits are counted by week, those of other weeks left out', async () => {
  expect(await repository.commitsByWeek(tip, { from, weeks: 4 })).toEqual([2, 1, 0, 1])
  expect(await repository.commitsByWeek(tip, { from: from + 9 * week, weeks: 2 })).toEqual([0, 0])
  await expect(repository.commitsByWeek(missing, { from, weeks: 1 })).rejects.toMatchObject({ code: 'object_missing' })
})

test('counting is cached', async () => {
  await using runner = await openTestRunner()
  const context = runner.contextOf(repository)
  const ask = () => commitsByWeek(context, tip, { from, weeks: 2 })
  expect([await ask(), await ask()]).toEqual([
    [2, 1],
    [2, 1],
  ])
  expect(runner.started).toEqual(['rev-list'])
})
