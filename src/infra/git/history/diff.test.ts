import { appendFile, mkdir, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { importedCommit, missing } from '../history-testing.ts'
import { newDiskPath, type Oid, type TreePath, treePath } from '../model/names.ts'
import type { FileDiff } from '../model/reading-types.ts'
import type { Repository } from '../repository.ts'
import { ada, admitting, commitFiles, endsEarly, openTestGit, openTestRunner, type TestGit } from '../testing.ts'
import { diff } from './diff.ts'

let own: TestGit
let repository: Repository
let empty: Oid, first: Oid, second: Oid
const lines = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, index) => `${from + index}\n`).join('')
beforeAll(async () => {
  own = await openTestGit()
  repository = await own.newRepository()
  empty = await admitting(repository).createCommit({
    parent: null,
    author: ada,
    committer: ada,
    message: 'm',
    changes: [],
  })
  const binary = Buffer.from('a\0b')
  first = await commitFiles(repository, {
    moved: lines(0, 50),
    gone: 'x',
    changed: '1\n2\n',
    bin: binary,
    'd/e/f': 'f\n',
  })
  const changes = { moved: null, 'to/moved': lines(1, 51), gone: null, new: 'n\n', changed: '1\n3\n', bin: 'a\0c' }
  second = await commitFiles(repository, changes)
})
afterAll(() => own[Symbol.asyncDispose]())

const path = (text: string) => treePath(text) as TreePath
const summary = (files: readonly FileDiff[]) =>
  files.map(({ status, oldPath, newPath }) =>
    status === 'renamed' ? `${status} ${oldPath} ${newPath}` : `${status} ${newPath}`,
  )

describe('a diff', () => {
  test('has a status for each path', async () => {
    const files = await repository.diff(first, second)
    expect(summary(files)).toEqual([
      'modified bin',
      'modified changed',
      'deleted gone',
      'added new',
      'renamed moved to/moved',
    ])
    const [bin, changed, gone, added, renamed] = files as [FileDiff, FileDiff, FileDiff, FileDiff, FileDiff]
    expect(bin).toMatchObject({ binary: true, patch: '', tooLarge: false, oldMode: '100644', newMode: '100644' })
    expect(changed).toMatchObject({ binary: false, patch: '@@ -1,2 +1,2 @@\n 1\n-2\n+3\n' })
    expect(gone).toMatchObject({
      newMode: '0',
      newOid: null,
      patch: '@@ -1 +0,0 @@\n-x\n\\ No newline at end of file\n',
    })
    expect(added).toMatchObject({ oldMode: '0', oldOid: null, patch: '@@ -0,0 +1 @@\n+n\n' })
    expect(renamed.patch).toBe('@@ -1,4 +1,3 @@\n-0\n 1\n 2\n 3\n@@ -48,3 +47,4 @@\n 47\n 48\n 49\n+50\n')
    const newId = (await repository.entryAt(second, path('new')))?.oid
    expect(added.newOid).toBe(newId)
  })

  test('may begin or end with the empty tree', async () => {
    expect(summary(await repository.diff(null, first))).toHaveLength(5)
    expect((await repository.diff(first, null)).every(({ status }) => status === 'deleted')).toBe(true)
    expect(await repository.diff(null, null)).toEqual([])
    expect(await repository.diff(null, empty)).toEqual([])
    expect(await repository.diff(first, first)).toEqual([])
  })

  test('accepts trees', async () => {
    const trees = await Promise.all([first, second].map(async (oid) => (await repository.entryAt(oid, ''))!.oid))
    expect(await repository.diff(trees[0]!, trees[1]!)).toEqual(await repository.diff(first, second))
  })

  test('can be restricted to paths, which are literal', async () => {
    const names = [':(glob)*', ':!x', '*', '-x', '--output=x', '[a]', ' ', 'a\nb']
    const made = await commitFiles(repository, Object.fromEntries(names.map((name) => [name, name])), { parent: first })
    for (const name of names) {
      expect(summary(await repository.diff(first, made, { paths: [path(name)] }))).toEqual([`added ${name}`])
    }
    expect(summary(await repository.diff(null, first, { paths: [path('d'), path('gone')] }))).toEqual([
      'added d/e/f',
      'added gone',
    ])
    expect(await repository.diff(null, first, { paths: [path('nowhere')] })).toEqual([])
  })

  test('may have names of any bytes', async () => {
    const names = ['a\\nb', 'tab\\t', '\\"', '\\\\', '\\303\\244', '\\377', '-x', ' ']
    const made = await importedCommit(
      repository,
      names.map((name) => `M 100644 inline "${name}"\ndata 2\nx\n\n`).join(''),
    )
    const files = await repository.diff(null, made)
    expect(new Set(files.map(({ newPath }) => newPath))).toEqual(
      new Set(['a\nb', 'tab\t', '"', '\\', 'ä', '\ufffd', '-x', ' ']),
    )
    expect(files.every(({ patch }) => patch === '@@ -0,0 +1 @@\n+x\n')).toBe(true)
  })

  test('distinguishes modes, types, links and submodules', async () => {
    const sub = (digit: string) => `M 160000 ${digit.repeat(40)} sub\n`
    const file = (mode: string, name: string, text: string) =>
      `M ${mode} inline ${name}\ndata ${text.length}\n${text}\n`
    const before = await importedCommit(
      repository,
      file('100644', 'run', 'x') + file('100644', 'type', 'was a file') + sub('1'),
    )
    const after = await importedCommit(repository, file('100755', 'run', 'x') + file('120000', 'type', 'to') + sub('2'))
    const files = await repository.diff(before, after)
    expect(files.map(({ newPath, status, oldMode, newMode }) => [newPath, status, oldMode, newMode])).toEqual([
      ['run', 'modified', '100644', '100755'],
      ['sub', 'modified', '160000', '160000'],
      ['type', 'deleted', '100644', '0'],
      ['type', 'added', '0', '120000'],
    ])
    const [run, submodule, removed, added] = files
    expect(run?.patch).toBe('')
    expect(submodule?.patch).toContain(`-Subproject commit ${'1'.repeat(40)}\n+Subproject commit ${'2'.repeat(40)}\n`)
    expect(removed?.patch).toContain('-was a file')
    expect(added?.patch).toContain('+to')
  })

  test('fails for missing objects', async () => {
    const blob = (await repository.entryAt(first, path('gone')))!.oid
    for (const oid of [missing, blob]) {
      await expect(repository.diff(first, oid)).rejects.toMatchObject({ code: 'object_missing' })
      await expect(repository.diff(oid, first)).rejects.toMatchObject({ code: 'object_missing' })
      await expect(Array.fromAsync(repository.changedPaths(first, oid))).rejects.toMatchObject({
        code: 'object_missing',
      })
    }
    const absent = own.git.repository({ storage: 'default', diskPath: newDiskPath() })
    await expect(absent.diff(first, second)).rejects.toMatchObject({ code: 'repository_missing' })
    await expect(Array.fromAsync(absent.changedPaths(first, second))).rejects.toMatchObject({
      code: 'repository_missing',
    })
  })

  test('runs no program that a repository configures', async () => {
    const other = await own.newRepository()
    const trace = join(other.directory, 'trace')
    const program = `sh -c 'echo ran >> ${trace}; cat "$0"'`
    await appendFile(
      join(other.directory, 'config'),
      `[diff]\n\texternal = ${program}\n[diff "own"]\n\ttextconv = ${program}\n\tcommand = ${program}\n[core]\n\tpager = ${program}\n`,
    )
    await mkdir(join(other.directory, 'info'), { recursive: true })
    await writeFile(join(other.directory, 'info', 'attributes'), '* diff=own filter=own\n')
    const one = await commitFiles(other, { a: '1\n', '.gitattributes': '* diff=own\n' })
    const two = await commitFiles(other, { a: '2\n' })
    expect((await other.diff(one, two))[0]?.patch).toBe('@@ -1 +1 @@\n-1\n+2\n')
    expect((await other.stats([two])).get(two)).toEqual({ additions: 1, deletions: 1 })
    expect(await Array.fromAsync(other.changedPaths(one, two))).toHaveLength(1)
    await expect(stat(trace)).rejects.toMatchObject({ code: 'ENOENT' })
  })
})

describe('a diff that is too large', () => {
  test('leaves out only the patch of a large file', async () => {
    const made = await commitFiles(repository, { big: lines(0, 60_000), small: 's\n' }, { parent: empty })
    const files = await repository.diff(empty, made)
    expect(files.map(({ newPath, tooLarge, patch }) => [newPath, tooLarge, patch])).toEqual([
      ['big', true, ''],
      ['small', false, '@@ -0,0 +1 @@\n+s\n'],
    ])
  })

  test('marks files that were not compared, and only binary files as binary', async () => {
    const text = 'text\n'.repeat(500_000)
    const made = await commitFiles(repository, { text, bin: Buffer.from('a\0b') }, { parent: empty })
    const files = await repository.diff(empty, made)
    expect(files.map(({ newPath, tooLarge, binary }) => [newPath, tooLarge, binary])).toEqual([
      ['bin', false, true],
      ['text', true, false],
    ])
  })

  test('has at most the requested number of files', async () => {
    const files = Object.fromEntries(Array.from({ length: 1_200 }, (_, index) => [`f${index}`, `${index}\n`]))
    const made = await commitFiles(repository, files, { parent: empty })
    expect(await repository.diff(empty, made)).toHaveLength(1_000)
    const some = await repository.diff(empty, made, { maxFiles: 3 })
    expect(some.map(({ newPath, patch }) => [newPath, patch])).toEqual([
      ['f0', '@@ -0,0 +1 @@\n+0\n'],
      ['f1', '@@ -0,0 +1 @@\n+1\n'],
      ['f10', '@@ -0,0 +1 @@\n+10\n'],
    ])
  })

  test('ends early together with its process, in bounded memory', async () => {
    const many = await own.newRepository()
    const files = Object.fromEntries(
      Array.from({ length: 60 }, (_, index) => [`f${String(index).padStart(2, '0')}`, `${index}\n`.repeat(400_000)]),
    )
    const made = await commitFiles(many, files)
    await using runner = await openTestRunner()
    const before = process.memoryUsage.rss()
    let most = 0
    const sampling = setInterval(() => {
      most = Math.max(most, process.memoryUsage.rss() - before)
    }, 5)
    const found = await diff(runner.contextOf(many), null, made)
    clearInterval(sampling)
    expect(found).toHaveLength(60)
    expect(found.every(({ tooLarge, patch }) => tooLarge && patch === '')).toBe(true)
    expect(most).toBeLessThan(150_000_000)
    await endsEarly(runner.jobs[0]!)
  })
})

test('SHA-256 repositories have their own empty tree', async () => {
  const other = own.git.repository({ storage: 'default', diskPath: newDiskPath() })
  await other.init({ defaultBranch: 'refs/heads/main' as never, objectFormat: 'sha256' })
  const make = (parent: Oid | null, text: string) => {
    const changes = [{ path: path('a'), content: Buffer.from(text) }]
    return admitting(other).createCommit({ parent, author: ada, committer: ada, message: 'm', changes })
  }
  const one = await make(null, '1\n')
  const two = await make(one, '2\n')
  expect((await other.diff(null, one))[0]).toMatchObject({ status: 'added', patch: '@@ -0,0 +1 @@\n+1\n' })
  expect((await other.diff(two, null))[0]).toMatchObject({ status: 'deleted', newOid: null })
  expect((await Array.fromAsync(other.changedPaths(null, two)))[0]?.newOid).toHaveLength(64)
  expect([...(await other.stats([one, two])).values()]).toEqual([
    { additions: 1, deletions: 0 },
    { additions: 1, deletions: 1 },
  ])
})
