import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestGit, type TestGit } from '../testing.ts'
import { holdObjectDirectories } from './held-directories.ts'

let own: TestGit
beforeAll(async () => {
  own = await openTestGit()
})
afterAll(() => own[Symbol.asyncDispose]())

const directoriesOf = async (directory: string) =>
  (await readdir(join(directory, 'objects'))).filter((name) => /^[0-9a-f]{2}$/.test(name))

test('object directories that git empties are not removed while they are held', async () => {
  const repository = await own.newRepository()
  const { directory } = repository
  const { release } = await holdObjectDirectories(directory)
  expect(await directoriesOf(directory)).toHaveLength(256)
  await repository.optimize({ full: true })
  expect(await repository.fsck()).toEqual({ ok: true, problems: [] })
  await release()
  // Optimising holds the directories itself, and releases them at its end.
  await repository.optimize({ full: true })
  expect(await readdir(join(directory, 'objects', '17'))).toEqual([])
  expect(await repository.maintenanceNeeded()).toBe(false)
})

test('a repository that was removed is not made again', async () => {
  const repository = await own.newRepository()
  await repository.remove()
  await expect(holdObjectDirectories(repository.directory)).rejects.toThrow('ENOENT')
  await expect(readdir(repository.directory)).rejects.toThrow('ENOENT')
})
