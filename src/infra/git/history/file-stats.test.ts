import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Oid } from '../model/names.ts'
import type { Repository } from '../repository.ts'
import { commitFiles, openTestGit, type TestGit } from '../testing.ts'

let own: TestGit
let repository: Repository
let first: Oid, second: Oid
const lines = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, index) => `${from + index}\n`).join('')
beforeAll(async () => {
  own = await openTestGit()
  repository = await own.newRepository()
  first = await commitFiles(repository, {
    moved: lines(0, 50),
    gone: 'x\n',
    changed: '1\n2\n',
    bin: Buffer.from('a\0b'),
  })
  const changes = {
    moved: null,
    'to/:moved': lines(1, 52),
    gone: null,
    'new\t"ü"': 'n\nm\n',
    changed: '1\n3\n4\n',
    bin: 'a\0c',
  }
  second = await commitFiles(repository, changes)
})
afterAll(() => own[Symbol.asyncDispose]())

const stats = (status: string, path: string, additions: number, deletions: number, oldPath = path) => ({
  ...{ status, oldPath, newPath: path, additions, deletions },
})

test('the lines of each changed file are counted, in the order of a diff', async () => {
  const found = await repository.fileStats(first, second, 100)
  expect(found).toEqual([
    stats('modified', 'bin', 0, 0),
    stats('modified', 'changed', 2, 1),
    stats('deleted', 'gone', 0, 1),
    stats('added', 'new\t"ü"', 2, 0),
    stats('renamed', 'to/:moved', 2, 1, 'moved'),
  ])
  const diff = await repository.diff(first, second)
  expect(diff.map(({ newPath }) => newPath)).toEqual(found.map(({ newPath }) => newPath))
})

test('no more files are read than asked for, and nothing of equal commits', async () => {
  expect(await repository.fileStats(first, second, 2)).toHaveLength(2)
  expect(await repository.fileStats(second, second, 2)).toEqual([])
  expect(await repository.fileStats(null, first, 10)).toHaveLength(4)
})
