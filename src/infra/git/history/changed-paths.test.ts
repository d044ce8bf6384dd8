import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { importedCommit } from '../history-testing.ts'
import type { Oid } from '../model/names.ts'
import type { Quarantine } from '../model/types.ts'
import type { Repository } from '../repository.ts'
import { commitFiles, git, openTestGit, openTestRunner, type TestGit } from '../testing.ts'
import { changedPaths } from './diff.ts'

let own: TestGit
let repository: Repository
let first: Oid, second: Oid
beforeAll(async () => {
  own = await openTestGit()
  repository = await own.newRepository()
  first = await commitFiles(repository, { moved: 'same', gone: 'x', changed: '1', bin: 'a\0b', 'd/e/f': 'f' })
  const changes = { moved: null, 'to/moved': 'same', gone: null, new: 'n', changed: '2', bin: 'a\0c' }
  second = await commitFiles(repository, changes)
})
afterAll(() => own[Symbol.asyncDispose]())

describe('changed paths', () => {
  test('are listed without renames', async () => {
    const found = await Array.fromAsync(repository.changedPaths(first, second))
    expect(found.map(({ status, path }) => `${status} ${path}`)).toEqual([
      'modified bin',
      'modified changed',
      'deleted gone',
      'deleted moved',
      'added new',
      'added to/moved',
    ])
    expect(found[2]).toMatchObject({ oldMode: '100644', newMode: '0', newOid: null })
    expect((await Array.fromAsync(repository.changedPaths(null, first))).map(({ path }) => path)).toEqual([
      ...['bin', 'changed', 'd/e/f', 'gone', 'moved'],
    ])
    expect(await Array.fromAsync(repository.changedPaths(second, second))).toEqual([])
  })

  test('may have names of any bytes', async () => {
    const made = await importedCommit(
      repository,
      `M 100644 inline "a\\nb\\377"\ndata 1\nx\nM 160000 ${'1'.repeat(40)} :x\n`,
    )
    const found = await Array.fromAsync(repository.changedPaths(null, made))
    expect(found.map(({ path, newMode }) => [path, newMode])).toEqual([
      [':x', '160000'],
      ['a\nb\ufffd', '100644'],
    ])
  })

  test('include objects in quarantine', async () => {
    const objectDirectory = await own.newDirectory()
    const quarantine: Quarantine = {
      objectDirectory,
      alternateObjectDirectories: join(repository.directory, 'objects'),
    }
    const environment = {
      GIT_OBJECT_DIRECTORY: objectDirectory,
      GIT_ALTERNATE_OBJECT_DIRECTORIES: quarantine.alternateObjectDirectories,
    }
    const run = (args: string[], input?: string) => git(['-C', repository.directory, ...args], { environment, input })
    const blob = await run(['hash-object', '-w', '--stdin'], 'pushed')
    const tree = await run(['mktree'], `100644 blob ${blob}\tpushed\n`)
    const commit = (await run(['commit-tree', '-m', 'm', '-p', first, tree])) as Oid
    const found = await Array.fromAsync(repository.changedPaths(first, commit, { quarantine }))
    expect(found).toContainEqual(expect.objectContaining({ status: 'added', path: 'pushed', newOid: blob }))
    expect(await repository.log({ tips: [commit], excluded: [first] }, { quarantine })).toEqual([commit])
    expect((await repository.diff(null, commit, { quarantine }))[0]?.patch).toContain('+pushed')
    // The objects are deleted afterwards.
    await expect(repository.diff(null, commit)).rejects.toMatchObject({ code: 'object_missing' })
    await expect(repository.log({ tips: [commit], excluded: [first] })).rejects.toMatchObject({
      code: 'object_missing',
    })
  })

  describe('of fifty thousand files', () => {
    let huge: Oid
    beforeAll(async () => {
      const blob = await git(['-C', repository.directory, 'hash-object', '-w', '--stdin'], { input: 'x' })
      const input = Array.from(
        { length: 50_000 },
        (_, index) => `100644 blob ${blob}\tfile with a name ${index}\n`,
      ).join('')
      huge = (await git(['-C', repository.directory, 'mktree'], { input })) as Oid
    })

    test('are streamed', async () => {
      let count = 0
      for await (const { status } of repository.changedPaths(null, huge)) if (status === 'added') count += 1
      expect(count).toBe(50_000)
      expect(await repository.diff(null, huge, { maxFiles: 10 })).toHaveLength(10)
    })

    test('the process ends when the reader stops early', async () => {
      await using runner = await openTestRunner({ concurrentCommands: 1 })
      for (let round = 0; round < 5; round += 1) {
        for await (const { path } of changedPaths(runner.contextOf(repository), null, huge)) if (path !== '') break
      }
      expect(runner.jobs).toHaveLength(5)
      await Promise.allSettled(runner.jobs.map(({ exit }) => exit))
    })
  })
})
