import { randomBytes } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Oid } from '../model/names.ts'
import { commitFiles, git, openTestGit, type TestGit } from '../testing.ts'
import { looseObjects, readLoose } from './loose.ts'

let own: TestGit
beforeAll(async () => {
  own = await openTestGit()
})
afterAll(() => own[Symbol.asyncDispose]())

test('objects are read as git has written them, up to a size', async () => {
  const repository = await own.newRepository()
  const objects = join(repository.directory, 'objects')
  const write = async (input: string | Buffer) =>
    (await git(['-C', repository.directory, 'hash-object', '-w', '--stdin'], { input })) as Oid
  const [small, empty] = [await write('small'), await write('')]
  const [exact, noise, zeros] = [
    await write('x'.repeat(100)),
    await write(randomBytes(5_000)),
    await write(Buffer.alloc(1e6)),
  ]
  const commit = await commitFiles(repository, { a: '1' })
  expect(await readLoose(objects, small, 100)).toEqual({ type: 'blob', content: Buffer.from('small') })
  expect(await readLoose(objects, empty, 100)).toEqual({ type: 'blob', content: Buffer.alloc(0) })
  expect(await readLoose(objects, commit, 1_000)).toMatchObject({ type: 'commit' })
  for (const oid of [exact, noise, zeros, 'a'.repeat(40) as Oid]) expect(await readLoose(objects, oid, 100)).toBeNull()
  expect((await readLoose(objects, exact, 101))?.content).toHaveLength(100)
  expect(await looseObjects(objects)).toEqual(expect.arrayContaining([small, empty, exact, noise, zeros, commit]))
  await repository.optimize({ full: true })
  expect(await looseObjects(objects)).toBeNull()
  const damaged = 'f'.repeat(40) as Oid
  await mkdir(join(objects, 'ff'), { recursive: true })
  await writeFile(join(objects, 'ff', damaged.slice(2)), 'damaged')
  expect(await readLoose(objects, damaged, 100)).toBeNull()
})
