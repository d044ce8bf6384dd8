import { copyFile, readdir, stat, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { commitFiles, openTestGit, type TestGit } from '../testing.ts'

let own: TestGit
beforeAll(async () => {
  own = await openTestGit()
})
afterAll(() => own[Symbol.asyncDispose]())

const packsOf = async (directory: string) => (await readdir(join(directory, 'objects/pack'))).sort()

/** A repository with one complete pack, and one without index and of the given age. */
async function withOrphan(agedMs: number) {
  const repository = await own.newRepository()
  await commitFiles(repository, { a: 'a' })
  await repository.optimize({ full: true })
  const good = await packsOf(repository.directory)
  const folder = join(repository.directory, 'objects/pack')
  const pack = good.find((name) => name.endsWith('.pack')) ?? ''
  const orphan = join(folder, `pack-${'0'.repeat(40)}.pack`)
  await copyFile(join(folder, pack), orphan)
  const { mtimeMs } = await stat(orphan)
  await utimes(orphan, new Date(), new Date(mtimeMs - agedMs))
  return { repository, good, orphan }
}

test('optimising removes an old pack without index', async () => {
  const { repository, orphan } = await withOrphan(2 * 3_600_000)
  await commitFiles(repository, { b: 'b' }, { parent: null })
  await repository.optimize({ full: true })
  await expect(stat(orphan)).rejects.toThrow('ENOENT')
  expect(await repository.fsck()).toEqual({ ok: true, problems: [] })
})

test('a recent pack without index is not removed by optimising, but cleared later', async () => {
  const { repository, good, orphan } = await withOrphan(0)
  await repository.optimize({ full: true }).catch(() => {})
  expect((await stat(orphan)).isFile()).toBe(true)
  const later = new Date((await stat(orphan)).mtimeMs + 60_000)
  expect(await repository.clearStale({ olderThanMs: 30_000, now: later })).toBeGreaterThan(0)
  expect((await packsOf(repository.directory)).filter((name) => name.endsWith('.idx'))).toHaveLength(1)
  expect(good.length).toBeGreaterThan(0)
  await repository.optimize({ full: true })
  expect(await repository.fsck()).toEqual({ ok: true, problems: [] })
})
