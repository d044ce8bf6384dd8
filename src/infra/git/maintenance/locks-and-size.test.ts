import { chmod, mkdir, readdir, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openGit } from '../git.ts'
import { countCommits } from '../history/log.ts'
import { branchRef, type Oid } from '../model/names.ts'
import { memoryOf } from '../objects/history-cache.ts'
import { commitFiles, openTestGit, openTestRunner, type TestGit } from '../testing.ts'
import { commitCount } from './locks-and-size.ts'

let own: TestGit
beforeAll(async () => {
  own = await openTestGit()
})
afterAll(() => own[Symbol.asyncDispose]())

describe('fsck', () => {
  test('reports a damaged object', async () => {
    const repository = await own.newRepository()
    const oid = await commitFiles(repository, { a: '1' })
    expect(await repository.fsck()).toEqual({ ok: true, problems: [] })
    const file = join(repository.directory, 'objects', oid.slice(0, 2), oid.slice(2))
    await chmod(file, 0o644)
    await writeFile(file, 'garbage')
    const { ok, problems } = await repository.fsck()
    expect(ok).toBe(false)
    expect(problems.join('\n')).toContain(oid)
  })

  test('reports a ref to a missing object', async () => {
    const repository = await own.newRepository()
    await writeFile(join(repository.directory, 'refs/heads/bad'), `${'a'.repeat(40)}\n`)
    expect((await repository.fsck()).ok).toBe(false)
    expect((await repository.fsck({ connectivityOnly: true })).ok).toBe(false)
  })

  test('fails when the repository does not exist', async () => {
    const repository = await own.newRepository()
    await repository.remove()
    await expect(repository.fsck()).rejects.toMatchObject({ code: 'repository_missing' })
    await expect(repository.sizeBytes()).rejects.toMatchObject({ code: 'repository_missing' })
    await expect(repository.commitCount()).rejects.toMatchObject({ code: 'repository_missing' })
  })
})

describe('measuring', () => {
  test('counts the commits of the default branch, and bytes', async () => {
    const repository = await own.newRepository()
    expect(await repository.commitCount()).toBe(0)
    const empty = await repository.sizeBytes()
    const first = await commitFiles(repository, { a: '1' })
    await commitFiles(repository, {
      a: Buffer.from(Array.from({ length: 10_000 }, (_, index) => (index * 7_919) % 251)),
    })
    await commitFiles(repository, { b: '1' }, { branch: branchRef('other')!, parent: first })
    expect(await repository.commitCount()).toBe(2)
    expect(await repository.sizeBytes()).toBeGreaterThan(empty + 100)
  })

  test('counts nothing again that the record of a first push has counted', async () => {
    const repository = await own.newRepository()
    const tip = await commitFiles(repository, { a: '1' })
    await using counted = await openTestRunner()
    const context = counted.contextOf(repository)
    expect(await countCommits(context, { tips: [tip], excluded: [] })).toBe(1)
    expect(await commitCount(context)).toBe(1)
    expect(counted.started.filter((name) => name === 'rev-list')).toHaveLength(1)
  })

  test('counts only the difference to the head that was counted last', async () => {
    const repository = await own.newRepository()
    const first = await commitFiles(repository, { a: '1' })
    await using counted = await openTestRunner()
    const context = counted.contextOf(repository)
    const processes = () => counted.started.filter((name) => name === 'rev-list').length
    expect([await commitCount(context), processes()]).toEqual([1, 1])
    await commitFiles(repository, { a: '2' })
    expect([await commitCount(context), processes()]).toEqual([2, 1])
    await commitFiles(repository, { a: '3' })
    const last = await commitFiles(repository, { a: '4' })
    expect([await commitCount(context), processes()]).toEqual([4, 2])
    const other = await commitFiles(repository, { b: '1' }, { branch: branchRef('other')!, parent: first })
    await repository.updateRefs([{ ref: branchRef('main')!, old: last, new: other }])
    expect([await commitCount(context), processes()]).toEqual([2, 3])
    // The head that was counted last no longer exists.
    memoryOf(context.history, 'commits of HEAD', () => 0).set(repository.directory, '', {
      tip: 'a'.repeat(40),
      count: 7,
    })
    expect(await commitCount(context)).toBe(2)
  })
})

describe('leftovers of killed processes', () => {
  test('old ones are deleted, and nothing else', async () => {
    const repository = await own.newRepository()
    await commitFiles(repository, { a: '1' })
    const { directory } = repository
    const stale = [
      'HEAD.lock',
      'packed-refs.lock',
      'refs/heads/x.lock',
      'packed-refs.new',
      'objects/pack/tmp_pack_1',
      'objects/pack/.tmp-12-pack-abc.idx',
      'fast_import_crash_12',
    ]
    for (const path of stale) await writeFile(join(directory, path), '')
    await mkdir(join(directory, 'objects/tmp_objdir-incoming-abc/aa'), { recursive: true })
    await writeFile(join(directory, 'objects/tmp_objdir-incoming-abc/aa/b.lock'), '')
    const hour = 3_600_000
    const { mtime } = await stat(join(directory, 'fast_import_crash_12'))
    expect(await repository.clearStale({ olderThanMs: hour, now: mtime })).toBe(0)
    expect(await repository.clearStale({ olderThanMs: hour, now: new Date(mtime.getTime() + 2 * hour) })).toBe(8)
    expect(await readdir(directory)).not.toContain('HEAD.lock')
    expect((await repository.refs(1)).branches).toHaveLength(1)
    expect(await repository.fsck()).toEqual({ ok: true, problems: [] })
  })
})

describe('opening git', () => {
  /** A git that claims another version. */
  async function fakeGit(version: string): Promise<string> {
    const path = join(await own.newDirectory(), 'git')
    await writeFile(path, `#!/bin/sh\necho 'git version ${version}'\n`)
    await chmod(path, 0o755)
    return path
  }

  test.each(['2.38.2', '2.39.0', '1.9.1', 'unknown'])('refuses git %s', async (version) => {
    const opening = openGit({ storages: {}, binary: await fakeGit(version) })
    await expect(opening).rejects.toMatchObject({ code: 'unsupported_version' })
  })

  test.each(['2.38.3', '2.50.1 (Apple Git-155)'])('accepts git %s', async (version) => {
    const opened = await openGit({ storages: {}, binary: await fakeGit(version) })
    await opened.close()
  })

  test('refuses a missing git, and relative storage directories', async () => {
    const nowhere = openGit({ storages: {}, searchPath: '/nonexistent' })
    await expect(nowhere).rejects.toMatchObject({ code: 'unsupported_version' })
    await expect(openGit({ storages: { default: 'data' } })).rejects.toMatchObject({ code: 'invalid_input' })
  })

  test('no command runs after closing', async () => {
    const other = await openTestGit()
    const repository = await other.newRepository()
    const oid = await commitFiles(repository, { a: '1' })
    await repository.object(oid)
    await other.git.close()
    await other.git.close()
    await expect(repository.isAncestor(oid, oid)).rejects.toMatchObject({ code: 'closed' })
    await expect(repository.object('a'.repeat(40) as Oid)).rejects.toMatchObject({ code: 'closed' })
    await other[Symbol.asyncDispose]()
  })
})
