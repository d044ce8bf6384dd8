import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { missing, openBranchedHistory } from '../history-testing.ts'
import type { Oid } from '../model/names.ts'
import type { Repository } from '../repository.ts'
import { admitting, openTestRunner, type TestGit } from '../testing.ts'
import { isAncestor, mergedInto } from './history.ts'

let own: TestGit
let repository: Repository
let first: Oid, second: Oid, third: Oid, side: Oid, unrelated: Oid
beforeAll(async () => {
  ;({ own, repository, first, second, third, side, unrelated } = await openBranchedHistory())
})
afterAll(() => own[Symbol.asyncDispose]())

describe('ancestry', () => {
  test('follows the parents', async () => {
    expect(await repository.isAncestor(first, third)).toBe(true)
    expect(await repository.isAncestor(third, third)).toBe(true)
    expect(await repository.isAncestor(third, first)).toBe(false)
    expect(await repository.isAncestor(side, third)).toBe(false)
    expect(await repository.isAncestor(unrelated, third)).toBe(false)
  })

  test('fails for missing commits', async () => {
    await expect(repository.isAncestor(missing, third)).rejects.toMatchObject({ code: 'object_missing' })
    await expect(repository.isAncestor(third, missing)).rejects.toMatchObject({ code: 'object_missing' })
    await expect(repository.mergedInto([missing], third)).rejects.toMatchObject({ code: 'object_missing' })
    await expect(repository.mergedInto([first], missing)).rejects.toMatchObject({ code: 'object_missing' })
  })

  test('is cached', async () => {
    await using runner = await openTestRunner()
    const context = runner.contextOf(repository)
    const ask = () => isAncestor(context, first, third)
    expect([await ask(), await ask()]).toEqual([true, true])
    expect(runner.started).toEqual(['merge-base'])
  })
})

describe('merged commits', () => {
  test('are the base and its ancestors', async () => {
    const merged = await repository.mergedInto([first, second, third, side, unrelated], third)
    expect(merged).toEqual(new Set([first, second, third]))
    expect(await repository.mergedInto([], third)).toEqual(new Set())
    expect(await repository.mergedInto([side, third], side)).toEqual(new Set([side]))
  })

  test('cost one process for all candidates, and none when cached', async () => {
    await using runner = await openTestRunner()
    const context = runner.contextOf(repository)
    const ask = (oids: Oid[]) => mergedInto(context, oids, third)
    expect(await ask([first, second, side])).toEqual(new Set([first, second]))
    expect(await ask([side, first])).toEqual(new Set([first]))
    expect(runner.started).toEqual(['rev-list'])
    expect(await ask([unrelated, first])).toEqual(new Set([first]))
    expect(runner.started).toHaveLength(2)
  })

  test('are correct with a cache that is too small', async () => {
    await using runner = await openTestRunner({ cachedAncestry: 1 })
    const context = runner.contextOf(repository)
    const merged = await mergedInto(context, [first, second, side, third], third)
    expect(merged).toEqual(new Set([first, second, third]))
  })
})

test('new commits are reachable from no ref, and listed newest first', async () => {
  const person = { name: 'A', email: 'a@x', date: '2030-01-01T00:00:00.000Z' }
  const make = (parent: Oid) =>
    admitting(repository).createCommit({ parent, author: person, committer: person, message: 'new', changes: [] })
  const one = await make(third)
  const two = await make(one)
  expect(await repository.newCommits([two], { limit: 10 })).toEqual([two, one])
  expect(await repository.newCommits([two], { limit: 1 })).toEqual([two])
  expect(await repository.newCommits([third], { limit: 10 })).toEqual([])
  await expect(repository.newCommits([missing], { limit: 10 })).rejects.toMatchObject({ code: 'object_missing' })
})
