import { afterAll, beforeAll, expect, test } from 'vitest'
import { fastImport, missing } from '../history-testing.ts'
import { type Oid, treePath } from '../model/names.ts'
import type { Repository } from '../repository.ts'
import { commitFiles, git, openTestGit, type TestGit } from '../testing.ts'

let own: TestGit
let repository: Repository
let first: Oid, second: Oid, third: Oid

beforeAll(async () => {
  own = await openTestGit()
  repository = await own.newRepository()
  first = await commitFiles(repository, { a: '1', 'd/x': '1', 'd/y/z': '1', '\nodd': '1', 'd*/x': '1', 'ü "': '1' })
  second = await commitFiles(repository, { 'd/y/z': '2', '\nodd': '2' })
  third = await commitFiles(repository, { a: '3', moved: '1', 'ü "': null })
})
afterAll(() => own[Symbol.asyncDispose]())

const names = ['a', 'd', 'd*', '\nodd', 'ü "', 'none']

test('the last change of each entry of a directory is found', async () => {
  const found = await repository.lastChangesOf(third, '', names)
  // What a commit deletes is its change, too.
  const expected = { a: third, d: second, 'd*': first, '\nodd': second, 'ü "': third }
  expect(Object.fromEntries(found)).toEqual(expected)
  expect(Object.fromEntries(await repository.lastChangesOf(second, '', ['a', 'ü "']))).toEqual({
    a: first,
    'ü "': first,
  })
  const below = await repository.lastChangesOf(third, treePath('d') ?? '', ['x', 'y'])
  expect(Object.fromEntries(below)).toEqual({ x: first, y: second })
  expect((await repository.lastChangesOf(third, treePath('d*') ?? '', ['x'])).get('x')).toBe(first)
})

test('a merge is the last change of what it changed itself', async () => {
  const { directory } = repository
  const tree = (content: string) => `M 100644 inline both\ndata 1\n${content}\n`
  const commit = (ref: string, mark: number, rest: string) =>
    `commit refs/heads/${ref}\nmark :${mark}\ncommitter A <a@b> ${mark} +0000\ndata 1\nx\n${rest}\n`
  const one = commit('one', 1, tree('1'))
  const two = commit('two', 2, `from :1\n${tree('2')}M 100644 inline two\ndata 1\n2\n`)
  const three = commit('three', 3, `from :1\n${tree('3')}M 100644 inline three\ndata 1\n3\n`)
  const merged = `merge :2\n${tree('4')}M 100644 inline two\ndata 1\n2\n`
  await fastImport(repository, one + two + three + commit('three', 4, merged))
  const at = async (name: string) => (await git(['rev-parse', name], { cwd: directory })).trim() as Oid
  const found = await repository.lastChangesOf(await at('three'), '', ['both', 'two', 'three'])
  expect(Object.fromEntries(found)).toEqual({
    both: await at('three'),
    two: await at('two'),
    three: await at('three~1'),
  })
})

test('an unknown commit is an error', async () => {
  await expect(repository.lastChangesOf(missing, '', ['a'])).rejects.toMatchObject({ code: 'object_missing' })
})
