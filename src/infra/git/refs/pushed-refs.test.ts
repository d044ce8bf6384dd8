import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { branchRef, type Oid, type RefName, ZERO_SHA1 } from '../model/names.ts'
import { commitFiles, git, openTestGit, openTestRunner, type TestGit, type TestRunner } from '../testing.ts'
import { movePushedRefs } from './pushed-refs.ts'

let own: TestGit
let counted: TestRunner
beforeAll(async () => {
  own = await openTestGit()
  counted = await openTestRunner()
})
afterAll(async () => {
  await counted[Symbol.asyncDispose]()
  await own[Symbol.asyncDispose]()
})

const branch = (name: string) => branchRef(name) as RefName
const create = (name: string, oid: Oid) => ({ ref: branch(name), old: ZERO_SHA1, new: oid })
const remove = (name: string, oid: Oid) => ({ ref: branch(name), old: oid, new: ZERO_SHA1 })

/** A repository with two commits on `main`. */
async function setUp() {
  const repository = await own.newRepository()
  const first = await commitFiles(repository, { a: '1' })
  const second = await commitFiles(repository, { a: '2' })
  const context = counted.contextOf(repository)
  const names = async () =>
    (await git(['-C', repository.directory, 'for-each-ref', '--format=%(refname:short)'])).split('\n')
  return { repository, first, second, context, names }
}

describe('the refs of a push', () => {
  test('move in two commands and with one sync of all refs, however many they are', async () => {
    const { repository, second, context, names } = await setUp()
    const created = Array.from({ length: 300 }, (_, index) => create(`many/b${index}`, second))
    counted.started.length = 0
    const { moved, refused } = await movePushedRefs(context, created, { atomic: false })
    expect({ moved: moved.length, refused: refused.size }).toEqual({ moved: 300, refused: 0 })
    expect(counted.started).toEqual(['update-ref', 'pack-refs'])
    expect(existsSync(join(repository.directory, 'refs/heads/many'))).toBe(false)
    expect(await names()).toHaveLength(301)
    counted.started.length = 0
    const removed = created.map(({ ref }) => ({ ref, old: second, new: ZERO_SHA1 }))
    expect((await movePushedRefs(context, removed, { atomic: false })).moved).toHaveLength(300)
    expect(counted.started).toEqual(['update-ref'])
    expect(await names()).toEqual(['main'])
  })

  test('that conflict are refused one by one, and the others move', async () => {
    const { first, second, context, names } = await setUp()
    const blob = (await git(['-C', context.directory, 'rev-parse', `${second}:a`])) as Oid
    const changes = [
      { ref: branch('main'), old: first, new: first },
      create('main/below', second),
      create('twice', second),
      create('twice/below', second),
      remove('gone', first),
      create('no-commit', blob),
      create('good', second),
    ]
    const { moved, refused } = await movePushedRefs(context, changes, { atomic: false })
    expect(moved.map(({ ref }) => ref)).toEqual([branch('twice'), branch('good')])
    expect(Object.fromEntries(refused)).toEqual({
      'refs/heads/gone': 'failed to update ref: it has changed meanwhile',
      'refs/heads/main': 'failed to update ref: it has changed meanwhile',
      'refs/heads/main/below': 'failed to update ref: another ref is in its way',
      'refs/heads/twice/below': 'failed to update ref: another ref is in its way',
      'refs/heads/no-commit': 'failed to update ref: the object cannot be the head of a branch',
    })
    expect(await names()).toEqual(['good', 'main', 'twice'])
  })

  test('take the place of refs that the same push deletes', async () => {
    const { second, context, names } = await setUp()
    const { moved } = await movePushedRefs(context, [create('main/x', second), remove('main', second)], {
      atomic: false,
    })
    expect(moved).toHaveLength(2)
    expect(await names()).toEqual(['main/x'])
  })

  test('move all or none when the client asked for that', async () => {
    const { first, second, context, names } = await setUp()
    const changes = [create('good', second), { ref: branch('main'), old: first, new: first }]
    const { moved, refused } = await movePushedRefs(context, changes, { atomic: true })
    expect({ moved, refused: [...refused.keys()] }).toEqual({ moved: [], refused: changes.map(({ ref }) => ref) })
    expect(await names()).toEqual(['main'])
  })

  test('that do not exist may be deleted, which is no change', async () => {
    const { context } = await setUp()
    const { moved, refused } = await movePushedRefs(context, [remove('nobody', ZERO_SHA1)], { atomic: false })
    expect({ moved, refused: refused.size }).toEqual({ moved: [], refused: 0 })
  })
})

test('files of refs that a power failure left damaged are restored', async () => {
  const { repository, first, second, context, names } = await setUp()
  const file = (name: string) => join(repository.directory, branch(name))
  for (const name of ['main', 'new']) await writeFile(file(name), '')
  const changes = [{ ref: branch('main'), old: first, new: second }, create('new', second), create('absent', second)]
  expect(await repository.repairRefs(changes)).toEqual([branch('main'), branch('new')])
  expect(await readFile(file('main'), 'utf8')).toBe(`${first}\n`)
  expect(await names()).toEqual(['main'])
  await movePushedRefs(context, changes, { atomic: false })
  expect(await repository.repairRefs(changes)).toEqual([])
  expect(await names()).toEqual(['absent', 'main', 'new'])
})
